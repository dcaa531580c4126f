/*
 * steady.h - the monotonic clock, for measuring and waiting
 */
#ifndef SOTTO_STEADY_H
#define SOTTO_STEADY_H

#include <stdint.h>

#define SOTTO_STEADY_SECOND ((uint64_t)1000000000)

/* Nanoseconds since some moment. */
uint64_t sotto_steady_now(void);

/* Nanoseconds that this thread has worked: it stands still while others have the processor. */
uint64_t sotto_steady_worked(void);

#endif
