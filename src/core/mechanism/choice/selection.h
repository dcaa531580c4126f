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
 * The privacy parameter per grid step when the choice is made of `picks` outcomes:
 * epsilon / (2 D picks), or epsilon / (D picks) if the scores are monotone.
 *
 * Fails: SOTTO_EINVAL unless epsilon > 0, D > 0 and picks > 0.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_selection_rate(const struct sotto_selection *s, size_t picks, struct sotto_rational *rate,
		     struct sotto_error *err);

/* How far score is from best, which is the largest (or, if least, smallest) one. */
static inline uint64_t sotto_selection_distance(int64_t best, int64_t score, bool least)
{
	return least ? (uint64_t)score - (uint64_t)best : (uint64_t)best - (uint64_t)score;
}

/* The best of n scores, n > 0; the same time whatever they are. */
int64_t sotto_selection_best(const struct sotto_exact *scores, size_t n, bool least);

#endif
