/* Two clocks in nanoseconds: time that passes, and processor time of this thread. */
#include "core/base/steady.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SOTTO_STEADY_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t sotto_steady_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t sotto_steady_worked(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
