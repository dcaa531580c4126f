/*
 * Starts a process with posix_spawn, one socket and a pipe for its error output, of which the
 * end is kept; it is watched and ended through a pidfd.
 */
#include "central/spread/launcher/spread_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "central/engine/worker/descriptor.h"
#include "central/engine/worker/worker_launch.h"
#include "core/base/failure.h"

extern char **environ;

enum {
	ABOVE = 3,
	PIECES = 64, /* read at once: whoever says more than can be heard waits */
};

/* ---- starting ---------------------------------------------------------------------- */

static int set_files(posix_spawn_file_actions_t *a, int socket, int words, bool talks)
{
	int error = posix_spawn_file_actions_adddup2(a, socket, 0);

	if (error == 0)
		error = talks ? posix_spawn_file_actions_adddup2(a, socket, 1)
			      : posix_spawn_file_actions_addopen(a, 1, "/dev/null", O_WRONLY,
								 0);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(a, words, 2);
	return error == 0 ? posix_spawn_file_actions_addclosefrom_np(a, ABOVE) : error;
}

static int spawn(struct sotto_spread_process *p, const char *const *words, bool talks,
		 char **environment, const int ends[2])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&files);

	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error == 0) {
		error = sotto_worker_set_signals(&attributes);
		if (error == 0)
			error = set_files(&files, ends[0], ends[1], talks);
		if (error == 0)
			error = posix_spawnp(&p->pid, words[0], &files, &attributes,
					     (char *const *)words, environment);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return error;
}

enum sotto_status sotto_spread_process_open(struct sotto_spread_process *p,
					    const char *const *words, bool talks,
					    bool keeps_environment)
{
	int sockets[2] = {-1, -1}, heard[2] = {-1, -1};
	struct sotto_spread_process started = {.pidfd = -1, .socket = -1, .words = -1};
	char **environment = keeps_environment ? environ : sotto_worker_environment();
	bool ready = environment &&
		     socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 &&
		     pipe2(heard, O_CLOEXEC | O_NONBLOCK) == 0 &&
		     sotto_descriptor_lift(&sockets[1], ABOVE) &&
		     sotto_descriptor_lift(&heard[1], ABOVE);

	if (ready)
		ready = spawn(&started, words, talks, environment,
			      (const int[]){sockets[1], heard[1]}) == 0;
	if (!keeps_environment)
		free(environment);
	sotto_descriptor_close(&sockets[1]);
	sotto_descriptor_close(&heard[1]);
	if (!ready) {
		sotto_descriptor_close(&sockets[0]);
		sotto_descriptor_close(&heard[0]);
		return SOTTO_EIO;
	}
	(void)fcntl(sockets[0], F_SETFL, O_NONBLOCK);
	started.socket = sockets[0];
	started.words = heard[0];
	started.pidfd = pidfd_open(started.pid, 0);
	*p = started;
	return SOTTO_OK;
}

/* ---- hearing and ending ------------------------------------------------------------ */

void sotto_spread_process_hear(struct sotto_spread_process *p)
{
	char piece[4096];
	ssize_t n;

	for (int i = 0; p->words >= 0; i++) {
		if (i == PIECES)
			return;
		n = read(p->words, piece, sizeof piece);
		if (n == 0)
			break;
		size_t had = strlen(p->last), most = sizeof p->last - 1, keep;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		if ((size_t)n > most) {
			memmove(piece, piece + n - most, most);
			n = (ssize_t)most;
		}
		keep = had + (size_t)n > most ? most - (size_t)n : had;
		memmove(p->last, p->last + had - keep, keep);
		memcpy(p->last + keep, piece, (size_t)n);
		p->last[keep + (size_t)n] = '\0';
	}
	sotto_descriptor_close(&p->words);
}

static bool has_ended(const struct sotto_spread_process *p, int patience)
{
	struct pollfd poller = {.fd = p->pidfd, .events = POLLIN};

	return p->pidfd >= 0 && poll(&poller, 1, patience) > 0;
}

int sotto_spread_process_wait(struct sotto_spread_process *p, int patience)
{
	siginfo_t info = {0};

	if (!has_ended(p, patience) ||
	    waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	    info.si_code != CLD_EXITED)
		return -1;
	sotto_spread_process_hear(p);
	return info.si_status;
}

void sotto_spread_process_close(struct sotto_spread_process *p, int patience)
{
	siginfo_t info;

	sotto_descriptor_close(&p->socket);
	if (p->pid != 0) {
		if (patience > 0 && !has_ended(p, 0)) {
			(void)kill(-p->pid, SIGTERM);
			(void)has_ended(p, patience);
		}
		(void)kill(-p->pid, SIGKILL);
		(void)kill(p->pid, SIGKILL); /* it may have left its group */
		while (waitid(P_PID, (id_t)p->pid, &info, WEXITED) != 0 && errno == EINTR)
			continue;
		sotto_spread_process_hear(p);
	}
	sotto_descriptor_close(&p->words);
	sotto_descriptor_close(&p->pidfd);
	p->pid = 0;
}
