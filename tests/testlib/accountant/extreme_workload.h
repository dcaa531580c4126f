/*
 * extreme_workload.h - workloads that the parser accepts, with parameters at the ends of their ranges
 */
#ifndef SOTTO_TESTS_EXTREME_WORKLOAD_H
#define SOTTO_TESTS_EXTREME_WORKLOAD_H

#include <stdint.h>

#include "sotto/account.h"

struct extreme_workload {
	uint64_t state; /* of the generator, for further choices */
	enum sotto_neighbours neighbours;
	char text[1 << 15]; /* events separated by ";" */
	size_t length;
};

/* The same seed makes the same workload. */
void extreme_workload(struct extreme_workload *w, uint64_t seed);

/* A positive number, from 1e-300 to 1e300, and a probability. */
void extreme_number(uint64_t *state, char out[32]);
void extreme_chance(uint64_t *state, char out[64]);

#endif
