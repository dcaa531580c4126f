/*
 * plan_price.h - which noise a plan gets, and what that costs
 */
#ifndef SOTTO_PLAN_PRICE_H
#define SOTTO_PLAN_PRICE_H

#include "central/plan/plan.h"

/*
 * Chooses noise for (epsilon, delta) and fixes the cost; may be called again
 * with other parameters.  delta_is_wish tells whether the analyst named delta:
 * only then may all of it go into Gaussian noise; without it, delta is used for
 * private keys alone.
 *
 * Fails:    SOTTO_EREFUSED if private keys would need a delta and there is none;
 *           SOTTO_ERANGE if the noise would be outside what can be drawn.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_price(struct sotto_plan *plan, const struct sotto_rational *epsilon,
		 const struct sotto_rational *delta, bool delta_is_wish,
		 struct sotto_error *err);

/*
 * The largest predicted 95 % error of the counts and sums among the outputs, as
 * a value; NaN if there is none (averages depend on how many there are).
 */
double sotto_plan_error(const struct sotto_plan *plan);

/* The mechanisms of a priced plan, in words. */
const char *sotto_plan_mechanism(const struct sotto_plan *plan);

#endif
