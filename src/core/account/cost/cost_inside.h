/*
 * cost_inside.h - costs of laws that the library's own mechanisms and plans state
 */
#ifndef SOTTO_COST_INSIDE_H
#define SOTTO_COST_INSIDE_H

#include "sotto/cost.h"

/*
 * Sets the cost of discrete Laplace noise with parameter step (epsilon per grid step) on an
 * answer that neighbours change by at most sensitivity grid steps in total (the L1 norm of a
 * vector).  The loss bound is exactly step * sensitivity; rho is the tight one, about half of
 * that of sotto_cost_set_pure.
 *
 * Fails:    SOTTO_EINVAL if step or sensitivity is negative.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_cost_set_geometric(struct sotto_cost *c,
							    const struct sotto_rational *step,
							    int64_t sensitivity);

/*
 * Sets the cost of discrete Gaussian noise with parameter sigma2 on an answer whose squared L2
 * sensitivity, in the same units, is at most sensitivity2: rho = sensitivity2 / (2 sigma2),
 * exactly.
 *
 * Fails:    SOTTO_EINVAL unless sigma2 > 0 and sensitivity2 >= 0.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_cost_set_discrete_gaussian(struct sotto_cost *c, const struct sotto_rational *sigma2,
				 const struct sotto_rational *sensitivity2);

/*
 * Sets the cost of the exponential mechanism or of noisy max with Gumbel noise: epsilon-bounded
 * range.  (Permute-and-flip and noisy max with geometric noise are not bounded range: use
 * sotto_cost_set_pure.)
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_cost_set_bounded_range(struct sotto_cost *c, const struct sotto_rational *epsilon);

#endif
