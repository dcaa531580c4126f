/*
 * Greedy, group by group and child by child: the interval in which the rest stays possible is
 * exact, and the value in it nearest to the wanted one is taken.
 */
#include "census/solve/feasible/census_group_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/feasible/census_group_sets.h"
#include "core/base/failure.h"

/* The last group is settled by the others; sets are reduced group by group. */
static void fix(int64_t *p, int64_t *f, size_t groups, size_t g, int64_t value)
{
	size_t bit = (size_t)1 << g;

	for (size_t a = 0; a < (size_t)1 << groups; a++) {
		if (a & bit)
			continue;
		p[a] = sotto_bound_max(p[a], p[a | bit] - value);
		f[a] = sotto_bound_min(f[a], sotto_bound_less(f[a | bit], value));
		p[a | bit] = p[a] + value;
		f[a | bit] = sotto_bound_add(f[a], value);
	}
}

static int64_t clamp(double want, int64_t low, int64_t high)
{
	int64_t x = llrint(fmin(fmax(want, 0), 0x1p60));

	return x < low ? low : x > high ? high : x;
}

bool sotto_census_nearest_groups(const int64_t *sets, size_t groups, int64_t total,
				 const double *want, int64_t *out)
{
	size_t size = (size_t)1 << groups;
	int64_t p[1 << SOTTO_CENSUS_GROUPS_MAX], f[1 << SOTTO_CENSUS_GROUPS_MAX];

	memcpy(p, sets, size * sizeof *p);
	memcpy(f, sets + size, size * sizeof *f);
	sotto_group_sets_hold_total(p, f, groups, total, total);
	if (!sotto_group_sets_are_possible(p, f, groups))
		return false;
	for (size_t g = 0; g < groups; g++) {
		size_t bit = (size_t)1 << g;

		if (p[bit] > f[bit])
			return false;
		out[g] = clamp(want[g], p[bit], f[bit]);
		fix(p, f, groups, g, out[g]);
	}
	return true;
}

/* The sets of one child within its total. */
static void child_sets(const struct sotto_census_sharing *s, size_t c, int64_t *p, int64_t *f)
{
	size_t size = (size_t)1 << s->groups;

	if (s->sets[c]) {
		memcpy(p, s->sets[c], size * sizeof *p);
		memcpy(f, s->sets[c] + size, size * sizeof *f);
		return;
	}
	sotto_group_sets_of_bounds(p, f, s->low ? s->low + c * s->groups : NULL,
				   s->high ? s->high + c * s->groups : NULL, s->groups);
	sotto_group_sets_hold_total(p, f, s->groups, s->total_low[c], s->total_high[c]);
}

/* What group g may be, so that both sets still meet: exact (feasible.md, "Choosing"). */
static void interval(const int64_t *p1, const int64_t *f1, const int64_t *p2, const int64_t *f2,
		     size_t groups, size_t g, int64_t *low, int64_t *high)
{
	size_t bit = (size_t)1 << g;

	*low = 0;
	*high = sotto_census_unlimited;
	for (size_t a = 0; a < (size_t)1 << groups; a++) {
		if (a & bit)
			continue;
		*high = sotto_bound_min(*high,
					sotto_bound_min(sotto_bound_less(f2[a | bit], p1[a]),
							sotto_bound_less(f1[a | bit], p2[a])));
		if (f2[a] < sotto_census_unlimited)
			*low = sotto_bound_max(*low, p1[a | bit] - f2[a]);
		if (f1[a] < sotto_census_unlimited)
			*low = sotto_bound_max(*low, p2[a | bit] - f1[a]);
	}
}

struct sharing_state {
	int64_t *rest_p, *rest_f; /* of the children after the current one */
	int64_t *p, *f, *other_p, *other_f;
	int64_t left[SOTTO_CENSUS_GROUPS_MAX];
};

static int64_t set_sum(const int64_t *groups, size_t a)
{
	int64_t sum = 0;

	for (; a; a &= a - 1)
		sum += groups[__builtin_ctzll(a)];
	return sum;
}

static enum sotto_status
share_child(const struct sotto_census_sharing *s, size_t c, struct sharing_state *t)
{
	size_t size = (size_t)1 << s->groups;

	child_sets(s, c, t->p, t->f);
	for (size_t a = 0; a < size; a++) {
		int64_t left = set_sum(t->left, a);

		t->other_p[a] = t->rest_f[a] < sotto_census_unlimited ? left - t->rest_f[a]
								      : -sotto_census_unlimited;
		t->other_f[a] = left - t->rest_p[a];
	}
	for (size_t g = 0; g < s->groups; g++) {
		int64_t low, high;

		interval(t->p, t->f, t->other_p, t->other_f, s->groups, g, &low, &high);
		if (low > high)
			return SOTTO_EINFEASIBLE;
		s->out[c * s->groups + g] = clamp(s->want[c * s->groups + g], low, high);
		fix(t->p, t->f, s->groups, g, s->out[c * s->groups + g]);
		fix(t->other_p, t->other_f, s->groups, g, s->out[c * s->groups + g]);
	}
	for (size_t g = 0; g < s->groups; g++)
		t->left[g] -= s->out[c * s->groups + g];
	return SOTTO_OK;
}

/*
 * Sums of the sets of the children after c.  Unlimited sums cannot be taken back, so they
 * are summed anew for each child: quadratic, and only where totals are fixed at two levels.
 */
static void sum_rest(const struct sotto_census_sharing *s, size_t c, struct sharing_state *t)
{
	size_t size = (size_t)1 << s->groups;

	memset(t->rest_p, 0, size * sizeof *t->rest_p);
	memset(t->rest_f, 0, size * sizeof *t->rest_f);
	for (size_t d = c + 1; d < s->children; d++) {
		child_sets(s, d, t->p, t->f);
		for (size_t a = 0; a < size; a++) {
			t->rest_p[a] = sotto_bound_add(t->rest_p[a], t->p[a]);
			t->rest_f[a] = sotto_bound_add(t->rest_f[a], t->f[a]);
		}
	}
}

enum sotto_status sotto_census_share_groups(const struct sotto_census_sharing *s)
{
	size_t size = (size_t)1 << s->groups;
	int64_t *memory = malloc(6 * size * sizeof *memory);
	struct sharing_state t = {.rest_p = memory,
				  .rest_f = memory + size,
				  .p = memory + 2 * size,
				  .f = memory + 3 * size,
				  .other_p = memory + 4 * size,
				  .other_f = memory + 5 * size};
	enum sotto_status st = memory ? SOTTO_OK : SOTTO_ENOMEM;

	memcpy(t.left, s->parent, s->groups * sizeof *t.left);
	for (size_t c = 0; st == SOTTO_OK && c < s->children; c++) {
		sum_rest(s, c, &t);
		st = share_child(s, c, &t);
	}
	free(memory);
	return st;
}
