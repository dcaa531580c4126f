/*
 * Blocks the signals that end a service, so that it can wait for them at a place of its choice,
 * raises the limit of open files, and keeps freed memory for the next request.
 */
#include "frame/service.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static sigset_t ends(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	return set;
}

void service_open_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
}

/*
 * Bodies of requests come and go.  Given back to the system each time, their pages would have to
 * be cleared for the next one, which took a sixth of the time of an intake.
 */
static void keep_memory(void)
{
	enum { BODY_MAX = 32 << 20, KEPT = 16 << 20 }; /* more than 32 MiB is refused */

	(void)mallopt(M_MMAP_THRESHOLD, BODY_MAX);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT);
}

void service_prepare(void)
{
	sigset_t set = ends();

	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	service_open_files();
	keep_memory();
}

bool service_ended(long milliseconds)
{
	const struct timespec wait = {milliseconds / 1000, milliseconds % 1000 * 1000000};
	sigset_t set = ends();

	return sigtimedwait(&set, NULL, &wait) > 0;
}
