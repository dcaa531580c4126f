/*
 * session_clock.h - the clock of a session
 *
 * A session reads the system's clock; a test brings its own and does not wait.
 */
#ifndef SOTTO_SESSION_CLOCK_H
#define SOTTO_SESSION_CLOCK_H

#include <stdint.h>

/* Returns nanoseconds since a fixed moment. */
struct sotto_clock {
	uint64_t (*now)(void *context);
	void (*sleep_until)(void *context, uint64_t moment);
	void *context;
};

/* The monotonic clock of the system. */
extern const struct sotto_clock sotto_clock_system;

#endif
