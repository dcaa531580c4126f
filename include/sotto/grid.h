/*
 * sotto/grid.h - real values on a grid of equal steps
 *
 * Noise is drawn and added in whole numbers of steps; a value that is not a
 * multiple of the step is rounded to the nearest one first, and the sensitivity
 * grows by what that rounding can do.  Argument: src/core/number/grid.md.
 */
#ifndef SOTTO_GRID_H
#define SOTTO_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_grid {
	struct sotto_rational step;
};

/* The integers: step 1.  Pair each _init with one _release. */
SOTTO_API void sotto_grid_init(struct sotto_grid *g);
SOTTO_API void sotto_grid_release(struct sotto_grid *g);

/* Copies step.  Fails: SOTTO_EINVAL unless step > 0. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_set_step(struct sotto_grid *g, const struct sotto_rational *step);

/* True if x is a multiple of the step. */
SOTTO_API bool sotto_grid_holds(const struct sotto_grid *g, const struct sotto_rational *x);

/*
 * The multiple of the step that is nearest to x, in steps; of two, the upper one.
 *
 * Fails: SOTTO_EOVERFLOW if it does not fit; an exact value is never cut short.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_round(const struct sotto_grid *g, const struct sotto_rational *x, int64_t *steps);

/* steps times the step, exactly. */
SOTTO_API void
sotto_grid_value(const struct sotto_grid *g, int64_t steps, struct sotto_rational *out);

/*
 * By how many steps sotto_grid_round of `dimension` values can move in all, if one
 * unit moves the values themselves by at most `sensitivity` in all: floor(S/g) + k
 * in the sum of absolute differences (L1), the least whole number from
 * S/g + sqrt(k) on in the Euclidean norm (L2; for k = 1 the same as L1).
 *
 * Privacy:  holds for any rounding to the nearest, whichever way halves go.
 * Fails:    SOTTO_EINVAL unless sensitivity > 0 and dimension > 0; SOTTO_EOVERFLOW.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_sensitivity_l1_up(const struct sotto_grid *g,
			     const struct sotto_rational *sensitivity, size_t dimension,
			     int64_t *steps);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_grid_sensitivity_l2_up(const struct sotto_grid *g,
			     const struct sotto_rational *sensitivity, size_t dimension,
			     int64_t *steps);

#endif
