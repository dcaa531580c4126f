/*
 * census_group_choice.h - chooses whole group totals that leave all constraints possible
 * (feasible.md)
 */
#ifndef SOTTO_CENSUS_GROUP_CHOICE_H
#define SOTTO_CENSUS_GROUP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* Divides the parent's groups among its children; arrays are children x groups. */
struct sotto_census_sharing {
	size_t groups, children;
	const int64_t *const *sets; /* of each child; NULL: its box */
	const int64_t *low, *high; /* or NULL */
	const int64_t *total_low, *total_high;
	const int64_t *parent; /* of each group */
	const double *want;
	int64_t *out;
};

/* Divides them.  Fails: SOTTO_EINFEASIBLE, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_share_groups(const struct sotto_census_sharing *s);

/*
 * Finds group totals near `want` that add up to total and lie within the sets; false if there are
 * none.
 */
bool sotto_census_nearest_groups(const int64_t *sets, size_t groups, int64_t total,
				 const double *want, int64_t *out);

#endif
