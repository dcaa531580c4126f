/*
 * census_feasible.h - can the constraints hold at all, and which group totals leave them possible
 *
 * Group totals of a node that extend to its whole subtree form a generalized polymatroid:
 * they are described by the least p(A) and the greatest f(A) total of every set A of groups
 * (feasible.md).
 */
#ifndef SOTTO_CENSUS_FEASIBLE_H
#define SOTTO_CENSUS_FEASIBLE_H

#include "census/plan/census_shape.h"

/*
 * Narrows the bounds of every node to what is possible in and below it, and fills `sets`.
 *
 * Fails:    SOTTO_EINFEASIBLE, err names the node and the constraint; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_constrain(struct sotto_census_shape *s, const struct sotto_census_schema *schema,
		       struct sotto_error *err);

/* Shares the parent's groups out to its children; arrays are children x groups. */
struct sotto_census_sharing {
	size_t groups, children;
	const int64_t *const *sets; /* of each child, or NULL: its box */
	const int64_t *low, *high; /* or NULL */
	const int64_t *total_low, *total_high;
	const int64_t *parent; /* of each group */
	const double *want;
	int64_t *out;
};

/* Fails: SOTTO_EINFEASIBLE, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_share_groups(const struct sotto_census_sharing *s);

/* Group totals near `want` that add up to total and lie within the sets; false: none do. */
bool sotto_census_nearest_groups(const int64_t *sets, size_t groups, int64_t total,
				 const double *want, int64_t *out);

#endif
