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

#include "sotto/rational.h"

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

#endif
