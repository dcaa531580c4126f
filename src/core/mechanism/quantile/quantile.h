/*
 * quantile.h - publishes quantiles of values on a public grid
 *
 * One rank at a time by the exponential mechanism, or any number of them from one tree of noisy
 * counts.  Laws, sensitivities and proofs: src/core/mechanism/quantile/quantile.md.
 */
#ifndef SOTTO_QUANTILE_H
#define SOTTO_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/noise.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

enum { SOTTO_RANK_WHOLE_MAX = 1000000 };

/* Values and how often each occurs: N in total, at most 2^40. */
struct sotto_histogram {
	const struct sotto_exact *values; /* increasing, each within lo .. hi */
	const struct sotto_exact *counts; /* each above 0 */
	size_t n;
	int64_t lo, hi; /* the grid, public; at most 2^40 values */
};

/* Which value is wanted: the one with `part` of every `whole` values below it. */
struct sotto_rank {
	uint32_t part, whole;
	int side; /* of two neighbours that are both right: -1 lower, 1 higher, 0 any between */
	int64_t margin; /* half values: the least distance from both ends, if there are enough */
	int64_t offset; /* half values: how far above (or below) the rank */
};

struct sotto_quantile; /* immutable; threads may share it */

/*
 * Prepares one choice, for neighbours that differ in at most `rows` values.  The
 * caller frees *out.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, rows > 0, 0 < whole <= SOTTO_RANK_WHOLE_MAX,
 *           part <= whole; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_quantile_new(const struct sotto_rank *r, int64_t rows,
						      const struct sotto_rational *epsilon,
						      struct sotto_quantile **out);
void sotto_quantile_free(struct sotto_quantile *m);

/*
 * Chooses a value of the grid.
 *
 * Law:      P[v] proportional to exp(-epsilon d(v) / (2 D)), d(v) the number of values
 *           (in units of 1 / (2 whole)) that would have to change sides for v to have the
 *           rank, D = sotto_rank_sensitivity.  The lowest value of the grid is never too
 *           high and the highest never too low.
 * Privacy:  epsilon-DP, and epsilon-bounded range.
 * Time:     depends on h->n and the size of the grid only, but as sotto_exponential_select.
 * Fails:    SOTTO_EINVAL if the histogram is not as above; SOTTO_ERANGE beyond 2^40
 *           values; SOTTO_ENOMEM; SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_quantile_publish(const struct sotto_quantile *m, struct sotto_rng *rng,
		       const struct sotto_histogram *h, struct sotto_noisy *out);

/*
 * Returns a number of half values: with probability at least 1 - beta at most this many lie
 * between the rank and the value that was chosen among `outcomes`.
 */
int64_t sotto_quantile_error_up(const struct sotto_rank *r, int64_t rows, double epsilon,
				double outcomes, double beta);

/*
 * Chooses a value of the grid by how often it occurs.  m is made for monotone scores whose
 * sensitivity is the number of values in which neighbours differ.
 *
 * Law, Privacy, Time, Fails: as sotto_exponential_select with the counts as scores.
 */
struct sotto_exponential;

/* ---- several ranks ------------------------------------------------------------------- */

/*
 * Counts of the grid's 2^(bits level) parts, for levels 0 to height.  A value is counted once in
 * each level: neighbours that differ in r values change the levels by (height + 1) r in total,
 * and the sum of squares by at most (height + 1) r^2.
 */
struct sotto_rank_tree {
	unsigned bits, height;
};

struct sotto_laplace;
struct sotto_gaussian;

/* The noise of every count: exactly one of the two is set. */
struct sotto_rank_noise {
	const struct sotto_laplace *laplace;
	const struct sotto_gaussian *gaussian;
};

#endif
