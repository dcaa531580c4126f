/*
 * census_group_sets.h - the totals that sets of groups may have (feasible.md)
 *
 * For every set A of groups, a bit mask: its least total p[A] and its greatest f[A].
 */
#ifndef SOTTO_CENSUS_GROUP_SETS_H
#define SOTTO_CENSUS_GROUP_SETS_H

#include "census/plan/shape/census_shape.h"

static inline int64_t sotto_bound_add(int64_t a, int64_t b)
{
	int64_t sum;

	return !__builtin_add_overflow(a, b, &sum) && sum < sotto_census_unlimited
		       ? sum
		       : sotto_census_unlimited;
}

static inline int64_t sotto_bound_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t sotto_bound_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Returns a - b; an unlimited a stays unlimited. */
static inline int64_t sotto_bound_less(int64_t a, int64_t b)
{
	return a >= sotto_census_unlimited ? a : a - b;
}

/* Each group within its own bounds (NULL: none), nothing else. */
void sotto_group_sets_of_bounds(int64_t *p, int64_t *f, const int64_t *low, const int64_t *high,
				size_t groups);

/* Limits group g to [low, high]. */
void sotto_group_sets_hold_group(int64_t *p, int64_t *f, size_t groups, size_t g, int64_t low,
				 int64_t high);

/* Limits the total of all groups to [low, high]. */
void sotto_group_sets_hold_total(int64_t *p, int64_t *f, size_t groups, int64_t low,
				 int64_t high);

/* True if such groups exist. */
bool sotto_group_sets_are_possible(const int64_t *p, const int64_t *f, size_t groups);

#endif
