/*
 * Every call of the system and every allocation that starting, asking and ending a worker
 * makes fails once: each time there is a status, no descriptor and no process is left, and
 * the next engine works.  The program's own definitions stand before those of the C library.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "central/engine/engine.h"
#include "testlib/children.h"
#include "testlib/tap.h"

/* The call that fails, counted from 1 on; 0: none.  Only while is_armed. */
static int countdown, calls;
static bool is_armed;

static bool fails_now(void)
{
	if (!is_armed)
		return false;
	calls++;
	return countdown > 0 && --countdown == 0;
}

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

int socketpair(int domain, int type, int protocol, int fds[2])
{
	if (fails_now()) {
		errno = EMFILE;
		return -1;
	}
	return REAL(socketpair)(domain, type, protocol, fds);
}

int pipe2(int fds[2], int flags)
{
	if (fails_now()) {
		errno = ENFILE;
		return -1;
	}
	return REAL(pipe2)(fds, flags);
}

int fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	if (fails_now()) {
		errno = EMFILE;
		return -1;
	}
	return REAL(fcntl)(fd, command, argument);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files,
		const posix_spawnattr_t *attributes, char *const arguments[],
		char *const environment[])
{
	if (fails_now())
		return EAGAIN;
	return REAL(posix_spawn)(pid, path, files, attributes, arguments, environment);
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *files, int fd, int other)
{
	return fails_now() ? ENOMEM : REAL(posix_spawn_file_actions_adddup2)(files, fd, other);
}

int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *files, int from)
{
	return fails_now() ? ENOMEM
			   : REAL(posix_spawn_file_actions_addclosefrom_np)(files, from);
}

int pidfd_open(pid_t pid, unsigned flags);
int pidfd_open(pid_t pid, unsigned flags)
{
	if (fails_now()) {
		errno = ENOSYS;
		return -1;
	}
	return REAL(pidfd_open)(pid, flags);
}

ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
	if (fails_now()) {
		errno = EPIPE;
		return -1;
	}
	return REAL(send)(fd, bytes, n > 40 ? 40 : n, flags); /* and in small pieces */
}

ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
	if (fails_now()) {
		errno = ECONNRESET;
		return -1;
	}
	return REAL(recv)(fd, bytes, n > 40 ? 40 : n, flags);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask)
{
	if (fails_now()) {
		errno = ENOMEM;
		return -1;
	}
	return REAL(ppoll)(fds, n, time, mask);
}

/* The sanitizer has its own allocator. */
#if !defined(__SANITIZE_ADDRESS__)
#if !defined(__has_feature)
#define HAS_OWN_MALLOC 1
#elif !__has_feature(address_sanitizer)
#define HAS_OWN_MALLOC 1
#endif
#endif

#ifdef HAS_OWN_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return fails_now() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails_now() ? NULL : __libc_realloc(old, size);
}
#endif

/* ---- one life of an engine -------------------------------------------------------------- */

static size_t count_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n;
}

static enum sotto_status count_column(void *context, const char *name, const char *type)
{
	(void)name;
	(void)type;
	++*(int *)context;
	return SOTTO_OK;
}

static enum sotto_status use(struct sotto_engine *e)
{
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = sotto_engine_execute(e, "CREATE TABLE t AS SELECT 1 AS x");
	int columns = 0;

	if (st == SOTTO_OK)
		st = sotto_engine_columns(e, "t", count_column, &columns);
	if (st == SOTTO_OK)
		st = sotto_engine_lock(e, NULL, 0, NULL, 0);
	if (st == SOTTO_OK)
		st = sotto_engine_run(e, "SELECT 'text', CAST(x AS HUGEINT) FROM t", &r);
	sotto_engine_result_free(r);
	return st;
}

static enum sotto_status live(int failing)
{
	struct sotto_engine *e = NULL;
	enum sotto_status st;

	countdown = failing;
	calls = 0;
	is_armed = true;
	st = sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
				      NULL);
	if (st == SOTTO_OK)
		st = use(e);
	is_armed = false;
	/* What went wrong on the way leaves no worker that could reply to another request. */
	if (e && st == SOTTO_EIO)
		CHECK(sotto_engine_is_lost(e));
	sotto_engine_close(e);
	return st;
}

/* (Kills: a status that is not looked at, a descriptor or process that is left.) */
static void whatever_fails_there_is_a_status_and_nothing_is_left(void)
{
	size_t before;
	int all, failures = 0;

	REQUIRE(live(0) == SOTTO_OK);
	all = calls;
	before = count_descriptors();
	for (int i = 1; i <= all; i++) {
		enum sotto_status st = live(i);

		failures += st != SOTTO_OK;
		if (!tap_check(st == SOTTO_OK || st == SOTTO_EIO || st == SOTTO_ENOMEM ||
				       st == SOTTO_EMISSING,
			       __FILE__, __LINE__, "call %d: %s", i, sotto_status_name(st)) ||
		    !tap_check(count_descriptors() == before, __FILE__, __LINE__,
			       "call %d leaves a descriptor", i) ||
		    !tap_check(children_find(NULL, 0) == 0, __FILE__, __LINE__,
			       "call %d leaves a process", i))
			return;
	}
	tap_note("%d of %d calls matter", failures, all);
	CHECK(failures > all / 2);
	CHECK(live(0) == SOTTO_OK);
}

int main(void)
{
	RUN(whatever_fails_there_is_a_status_and_nothing_is_left);
	return tap_done();
}
