/*
 * runs.h - outcomes on a grid, where neighbouring outcomes with one score form one run
 *
 * The work then grows with the number of different values in the data, not with the grid.
 */
#ifndef SOTTO_RUNS_H
#define SOTTO_RUNS_H

#include "sotto/choose.h"
#include "sotto/noise.h"
#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_runs {
	int64_t *first;
	uint64_t *copies;
	struct sotto_exact *scores;
	size_t n, capacity;
};

/*
 * Makes room for `capacity` runs.  Pair with _release, also after a failure.  Fails:
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_runs_init(struct sotto_runs *r, size_t capacity);

/* Wipes and frees the runs. */
void sotto_runs_release(struct sotto_runs *r);

/*
 * Adds `copies` outcomes with one score, starting at `first`.  A run of 0 outcomes is kept: the
 * number of runs must not reveal which values of the data are neighbours.
 */
void sotto_runs_add(struct sotto_runs *r, int64_t first, uint64_t copies, int64_t score);

/*
 * Law:      that of sotto_exponential_select for each outcome; at least one run is not empty.
 * Time:     depends only on the numbers of runs and outcomes, except as in _select.
 * Fails:    as sotto_exponential_select.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_runs_choose(const struct sotto_runs *r, const struct sotto_exponential *m,
		  struct sotto_rng *rng, struct sotto_noisy *out);

#endif
