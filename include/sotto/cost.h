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

#endif
