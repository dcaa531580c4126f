/*
 * runs.h - outcomes on a grid, of which neighbouring ones with one score are one run
 *
 * Work then grows with the different values in the data, not with the grid.
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

/* Room for `capacity` runs.  Pair with _release, also after a failure.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_runs_init(struct sotto_runs *r, size_t capacity);

/* Wipes. */
void sotto_runs_release(struct sotto_runs *r);

/*
 * Adds so many outcomes from `first` on, with one score.  A run of none is kept: how many
 * runs there are must not tell which values of the data are neighbours.
 */
void sotto_runs_add(struct sotto_runs *r, int64_t first, uint64_t copies, int64_t score);

/*
 * Law:   each outcome as sotto_exponential_select has it; one run at least has some.
 * Time:  depends on the number of runs and of outcomes only, but as _select has it.
 * Fails: as sotto_exponential_select does.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_runs_choose(const struct sotto_runs *r, const struct sotto_exponential *m,
		  struct sotto_rng *rng, struct sotto_noisy *out);

#endif
