/*
 * Goes from the leaves to the root: narrows each node's bounds by the sums of its children's
 * and keeps functions on sets of groups only where totals below are limited.
 */
#include "census/solve/feasible/census_feasible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/feasible/census_group_sets.h"
#include "core/base/failure.h"

static const int64_t people_max = INT64_C(1) << 50; /* as many as may be counted */

static enum sotto_status conflict(const struct sotto_census_shape *s, size_t node,
				  const char *what, struct sotto_error *err)
{
	char *path = sotto_census_node_path(s, node);
	enum sotto_status st = sotto_fail(err, SOTTO_EINFEASIBLE, "%.200s: %.300s",
					  path ? path : "a node", what);

	free(path);
	return st;
}

/* The same about one group, which stands between two parts of the sentence. */
static enum sotto_status conflict_of_group(const struct sotto_census_shape *s,
					   const struct sotto_census_schema *schema,
					   size_t node, size_t group, const char *before,
					   const char *after, struct sotto_error *err)
{
	char label[80], text[300];

	sotto_census_group_label(schema, group, label, sizeof label);
	(void)snprintf(text, sizeof text, "%s %.80s (%s) %s", before,
		       schema->plan->queries[schema->frame].name, label, after);
	return conflict(s, node, text, err);
}

/* ---- zeros --------------------------------------------------------------------------------------------- */

/* Nobody can be in a group that structural zeros leave no cell. */
static enum sotto_status empty_groups(struct sotto_census_shape *s,
				      const struct sotto_census_schema *schema, size_t v,
				      struct sotto_error *err)
{
	int64_t bounds[2 * SOTTO_CENSUS_GROUPS_MAX];

	memcpy(bounds, sotto_census_group_low(s, v), s->groups * sizeof *bounds);
	memcpy(bounds + s->groups, sotto_census_group_high(s, v), s->groups * sizeof *bounds);
	for (size_t g = 0; g < s->groups; g++) {
		if (!(schema->excluded >> g & 1))
			continue;
		if (bounds[g] > 0)
			return conflict_of_group(s, schema, v, g, "structural_zeros exclude",
						 "but its lower bound is above 0", err);
		bounds[s->groups + g] = 0;
	}
	return sotto_census_shape_set_groups(s, v, bounds);
}

static enum sotto_status hold_zeros(struct sotto_census_shape *s,
				    const struct sotto_census_schema *schema,
				    struct sotto_error *err)
{
	for (size_t v = sotto_census_node_count(s); schema->excluded && v-- > 0;) {
		if (s->has_groups) {
			SOTTO_TRY(empty_groups(s, schema, v, err));
			continue;
		}
		if (s->total_low[v] > 0)
			return conflict(s, v,
					"structural_zeros exclude every cell, but the total "
					"is above 0",
					err);
		s->total_high[v] = 0;
	}
	return SOTTO_OK;
}

/* ---- boxes --------------------------------------------------------------------------------------------- */

static enum sotto_status narrow_group(struct sotto_census_shape *s,
				      const struct sotto_census_schema *schema, size_t v,
				      size_t g, struct sotto_error *err)
{
	int64_t low = 0, high = 0, own_low = sotto_census_group_low(s, v)[g],
		own_high = sotto_census_group_high(s, v)[g];

	if (own_low > own_high)
		return conflict_of_group(s, schema, v, g, "the lower bound of",
					 "is above the upper bound", err);
	if (s->count[v] == 0)
		return SOTTO_OK;
	for (size_t c = s->first[v]; c < s->first[v] + s->count[v]; c++) {
		low = sotto_bound_add(low, sotto_census_group_low(s, c)[g]);
		high = sotto_bound_add(high, sotto_census_group_high(s, c)[g]);
	}
	if (low > own_high || high < own_low)
		return conflict_of_group(s, schema, v, g, "the bounds of",
					 "contradict those of the nodes below", err);
	s->low[v * s->groups + g] = sotto_bound_max(own_low, low);
	s->high[v * s->groups + g] = sotto_bound_min(own_high, high);
	return SOTTO_OK;
}

static int64_t known_total(const struct sotto_census_shape *s, size_t v)
{
	struct sotto_census_known_row row = sotto_census_known_of(s, v);
	int64_t sum = 0;

	for (size_t i = 0; i < row.n; i++)
		sum = sotto_bound_add(sum, row.counts[i]);
	return sum;
}

/* Nobody may be known to be where structural zeros leave no cell. */
static enum sotto_status check_known(const struct sotto_census_shape *s,
				     const struct sotto_census_schema *schema,
				     struct sotto_error *err)
{
	bool *possible = calloc(s->known.query_cells + 1, sizeof *possible);
	enum sotto_status st = possible ? SOTTO_OK : SOTTO_ENOMEM;
	char what[300];

	for (size_t cell = 0; st == SOTTO_OK && cell < schema->cells; cell++)
		possible[schema->maps[schema->known][cell]] |= !schema->zero[cell];
	for (size_t v = s->start[s->level_count - 1];
	     st == SOTTO_OK && v < sotto_census_node_count(s); v++) {
		struct sotto_census_known_row row = sotto_census_known_of(s, v);

		for (size_t i = 0; st == SOTTO_OK && i < row.n; i++)
			if (!possible[row.cells[i]]) {
				(void)snprintf(what, sizeof what,
					       "somebody is in a cell of %.80s that "
					       "structural_zeros exclude",
					       schema->plan->queries[schema->known].name);
				st = conflict(s, v, what, err);
			}
	}
	free(possible);
	return st;
}

static enum sotto_status
narrow_total(struct sotto_census_shape *s, size_t v, struct sotto_error *err)
{
	int64_t low = 0, high = s->count[v] > 0 ? 0 : sotto_census_unlimited, group_low = 0,
		group_high = s->has_groups ? 0 : sotto_census_unlimited;

	for (size_t c = s->first[v]; c < s->first[v] + s->count[v]; c++) {
		low = sotto_bound_add(low, s->total_low[c]);
		high = sotto_bound_add(high, s->total_high[c]);
	}
	for (size_t g = 0; s->has_groups && g < s->groups; g++) {
		group_low = sotto_bound_add(group_low, sotto_census_group_low(s, v)[g]);
		group_high = sotto_bound_add(group_high, sotto_census_group_high(s, v)[g]);
	}
	if (s->known.is_given)
		group_low = group_high = known_total(s, v);
	if (group_low > people_max)
		return conflict(s, v, "the constraints ask for more than 2^50 people", err);
	if (s->total_low[v] > s->total_high[v])
		return conflict(s, v, "the lower bound of total is above the upper bound", err);
	if (low > s->total_high[v] || high < s->total_low[v])
		return conflict(s, v, "the total contradicts the totals of the nodes below",
				err);
	if (group_low > s->total_high[v] || group_high < s->total_low[v])
		return conflict(s, v, "the total contradicts the bounds of its groups", err);
	s->total_low[v] = sotto_bound_max(s->total_low[v], sotto_bound_max(low, group_low));
	s->total_high[v] = sotto_bound_min(s->total_high[v], sotto_bound_min(high, group_high));
	if (s->total_low[v] > people_max)
		return conflict(s, v, "the constraints ask for more than 2^50 people", err);
	return SOTTO_OK;
}

/* ---- sets of groups -------------------------------------------------------------------------------- */

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
			sotto_group_sets_of_bounds(child, child + size,
						   sotto_census_group_low(s, c),
						   sotto_census_group_high(s, c), s->groups);
			from = child;
		}
		for (size_t a = 0; a < size; a++) {
			p[a] = sotto_bound_add(p[a], from[a]);
			f[a] = sotto_bound_add(f[a], from[size + a]);
		}
	}
	if (s->count[v] == 0)
		sotto_group_sets_of_bounds(p, f, low, high, s->groups);
	s->sets[v] = p;
	for (size_t g = 0; g < s->groups; g++)
		sotto_group_sets_hold_group(p, f, s->groups, g, low[g], high[g]);
	if (sotto_group_sets_are_possible(p, f, s->groups))
		sotto_group_sets_hold_total(p, f, s->groups, s->total_low[v], s->total_high[v]);
	if (!sotto_group_sets_are_possible(p, f, s->groups))
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
	bool *marks = mark_totals(s);
	enum sotto_status st;

	if (!marks)
		return SOTTO_ENOMEM;
	st = s->known.is_given ? check_known(s, schema, err) : hold_zeros(s, schema, err);
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
