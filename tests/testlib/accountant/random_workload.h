/*
 * random_workload.h - workloads that the oracle can do, with their text
 */
#ifndef SOTTO_TESTS_RANDOM_WORKLOAD_H
#define SOTTO_TESTS_RANDOM_WORKLOAD_H

#include <stdint.h>

#include "testlib/accountant/oracle.h"

enum { WORKLOAD_EVENTS = 4 };

struct random_workload {
	uint64_t state; /* of the generator */
	struct oracle_event events[WORKLOAD_EVENTS], cells[WORKLOAD_EVENTS];
	size_t n;
	char numbers[64][24]; /* what the events point to */
	size_t used;
	char text[1024]; /* for workload_of */
};

/* The same seed makes the same workload. */
void random_workload(struct random_workload *w, uint64_t seed);

/* Numbers for other random choices of a test. */
unsigned random_below(uint64_t *state, unsigned n);

#endif
