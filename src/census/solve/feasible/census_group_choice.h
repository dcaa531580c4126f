/*
 * census_group_choice.h - whole group totals that leave all constraints possible (feasible.md)
 */
#ifndef SOTTO_CENSUS_GROUP_CHOICE_H
#define SOTTO_CENSUS_GROUP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

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
