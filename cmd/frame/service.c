/* Signals and limits of a command that serves many, or runs until a signal ends it. */
#include "frame/service.h"

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

void service_prepare(void)
{
	sigset_t set = ends();

	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	service_open_files();
}

bool service_ended(long milliseconds)
{
	const struct timespec wait = {milliseconds / 1000, milliseconds % 1000 * 1000000};
	sigset_t set = ends();

	return sigtimedwait(&set, NULL, &wait) > 0;
}
