/*
 * odometer.h - reports what has been spent so far, valid at any time
 *
 * A filter guards a limit fixed in advance; an odometer has no limit and reports an epsilon that
 * is valid at any stopping time, however the releases and their parameters were chosen.
 * (Converting the running sum of rho at a time that depends on answers gives no guarantee; the
 * library offers no function for it.)  Both devices and their proofs:
 * src/core/account/cost/filter.md.
 */
#ifndef SOTTO_ODOMETER_H
#define SOTTO_ODOMETER_H

#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/status.h"

enum { SOTTO_ODOMETER_LEVELS = 64 };

/*
 * The ladder has levels of rho m 2^e for m = 4..7, from 2^-12 to 14; each is paid with a 64th of
 * delta.
 */
struct sotto_odometer {
	struct sotto_rational delta; /* for the ladder; delta of the releases comes on top */
	struct sotto_cost spent;
};

/*
 * Initializes the odometer.  Fails: SOTTO_EINVAL unless 0 < delta < 1; nothing is then
 * initialized.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_odometer_init(struct sotto_odometer *o, const struct sotto_rational *delta);
void sotto_odometer_release(struct sotto_odometer *o);

/*
 * Adds a cost.  Exact while no denominator exceeds 4096 bits; after that the new cost is rounded
 * up to a multiple of 2^-128.  Fails: SOTTO_EINVAL if a number of the cost is negative.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_odometer_add(struct sotto_odometer *o, const struct sotto_cost *cost);

/*
 * Privacy:  everything so far is (epsilon, o->delta + spent.delta)-DP; fully
 *           adaptive, at any stopping time.  INFINITY beyond the last level if the
 *           losses have no bound.  Rounded up.
 */
double sotto_odometer_epsilon_up(const struct sotto_odometer *o);

/*
 * Computes the mixture odometer for pure costs: with probability 1 - delta the loss stays below
 * this at all times at once, where V is the sum of epsilon^2 so far and gamma is a guess, fixed
 * in advance, of the V at which one will stop.  Rounded up.
 *
 * Fails:    SOTTO_EINVAL unless V >= 0, gamma > 0 and 0 < delta < 1.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_odometer_mixture_up(const struct sotto_rational *V, const struct sotto_rational *gamma,
			  const struct sotto_rational *delta, double *epsilon);

/*
 * Computes the direct filter bound sqrt(2 V log(1/delta)) + V/2: what a filter with the limit V
 * on the sum of epsilon^2 guarantees.  Never better than the zCDP filter.
 * Fails:    as above.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_filter_direct_up(const struct sotto_rational *V,
							  const struct sotto_rational *delta,
							  double *epsilon);

#endif
