/*
 * spend.h - a running sum of costs whose numbers stay short
 *
 * For what adds up a history: filters and odometers.
 */
#ifndef SOTTO_SPEND_H
#define SOTTO_SPEND_H

#include "sotto/cost.h"
#include "sotto/status.h"

/* Fails: SOTTO_EINVAL if epsilon, delta or rho is negative: nothing gives budget back. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spend_check(const struct sotto_cost *cost, struct sotto_error *err);

/*
 * Adds the cost.  Exact until a denominator would pass 4096 bits; from there on the new cost is
 * rounded up to a multiple of 2^-128 before it is added, never the sum.
 */
void sotto_spend_add(struct sotto_cost *sum, const struct sotto_cost *cost);

#endif
