/*
 * spend.h - a running sum of costs whose numbers stay short
 *
 * For filters and odometers, which add up a history.
 */
#ifndef SOTTO_SPEND_H
#define SOTTO_SPEND_H

#include "sotto/cost.h"
#include "sotto/status.h"

/*
 * Checks a cost.  Fails: SOTTO_EINVAL if epsilon, delta or rho is negative: nothing gives budget
 * back.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_spend_check(const struct sotto_cost *cost, struct sotto_error *err);

/*
 * Adds the cost.  Exact until a denominator would exceed 4096 bits; after that the new cost,
 * never the sum, is rounded up to a multiple of 2^-128 before it is added.
 */
void sotto_spend_add(struct sotto_cost *sum, const struct sotto_cost *cost);

#endif
