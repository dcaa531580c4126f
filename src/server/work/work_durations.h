/*
 * work_durations.h - how long replies took, as a histogram for the owner's metrics
 *
 * Privacy:  only times that a client can measure too are added: from the complete request to its
 *           reply, including the padding of questions.
 */
#ifndef SOTTO_WORK_DURATIONS_H
#define SOTTO_WORK_DURATIONS_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/base/buffer.h"

enum { SOTTO_DURATION_STEPS = 10 };

struct sotto_durations {
	atomic_uint_fast64_t count[SOTTO_DURATION_STEPS +
				   1]; /* one for each step, and one beyond the last */
	atomic_uint_fast64_t sum; /* nanoseconds */
};

void sotto_durations_add(struct sotto_durations *d, uint64_t nanoseconds);

/* Writes Prometheus's text format, with the protocol as a label. */
SOTTO_MUST_CHECK enum sotto_status
sotto_durations_write(struct sotto_durations *d, const char *door, struct sotto_buffer *out);

#endif
