/*
 * steady.h - reads the monotonic clock, for measuring and waiting
 */
#ifndef SOTTO_STEADY_H
#define SOTTO_STEADY_H

#include <stdint.h>

#define SOTTO_STEADY_SECOND ((uint64_t)1000000000)

/* Returns nanoseconds since a fixed but unspecified moment. */
uint64_t sotto_steady_now(void);

/* Returns the processor time of this thread in nanoseconds. */
uint64_t sotto_steady_worked(void);

#endif
