/*
 * Starts the program with posix_spawn, default signals and only a few variables of the
 * environment; a worker that has to end is killed through its pidfd and waited for.
 */
#include "central/engine/worker/worker_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "central/engine/worker/descriptor.h"
#include "core/base/failure.h"

extern char **environ;

/* ---- what the worker is given ------------------------------------------------------ */

/*
 * Where libraries are, who the user is to PostgreSQL, the zone of times; for a build with
 * sanitizers, their settings.
 */
static const char *const passed[] = {
	"HOME=",     "TZ=",   "LD_LIBRARY_PATH=", "SOTTO_DUCKDB=", "PG", "KRB5",
	"SSL_CERT_", "ASAN_", "UBSAN_",           "LLVM_PROFILE"};

static bool is_passed(const char *variable)
{
	for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
		if (strncmp(variable, passed[i], strlen(passed[i])) == 0)
			return true;
	return false;
}

char **sotto_worker_environment(void)
{
	size_t n = 0, kept = 0;
	char **out;

	while (environ && environ[n])
		n++;
	out = calloc(n + 1, sizeof *out);
	for (size_t i = 0; out && i < n; i++)
		if (is_passed(environ[i]))
			out[kept++] = environ[i];
	return out;
}

/* ---- starting ---------------------------------------------------------------------- */

static int set_descriptors(posix_spawn_file_actions_t *a, int socket, int words)
{
	int error = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);

	if (error == 0)
		error = posix_spawn_file_actions_addopen(a, 1, "/dev/null", O_WRONLY, 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(a, words, 2);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(a, socket, SOTTO_WORKER_SOCKET);
	if (error == 0)
		error = posix_spawn_file_actions_addclosefrom_np(a, SOTTO_WORKER_SOCKET + 1);
	return error;
}

/*
 * Signals are as in a new process, and those of a terminal go to this process alone: the
 * worker ends when its socket does.
 */
int sotto_worker_set_signals(posix_spawnattr_t *a)
{
	sigset_t none, all;
	int error;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	error = posix_spawnattr_setflags(a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						    POSIX_SPAWN_SETPGROUP);
	if (error == 0)
		error = posix_spawnattr_setsigmask(a, &none);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(a, &all);
	return error == 0 ? posix_spawnattr_setpgroup(a, 0) : error;
}

static int
spawn_with(struct sotto_worker *w, int socket, int words, posix_spawn_file_actions_t *files)
{
	char name[] = "sotto", command[] = "worker";
	char *const arguments[] = {name, command, NULL};
	char **environment = sotto_worker_environment();
	posix_spawnattr_t attributes;
	int error = environment ? posix_spawnattr_init(&attributes) : ENOMEM;

	if (error == 0) {
		error = sotto_worker_set_signals(&attributes);
		if (error == 0)
			error = set_descriptors(files, socket, words);
		if (error == 0)
			error = posix_spawn(&w->pid, w->program, files, &attributes, arguments,
					    environment);
		(void)posix_spawnattr_destroy(&attributes);
	}
	free(environment);
	return error;
}

static enum sotto_status
spawn(struct sotto_worker *w, int socket, int words, struct sotto_error *err)
{
	posix_spawn_file_actions_t files;
	int error = posix_spawn_file_actions_init(&files);

	if (error == 0) {
		error = spawn_with(w, socket, words, &files);
		(void)posix_spawn_file_actions_destroy(&files);
	}
	if (error == 0) {
		w->pidfd = pidfd_open(w->pid, 0);
		return SOTTO_OK;
	}
	w->pid = 0;
	return sotto_fail(err, error == ENOMEM ? SOTTO_ENOMEM : SOTTO_EIO,
			  "the engine's process could not be started from %.200s", w->program);
}

static enum sotto_status
start_on(struct sotto_worker *w, int sockets[2], int words[2], struct sotto_error *err)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
		return SOTTO_EIO;
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) != 0)
		return SOTTO_EIO;
	if (!sotto_descriptor_lift(&sockets[1], SOTTO_WORKER_SOCKET + 1) ||
	    !sotto_descriptor_lift(&words[1], SOTTO_WORKER_SOCKET + 1))
		return SOTTO_EIO;
	return spawn(w, sockets[1], words[1], err);
}

enum sotto_status
sotto_worker_start(struct sotto_worker *w, const char *program, struct sotto_error *err)
{
	struct sotto_worker started = {.pidfd = -1};
	int sockets[2] = {-1, -1}, words[2] = {-1, -1};
	enum sotto_status st;

	(void)snprintf(started.program, sizeof started.program, "%s", program);
	st = start_on(&started, sockets, words, err);
	sotto_descriptor_close(&sockets[1]);
	sotto_descriptor_close(&words[1]);
	if (st != SOTTO_OK) {
		sotto_descriptor_close(&sockets[0]);
		sotto_descriptor_close(&words[0]);
		return st;
	}
	started.socket = sockets[0];
	started.words = words[0];
	*w = started;
	return SOTTO_OK;
}

/* ---- ending ------------------------------------------------------------------------ */

/* Another part of the program may have waited for all children: then nothing is known. */
static bool await(struct sotto_worker *w, siginfo_t *info)
{
	int error;

	*info = (siginfo_t){0};
	do
		error = w->pidfd >= 0 ? waitid(P_PIDFD, (id_t)w->pidfd, info, WEXITED)
				      : waitid(P_PID, (id_t)w->pid, info, WEXITED);
	while (error != 0 && errno == EINTR);
	return error == 0 && info->si_pid != 0;
}

/* So that its own end is seen, if it has ended. */
static void kill_worker(struct sotto_worker *w)
{
	if (w->pidfd >= 0)
		(void)pidfd_send_signal(w->pidfd, SIGKILL, NULL, 0);
	else
		(void)kill(w->pid, SIGKILL);
}

static void describe(const siginfo_t *info, const char *words, char *how, size_t size)
{
	const char *verb = info->si_code == CLD_EXITED ? "ended with status" : "died of signal";

	(void)snprintf(how, size, "the engine's process %s %d%s%s", verb, info->si_status,
		       *words ? ": " : "", words);
}

void sotto_worker_end(struct sotto_worker *w, char *how, size_t size)
{
	char words[1500];
	siginfo_t info;
	bool is_known;
	ssize_t n;

	if (w->pid == 0)
		return;
	kill_worker(w);
	is_known = await(w, &info);
	n = read(w->words, words, sizeof words - 1);
	words[n > 0 ? n : 0] = '\0';
	if (how && is_known)
		describe(&info, words, how, size);
	sotto_descriptor_close(&w->socket);
	sotto_descriptor_close(&w->words);
	sotto_descriptor_close(&w->pidfd);
	w->pid = 0;
}
