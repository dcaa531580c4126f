/*
 * The system's monotonic clock; sleeping goes to an absolute moment and is resumed after a
 * signal.
 */
#include "central/session/session_clock.h"

#include <errno.h>
#include <time.h>

enum { SECOND = 1000000000 };

static uint64_t now(void *context)
{
	struct timespec t = {0};

	(void)context;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void sleep_until(void *context, uint64_t moment)
{
	const struct timespec end = {.tv_sec = (time_t)(moment / SECOND),
				     .tv_nsec = (long)(moment % SECOND)};

	(void)context;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		continue;
}

const struct sotto_clock sotto_clock_system = {.now = now, .sleep_until = sleep_until};
