/*
 * sotto/cost.h - what one release spends, and a budget that releases cannot overspend
 */
#ifndef SOTTO_COST_H
#define SOTTO_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/status.h"

/*
 * ---- What one release spends
 *
 * A cost is a value with exact rational parameters.  It states two guarantees that
 * both hold, each except with probability delta: the privacy loss is at most
 * epsilon (not for Gaussian noise, where no such bound exists), and the release
 * is rho-zCDP.  A filter (below) uses whichever is better.
 *
 * Parameters that are rational stay exact, so that n equal shares of a budget
 * exhaust it exactly.  A rho that is not rational is rounded up to a multiple of
 * 2^-96, once, here.  Formulas and sources: src/core/account/cost/cost.md.
 */

struct sotto_cost {
	bool bounded; /* the loss has the bound epsilon; false for Gaussian noise */
	struct sotto_rational epsilon; /* 0 and without meaning unless bounded */
	struct sotto_rational delta;
	struct sotto_rational rho;
};

/* Makes a cost of zero.  Pair each _init with one _release. */
SOTTO_API void sotto_cost_init(struct sotto_cost *c);
SOTTO_API void sotto_cost_release(struct sotto_cost *c);
SOTTO_API void sotto_cost_set(struct sotto_cost *c, const struct sotto_cost *from);

/*
 * Any release with loss at most epsilon; rho = epsilon tanh(epsilon/2).
 * Fails: SOTTO_EINVAL if epsilon is negative.  A failing call leaves c untouched,
 * here and below.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_cost_set_pure(struct sotto_cost *c, const struct sotto_rational *epsilon);

/* The same, except with probability delta.  Fails: SOTTO_EINVAL unless 0 <= delta <= 1. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_cost_set_approx(struct sotto_cost *c, const struct sotto_rational *epsilon,
		      const struct sotto_rational *delta);

/* Any rho-zCDP release without a bound on the loss, except with probability delta. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_cost_set_zcdp(struct sotto_cost *c, const struct sotto_rational *rho,
		    const struct sotto_rational *delta);

/* Sequential composition: c becomes the cost of both. */
SOTTO_API void sotto_cost_add(struct sotto_cost *c, const struct sotto_cost *other);

/* The cost of n such releases. */
SOTTO_API void sotto_cost_repeat(struct sotto_cost *c, uint64_t n);

/*
 * ---- A budget that adaptively chosen releases cannot overspend
 *
 * A filter is created with a limit and then asked, release by release, whether
 * the next one fits.  Its guarantee holds even if every query and every privacy
 * parameter is chosen after seeing all earlier answers ("fully adaptive"), which a
 * ledger must assume.  Everything is exact rational arithmetic: n equal
 * shares of a budget fit exactly, and the n+1st does not.
 *
 * Order of use: ask, charge durably, then run the mechanism.  A refused release
 * costs nothing and the filter goes on; a started one stays charged.
 * Rule and proof: src/core/account/cost/filter.{c,md}.
 */

/*
 * The fields are for reading.  A release is admitted while
 *   spent.delta <= delta_mechanism, and
 *   spent.epsilon <= epsilon with every loss bounded (the basic branch), or
 *   spent.rho <= rho (the zCDP branch);
 * each with the new cost included.
 */
struct sotto_filter {
	struct sotto_rational epsilon; /* the budget */
	struct sotto_rational delta;
	struct sotto_rational delta_mechanism; /* part of delta that releases may spend */
	struct sotto_rational rho; /* limit of the zCDP branch */
	bool in_rho; /* the budget was given as rho: there is no basic branch */
	struct sotto_cost spent;
	uint64_t admitted; /* how many releases */
};

/*
 * A budget (epsilon, delta): all admitted releases together are (epsilon, delta)-DP.
 * Half of delta is kept for releases that themselves cost a delta; the other half pays
 * for the zCDP branch, whose limit is computed here once (rounded down to 2^-64).  With
 * delta 0 only bounded costs without a delta are admitted.
 *
 * Privacy:  fully adaptive, concurrent use included.
 * Fails:    SOTTO_EINVAL unless epsilon >= 0 and 0 <= delta < 1; nothing is
 *           initialised then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_filter_init(struct sotto_filter *f, const struct sotto_rational *epsilon,
		  const struct sotto_rational *delta, struct sotto_error *err);

/*
 * A budget of rho-zCDP, up to probability delta.
 * Fails:    SOTTO_EINVAL unless rho >= 0 and 0 <= delta < 1; nothing is initialised then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_filter_init_zcdp(struct sotto_filter *f, const struct sotto_rational *rho,
		       const struct sotto_rational *delta, struct sotto_error *err);

SOTTO_API void sotto_filter_release(struct sotto_filter *f);

/*
 * SOTTO_OK, or SOTTO_EBUDGET if the cost does not fit; err says which limit is
 * exceeded.  Changes nothing.
 * Fails also: SOTTO_EINVAL if a number in the cost is negative.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_filter_would_admit(const struct sotto_filter *f, const struct sotto_cost *cost,
			 struct sotto_error *err);

/*
 * The same, and on SOTTO_OK the cost is spent.  Replaying the same costs in any
 * order gives the same sums (as long as no denominator passes 4096 bits; from
 * there on the new cost is rounded up to a multiple of 2^-128 before it is added).
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_filter_admit(struct sotto_filter *f,
								const struct sotto_cost *cost,
								struct sotto_error *err);

/* What is left of a filter's budget. */
struct sotto_filter_left {
	struct sotto_rational epsilon; /* largest single pure cost that would still fit */
	struct sotto_rational rho; /* left in the zCDP branch */
	struct sotto_rational delta; /* left for releases that cost delta */
	bool basic; /* the basic branch is still open */
};

SOTTO_API void sotto_filter_left_init(struct sotto_filter_left *left);
SOTTO_API void sotto_filter_left_release(struct sotto_filter_left *left);

/* epsilon is exact where the basic branch gives it, else rounded down to 2^-64. */
SOTTO_API void sotto_filter_left(const struct sotto_filter *f, struct sotto_filter_left *left);

/*
 * ---- A budget for mechanisms that only have a Renyi curve
 *
 * The filter has a list of orders.  Each of the n orders gets delta/n, and releases may go on
 * while at least one order has room.  Costs are doubles that the caller has rounded up.
 */
struct sotto_renyi_filter;

/*
 * Privacy:  all admitted releases together are (epsilon, delta)-DP; fully adaptive.
 * Fails:    SOTTO_EINVAL unless every order is above 1, 0 < n <= 4096, epsilon > 0 and
 *           0 < delta < 1; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_filter_new(const double *orders, size_t n, const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta, struct sotto_renyi_filter **out);
SOTTO_API void sotto_renyi_filter_free(struct sotto_renyi_filter *f);

/*
 * divergence[j] >= 0 is the release's Renyi divergence at orders[j]; INFINITY if it is not
 * known.  On SOTTO_OK it is spent; on SOTTO_EBUDGET nothing changes.
 * Fails also: SOTTO_EINVAL for a NaN or a negative divergence.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_filter_admit(struct sotto_renyi_filter *f, const double *divergence);

/*
 * ---- What has been spent so far, without a limit
 *
 * A filter guards a limit that is fixed in advance.  An odometer has no limit; it reports an
 * epsilon that is valid whenever you stop, however the releases and their parameters were
 * chosen.  (Converting the running sum of rho at a time that depends on answers gives no
 * guarantee, so there is no function for it.)  Proofs: src/core/account/cost/filter.md.
 */

/* How many levels of rho the ladder has: m 2^e for m = 4..7, from 2^-12 to 14. */
enum { SOTTO_ODOMETER_LEVELS = 64 };

struct sotto_odometer {
	struct sotto_rational delta; /* for the ladder; delta of the releases comes on top */
	struct sotto_cost spent;
};

/* Fails: SOTTO_EINVAL unless 0 < delta < 1; nothing is initialised then. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_odometer_init(struct sotto_odometer *o, const struct sotto_rational *delta);
SOTTO_API void sotto_odometer_release(struct sotto_odometer *o);

/*
 * Exact, as long as no denominator passes 4096 bits; from there on the new cost is rounded up
 * to a multiple of 2^-128.  Fails: SOTTO_EINVAL if the cost has a negative number in it.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_odometer_add(struct sotto_odometer *o, const struct sotto_cost *cost);

/*
 * Privacy:  everything so far is (epsilon, o->delta + spent.delta)-DP; fully adaptive, at any
 *           stopping time.  INFINITY beyond the last level if the losses have no bound.
 *           Rounded up.
 */
SOTTO_API double sotto_odometer_epsilon_up(const struct sotto_odometer *o);

/*
 * The mixture odometer for pure costs: with probability 1 - delta the loss stays below
 * *epsilon at all times at once.  V is the sum of epsilon^2 so far; gamma is a guess, fixed in
 * advance, of the V at which you will stop.  Rounded up.
 *
 * Fails: SOTTO_EINVAL unless V >= 0, gamma > 0 and 0 < delta < 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_odometer_mixture_up(const struct sotto_rational *V, const struct sotto_rational *gamma,
			  const struct sotto_rational *delta, double *epsilon);

#endif
