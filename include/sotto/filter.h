/*
 * sotto/filter.h - a budget that adaptively chosen releases cannot overspend
 *
 * A filter is created with a limit and then asked, release by release, whether
 * the next one fits.  Its guarantee holds for whoever picks every query and every
 * privacy parameter after seeing all earlier answers ("fully adaptive"), which is
 * what a ledger must assume.  Everything is exact rational arithmetic: n equal
 * shares of a budget fit exactly, and the n+1st does not.
 *
 * Order of use: ask, charge durably, then run the mechanism.  A refused release
 * costs nothing and the filter goes on; a started one stays charged.
 * Rule and proof: src/core/account/cost/filter.{c,md}.
 */
#ifndef SOTTO_FILTER_H
#define SOTTO_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/status.h"

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
 * Half of delta is kept for releases that cost some, the other half pays for the
 * zCDP branch, whose limit is fixed here once (rounded down to 2^-64).  With
 * delta 0 only bounded costs without delta are admitted.
 *
 * Privacy:  fully adaptive, concurrent use included.
 * Fails:    SOTTO_EINVAL unless epsilon >= 0 and 0 <= delta < 1; nothing is
 *           initialised then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_filter_init(struct sotto_filter *f, const struct sotto_rational *epsilon,
		  const struct sotto_rational *delta, struct sotto_error *err);

/* The same with the caller's own share of delta for the releases, 0 to delta. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_filter_init_split(struct sotto_filter *f, const struct sotto_rational *epsilon,
			const struct sotto_rational *delta,
			const struct sotto_rational *delta_mechanism, struct sotto_error *err);

/* A budget of rho-zCDP, up to probability delta. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_filter_init_zcdp(struct sotto_filter *f, const struct sotto_rational *rho,
		       const struct sotto_rational *delta, struct sotto_error *err);

SOTTO_API void sotto_filter_release(struct sotto_filter *f);

/* Forgets what was spent; the limits stay.  For a budget that is renewed. */
SOTTO_API void sotto_filter_reset(struct sotto_filter *f);

/*
 * SOTTO_OK, or SOTTO_EBUDGET with err saying which limit binds.  Changes nothing.
 * Fails also: SOTTO_EINVAL if the cost has a negative number in it.
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

/* What a filter still has.  Borrowed values live until the filter changes. */
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
 * A filter over a list of Renyi orders for mechanisms that only have a Renyi
 * curve.  Order j gets delta/m; the interaction may go on while at least one
 * order has room.  Costs are doubles rounded up by the caller.
 */
struct sotto_renyi_filter;

/*
 * Fails: SOTTO_EINVAL unless every order is above 1, 0 < n <= 4096, epsilon > 0
 * and 0 < delta < 1; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_filter_new(const double *orders, size_t n, const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta, struct sotto_renyi_filter **out);
SOTTO_API void sotto_renyi_filter_free(struct sotto_renyi_filter *f);

/*
 * divergence[j] >= 0 is the release's Renyi divergence at orders[j] (INFINITY
 * where unknown).  SOTTO_OK and charged, or SOTTO_EBUDGET and unchanged.
 * Fails also: SOTTO_EINVAL for a NaN or a negative divergence.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_filter_admit(struct sotto_renyi_filter *f, const double *divergence);

#endif
