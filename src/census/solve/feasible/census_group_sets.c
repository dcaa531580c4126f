/*
 * Intersects both set functions with a box or with a total by closed formulas over all subsets.
 */
#include "census/solve/feasible/census_group_sets.h"

#include <string.h>

void sotto_group_sets_of_bounds(int64_t *p, int64_t *f, const int64_t *low, const int64_t *high,
				size_t groups)
{
	p[0] = f[0] = 0;
	for (size_t a = 1; a < (size_t)1 << groups; a++) {
		size_t g = (size_t)__builtin_ctzll(a), rest = a & (a - 1);

		p[a] = sotto_bound_add(p[rest], low ? low[g] : 0);
		f[a] = sotto_bound_add(f[rest], high ? high[g] : sotto_census_unlimited);
	}
}

void sotto_group_sets_hold_group(int64_t *p, int64_t *f, size_t groups, size_t g, int64_t low,
				 int64_t high)
{
	size_t bit = (size_t)1 << g;

	for (size_t a = 0; a < (size_t)1 << groups; a++) {
		size_t with = a | bit;
		int64_t p0, p1, f0, f1;

		if (a & bit)
			continue;
		p0 = sotto_bound_max(p[a],
				     high < sotto_census_unlimited ? p[with] - high : p[a]);
		p1 = sotto_bound_max(p[with], p[a] + low);
		f0 = sotto_bound_min(f[a], sotto_bound_less(f[with], low));
		f1 = sotto_bound_min(f[with], sotto_bound_add(f[a], high));
		p[a] = p0;
		p[with] = p1;
		f[a] = f0;
		f[with] = f1;
	}
}

void sotto_group_sets_hold_total(int64_t *p, int64_t *f, size_t groups, int64_t low,
				 int64_t high)
{
	size_t all = ((size_t)1 << groups) - 1;
	int64_t before_p[1 << SOTTO_CENSUS_GROUPS_MAX], before_f[1 << SOTTO_CENSUS_GROUPS_MAX];

	memcpy(before_p, p, (all + 1) * sizeof *p);
	memcpy(before_f, f, (all + 1) * sizeof *f);
	for (size_t a = 0; a <= all; a++) {
		if (before_f[all & ~a] < sotto_census_unlimited)
			p[a] = sotto_bound_max(p[a], low - before_f[all & ~a]);
		f[a] = sotto_bound_min(f[a], sotto_bound_less(high, before_p[all & ~a]));
	}
	p[0] = f[0] = 0;
}

bool sotto_group_sets_are_possible(const int64_t *p, const int64_t *f, size_t groups)
{
	for (size_t a = 0; a < (size_t)1 << groups; a++)
		if (p[a] > f[a])
			return false;
	return true;
}
