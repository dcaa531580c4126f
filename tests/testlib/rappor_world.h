/*
 * rappor_world.h - made-up people behind RAPPOR counts
 */
#ifndef SOTTO_TESTS_RAPPOR_WORLD_H
#define SOTTO_TESTS_RAPPOR_WORLD_H

#include "local/plan/dice.h"
#include "sotto/rappor.h"

/* The caller sets the first line; cohorts, bits <= 128, values <= 300. */
struct rappor_world {
	uint32_t cohorts, bits, hashes;
	size_t values;
	double f, p, q;
	uint64_t reports[128], ones[128 * 128];
	double truth[300]; /* users of each value */
	struct sotto_local_cohorts data;
	struct sotto_local_map map; /* the test releases it */
};

/* The parameters that most tests take. */
#define RAPPOR_WORLD(m, v)                                                                     \
	{                                                                                      \
		.cohorts = (m), .bits = 16, .hashes = 2, .values = (v), .f = .5, .p = .25,     \
		.q = .75                                                                       \
	}

/* A map of random cells, and p* and q*. */
void rappor_world_make(struct rappor_world *w, struct sotto_dice *dice);

/* n users with values of these shares, and the counts of their reports. */
void rappor_world_draw(struct rappor_world *w, struct sotto_dice *dice, uint64_t n,
		       const double *share);

/* share[i] proportional to 1/(i + 1), i < n */
void rappor_zipf(double *share, size_t n);

#endif
