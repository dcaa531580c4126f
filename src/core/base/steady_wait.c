/* Condition variables on the monotonic clock. */
#include "core/base/steady_wait.h"

#include <time.h>

#include "core/base/steady.h"

void sotto_steady_condition(pthread_cond_t *c)
{
	pthread_condattr_t attributes;

	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(c, &attributes);
	(void)pthread_condattr_destroy(&attributes);
}

void sotto_steady_wait(pthread_cond_t *c, pthread_mutex_t *lock, uint64_t nanoseconds)
{
	uint64_t end = sotto_steady_now() + nanoseconds;
	const struct timespec until = {.tv_sec = (time_t)(end / SOTTO_STEADY_SECOND),
				       .tv_nsec = (long)(end % SOTTO_STEADY_SECOND)};

	(void)pthread_cond_timedwait(c, lock, &until);
}
