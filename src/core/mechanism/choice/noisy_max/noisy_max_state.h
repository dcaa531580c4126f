/*
 * noisy_max_state.h - the part of noisy max that looks at scores and noise
 *
 * It is separate from the drawing, so that the tests can give it every possible noise.
 */
#ifndef SOTTO_NOISY_MAX_STATE_H
#define SOTTO_NOISY_MAX_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/wide.h"
#include "sotto/noise.h"

/* The leader so far and the value that it has to beat. */
struct sotto_noisy_leader {
	sotto_i128 value;
	sotto_i128 rival; /* max over the others of value + [comes before the leader] */
	size_t index;
};

/* A place in the list of the best so far. */
struct sotto_noisy_place {
	sotto_i128 value;
	size_t index;
};

/* A value below every score plus noise. */
#define SOTTO_NOISY_NOBODY (-((sotto_i128)1 << 120))

/* The next n scores, the first of which has index `first`, with their noise. */
struct sotto_noisy_run {
	const struct sotto_exact *scores;
	const int64_t *noise;
	size_t n;
	size_t first;
	unsigned bits;
	bool least;
};

#endif
