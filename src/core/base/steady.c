#include "core/base/steady.h"

#include <time.h>

uint64_t sotto_steady_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SOTTO_STEADY_SECOND + (uint64_t)t.tv_nsec;
}
