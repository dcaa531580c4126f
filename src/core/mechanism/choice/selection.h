/*
 * selection.h - what the ways of choosing compute from a struct sotto_selection
 */
#ifndef SOTTO_SELECTION_H
#define SOTTO_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/choose.h"
#include "sotto/noise.h"
#include "sotto/status.h"

/*
 * Computes the privacy parameter per grid step when `picks` outcomes are chosen: epsilon / (2 D
 * picks), or epsilon / (D picks) if the scores are monotone.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, D > 0 and picks > 0.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_selection_rate(const struct sotto_selection *s, size_t picks, struct sotto_rational *rate,
		     struct sotto_error *err);

/*
 * Returns the distance of a score from the best, which is the largest (or, if least, the
 * smallest).
 */
static inline uint64_t sotto_selection_distance(int64_t best, int64_t score, bool least)
{
	return least ? (uint64_t)score - (uint64_t)best : (uint64_t)best - (uint64_t)score;
}

/* Returns the best of n scores, n > 0.  Takes the same time for all scores. */
int64_t sotto_selection_best(const struct sotto_exact *scores, size_t n, bool least);

#endif
