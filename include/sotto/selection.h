/*
 * sotto/selection.h - choosing one of a public list of outcomes by private scores
 *
 * What the three ways of choosing share: sotto/noisy_max.h (fastest, top k, gap),
 * sotto/exponential.h (bounded range: cheapest under composition) and
 * sotto/permute_and_flip.h (smallest expected loss).  Scores are whole numbers on a
 * grid; the list of outcomes and its order must not depend on the data.
 */
#ifndef SOTTO_SELECTION_H
#define SOTTO_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/api.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_selection {
	const struct sotto_rational *epsilon;
	/* by how much one privacy unit moves any one score, in grid steps */
	const struct sotto_rational *sensitivity;
	/*
	 * Going from one dataset to a neighbour moves all scores up, or all down (some
	 * may stay): counts under add/remove are so.  Halves the noise.
	 */
	bool monotone;
	bool least; /* look for the smallest score, not the largest */
};

/*
 * How wrong, for all three: when `picks` of n outcomes are chosen (1 but for the top k of
 * noisy max), with probability at least 1 - beta no chosen score is further than *error
 * from the one that belongs in its place: (2 D picks / epsilon) ln(n / beta), without the 2
 * if monotone, in grid steps.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, sensitivity > 0, n >= picks >= 1 and
 *           0 < beta < 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_selection_error(const struct sotto_selection *s, size_t n, size_t picks, double beta,
		      double *error);

/*
 * The other way: the least epsilon, rounded up to a multiple of 2^-32, at which *error is
 * at most `error`.  s->epsilon is not looked at.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_selection_epsilon_up(const struct sotto_selection *s, size_t n, size_t picks, double beta,
			   const struct sotto_rational *error, struct sotto_rational *epsilon);

#endif
