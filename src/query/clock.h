/*
 * clock.h - time as an argument
 *
 * A session reads the system's clock; a test brings its own and waits for nobody.
 */
#ifndef SOTTO_QUERY_CLOCK_H
#define SOTTO_QUERY_CLOCK_H

#include <stdint.h>

/* Nanoseconds since a moment that does not change. */
struct sotto_clock {
	uint64_t (*now)(void *context);
	void (*sleep_until)(void *context, uint64_t moment);
	void *context;
};

/* The monotonic clock of the system. */
extern const struct sotto_clock sotto_clock_system;

#endif
