#include "census/solve/census_feasible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum = a + b;

	return sum < sotto_census_unlimited ? sum : sotto_census_unlimited;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* a - b, where an unlimited a stays so */
static int64_t less(int64_t a, int64_t b)
{
	return a >= sotto_census_unlimited ? a : a - b;
}

static enum sotto_status conflict(const struct sotto_census_shape *s, size_t node,
				  const char *what, struct sotto_error *err)
{
	char *path = sotto_census_node_path(s, node);
	enum sotto_status st = sotto_fail(err, SOTTO_EINFEASIBLE, "%.200s: %.300s",
					  path ? path : "a node", what);

	free(path);
	return st;
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

static enum sotto_status narrow_group(struct sotto_census_shape *s,
				      const struct sotto_census_schema *schema, size_t v,
				      size_t g, struct sotto_error *err)
{
	int64_t low = 0, high = 0, own_low = sotto_census_group_low(s, v)[g],
		own_high = sotto_census_group_high(s, v)[g];
	char what[300];

	if (own_low > own_high) {
		(void)snprintf(what, sizeof what,
			       "the lower bound of %.80s (group %zu) is above the upper bound",
			       schema->plan->queries[schema->frame].name, g);
		return conflict(s, v, what, err);
	}
	if (s->count[v] == 0)
		return SOTTO_OK;
	for (size_t c = s->first[v]; c < s->first[v] + s->count[v]; c++) {
		low = add(low, sotto_census_group_low(s, c)[g]);
		high = add(high, sotto_census_group_high(s, c)[g]);
	}
	if (low > own_high || high < own_low) {
		(void)snprintf(
			what, sizeof what,
			"the bounds of %.80s (group %zu) contradict those of the nodes below",
			schema->plan->queries[schema->frame].name, g);
		return conflict(s, v, what, err);
	}
	s->low[v * s->groups + g] = max(own_low, low);
	s->high[v * s->groups + g] = min(own_high, high);
	return SOTTO_OK;
}

static enum sotto_status
narrow_total(struct sotto_census_shape *s, size_t v, struct sotto_error *err)
{
	int64_t low = 0, high = s->count[v] > 0 ? 0 : sotto_census_unlimited, group_low = 0,
		group_high = s->has_groups ? 0 : sotto_census_unlimited;

	for (size_t c = s->first[v]; c < s->first[v] + s->count[v]; c++) {
		low = add(low, s->total_low[c]);
		high = add(high, s->total_high[c]);
	}
	for (size_t g = 0; s->has_groups && g < s->groups; g++) {
		group_low = add(group_low, sotto_census_group_low(s, v)[g]);
		group_high = add(group_high, sotto_census_group_high(s, v)[g]);
	}
	if (s->total_low[v] > s->total_high[v])
		return conflict(s, v, "the lower bound of total is above the upper bound", err);
	if (low > s->total_high[v] || high < s->total_low[v])
		return conflict(s, v, "the total contradicts the totals of the nodes below",
				err);
	if (group_low > s->total_high[v] || group_high < s->total_low[v])
		return conflict(s, v, "the total contradicts the bounds of its groups", err);
	s->total_low[v] = max(s->total_low[v], max(low, group_low));
	s->total_high[v] = min(s->total_high[v], min(high, group_high));
	return SOTTO_OK;
}

/* ---- sets of groups -------------------------------------------------------------------------------- */

static void
set_box(int64_t *p, int64_t *f, const int64_t *low, const int64_t *high, size_t groups)
{
	p[0] = f[0] = 0;
	for (size_t a = 1; a < (size_t)1 << groups; a++) {
		size_t g = (size_t)__builtin_ctzll(a), rest = a & (a - 1);

		p[a] = add(p[rest], low ? low[g] : 0);
		f[a] = add(f[rest], high ? high[g] : sotto_census_unlimited);
	}
}

/* Holds group g within [low, high]. */
static void
hold_group(int64_t *p, int64_t *f, size_t groups, size_t g, int64_t low, int64_t high)
{
	size_t bit = (size_t)1 << g;

	for (size_t a = 0; a < (size_t)1 << groups; a++) {
		size_t with = a | bit;
		int64_t p0, p1, f0, f1;

		if (a & bit)
			continue;
		p0 = max(p[a], high < sotto_census_unlimited ? p[with] - high : p[a]);
		p1 = max(p[with], p[a] + low);
		f0 = min(f[a], less(f[with], low));
		f1 = min(f[with], add(f[a], high));
		p[a] = p0;
		p[with] = p1;
		f[a] = f0;
		f[with] = f1;
	}
}

static void hold_total(int64_t *p, int64_t *f, size_t groups, int64_t low, int64_t high)
{
	size_t all = ((size_t)1 << groups) - 1;
	int64_t before_p[1 << SOTTO_CENSUS_GROUPS_MAX], before_f[1 << SOTTO_CENSUS_GROUPS_MAX];

	memcpy(before_p, p, (all + 1) * sizeof *p);
	memcpy(before_f, f, (all + 1) * sizeof *f);
	for (size_t a = 0; a <= all; a++) {
		if (before_f[all & ~a] < sotto_census_unlimited)
			p[a] = max(p[a], low - before_f[all & ~a]);
		f[a] = min(f[a], less(high, before_p[all & ~a]));
	}
	p[0] = f[0] = 0;
}

static bool is_possible(const int64_t *p, const int64_t *f, size_t groups)
{
	for (size_t a = 0; a < (size_t)1 << groups; a++)
		if (p[a] > f[a])
			return false;
	return true;
}

/* Does a node or one below it limit totals? */
static bool *mark_totals(const struct sotto_census_shape *s)
{
	size_t n = sotto_census_node_count(s);
	bool *marks = calloc(n + 1, sizeof *marks);

	for (size_t v = n; marks && v-- > 0;) {
		marks[v] |= s->total_low[v] > 0 || s->total_high[v] < sotto_census_unlimited;
		if (v > 0)
			marks[s->parent[v]] |= marks[v];
	}
	return marks;
}

/* The node's own sets from those of its children. */
static enum sotto_status
fill_sets(struct sotto_census_shape *s, size_t v, struct sotto_error *err)
{
	size_t size = (size_t)1 << s->groups;
	int64_t *p = calloc(4 * size, sizeof *p), *f = p + size, *child = f + size;
	const int64_t *low = sotto_census_group_low(s, v),
		      *high = sotto_census_group_high(s, v);

	if (!p)
		return SOTTO_ENOMEM;
	for (size_t c = s->first[v]; c < s->first[v] + s->count[v]; c++) {
		const int64_t *from = s->sets[c];

		if (!from) {
			set_box(child, child + size, sotto_census_group_low(s, c),
				sotto_census_group_high(s, c), s->groups);
			from = child;
		}
		for (size_t a = 0; a < size; a++) {
			p[a] = add(p[a], from[a]);
			f[a] = add(f[a], from[size + a]);
		}
	}
	if (s->count[v] == 0)
		set_box(p, f, low, high, s->groups);
	s->sets[v] = p;
	for (size_t g = 0; g < s->groups; g++)
		hold_group(p, f, s->groups, g, low[g], high[g]);
	if (is_possible(p, f, s->groups))
		hold_total(p, f, s->groups, s->total_low[v], s->total_high[v]);
	if (!is_possible(p, f, s->groups))
		return conflict(
			s, v,
			"no group totals satisfy the bounds and the fixed totals of this "
			"node and of those below",
			err);
	return SOTTO_OK;
}

/* Boxes tell all where no total below is limited: those nodes keep no sets. */
static void drop_plain(struct sotto_census_shape *s, const bool *own)
{
	for (size_t v = 0; v < sotto_census_node_count(s); v++) {
		bool below = false;

		for (size_t c = s->first[v]; c < s->first[v] + s->count[v]; c++)
			below |= own[c];
		if (!below) {
			free(s->sets[v]);
			s->sets[v] = NULL;
		}
	}
}

static enum sotto_status
set_sets(struct sotto_census_shape *s, const bool *marks, struct sotto_error *err)
{
	size_t n = sotto_census_node_count(s);

	s->sets = calloc(n + 1, sizeof *s->sets);
	if (!s->sets)
		return SOTTO_ENOMEM;
	for (size_t v = n; v-- > 0;)
		if (marks[v])
			SOTTO_TRY(fill_sets(s, v, err));
	drop_plain(s, marks);
	return SOTTO_OK;
}

enum sotto_status sotto_census_constrain(struct sotto_census_shape *s,
					 const struct sotto_census_schema *schema,
					 struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	bool *marks = mark_totals(s);

	if (!marks)
		return SOTTO_ENOMEM;
	for (size_t v = sotto_census_node_count(s); st == SOTTO_OK && v-- > 0;) {
		for (size_t g = 0; st == SOTTO_OK && s->has_groups && g < s->groups; g++)
			st = narrow_group(s, schema, v, g, err);
		if (st == SOTTO_OK)
			st = narrow_total(s, v, err);
	}
	if (st == SOTTO_OK && s->has_groups)
		st = set_sets(s, marks, err);
	free(marks);
	return st;
}

/* ---- choosing ------------------------------------------------------------------------------------------ */

/* The last group is settled by the others; sets are reduced group by group. */
static void fix(int64_t *p, int64_t *f, size_t groups, size_t g, int64_t value)
{
	size_t bit = (size_t)1 << g;

	for (size_t a = 0; a < (size_t)1 << groups; a++) {
		if (a & bit)
			continue;
		p[a] = max(p[a], p[a | bit] - value);
		f[a] = min(f[a], less(f[a | bit], value));
		p[a | bit] = p[a] + value;
		f[a | bit] = add(f[a], value);
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
	hold_total(p, f, groups, total, total);
	if (!is_possible(p, f, groups))
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
	set_box(p, f, s->low ? s->low + c * s->groups : NULL,
		s->high ? s->high + c * s->groups : NULL, s->groups);
	hold_total(p, f, s->groups, s->total_low[c], s->total_high[c]);
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
		*high = min(*high, min(less(f2[a | bit], p1[a]), less(f1[a | bit], p2[a])));
		if (f2[a] < sotto_census_unlimited)
			*low = max(*low, p1[a | bit] - f2[a]);
		if (f1[a] < sotto_census_unlimited)
			*low = max(*low, p2[a | bit] - f1[a]);
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
			t->rest_p[a] = add(t->rest_p[a], t->p[a]);
			t->rest_f[a] = add(t->rest_f[a], t->f[a]);
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
