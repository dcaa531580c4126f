/*
 * Equal rows become one, or are looked for in another table.  What is equal are the values that
 * are shown; behind each stands a truth of its own, with an interval of its own.  A reader of
 * the one row that is left may think of any of these truths, so it gets the hull of their
 * intervals (src/central/session/answer/answer.md).
 *
 *	UNION        rows of either side, grouped by their values
 *	INTERSECT    those groups that have rows of both sides
 *	EXCEPT       those that have rows of the first side alone
 *
 * INTERSECT ALL and EXCEPT ALL do this with copies of equal rows, which are numbered.
 */
#include "central/relation/finished/merged_rows.h"

#include "central/expression/noisy_interval.h"
#include "core/base/failure.h"

static const char both[] = "sotto both", side[] = "side", copy[] = "copy";

static const struct sotto_expression *column(struct sotto_planner *p, const char *name)
{
	return sotto_expression_column(p->arena, NULL, name);
}

/* The values c0, c1, ... as a list, for GROUP BY and PARTITION BY. */
static enum sotto_status values(struct sotto_planner *p, size_t count, bool copies,
				const struct sotto_expression ***out, size_t *n)
{
	*out = sotto_arena_alloc(p->arena, (count + 1) * sizeof **out);
	SOTTO_NEED(*out);
	for (*n = 0; *n < count; ++*n) {
		(*out)[*n] = column(p, sotto_output_field(p, *n));
		SOTTO_NEED((*out)[*n]);
	}
	if (copies) {
		(*out)[*n] = column(p, copy);
		SOTTO_NEED((*out)[(*n)++]);
	}
	return SOTTO_OK;
}

static enum sotto_status add_ends(struct sotto_planner *p, const bool *ends, size_t count,
				  const struct sotto_over *over, bool hull,
				  struct sotto_rowset_select *s)
{
	for (size_t i = 0; i < count; i++) {
		const char *low = sotto_low_field(p, i), *high = sotto_high_field(p, i);
		const struct sotto_expression *x = column(p, low), *y = column(p, high);

		if (!ends[i])
			continue;
		if (hull) {
			x = sotto_interval_hull_end(p->arena, SOTTO_OP_MIN, x, over);
			y = sotto_interval_hull_end(p->arena, SOTTO_OP_MAX, y, over);
		}
		SOTTO_NEED(sotto_rowset_output(p->arena, s, x, low) &&
			   sotto_rowset_output(p->arena, s, y, high));
	}
	return SOTTO_OK;
}

/* The rows of one side, which say so; their copies are numbered where they count. */
static enum sotto_status one_side(struct sotto_planner *p, const struct sotto_rowset *rows,
				  int64_t which, const bool *ends, size_t count, bool copies,
				  const struct sotto_rowset **out)
{
	struct sotto_rowset_select s = {0};
	struct sotto_over over = {0};

	SOTTO_TRY(values(p, count, false, &over.parts, &over.part_count));
	for (size_t i = 0; i < count; i++)
		SOTTO_NEED(sotto_rowset_output(p->arena, &s, over.parts[i],
					       sotto_output_field(p, i)));
	SOTTO_TRY(add_ends(p, ends, count, &over, copies, &s));
	SOTTO_NEED(sotto_rowset_output(p->arena, &s, sotto_expression_whole(p->arena, which),
				       side));
	if (copies)
		SOTTO_NEED(sotto_rowset_output(
			p->arena, &s,
			sotto_expression_over(
				p->arena, sotto_expression_word(p->arena, SOTTO_OP_ROW_NUMBER),
				&over),
			copy));
	SOTTO_NEED(sotto_rowset_from(p->arena, &s, sotto_rowset_named(p->arena, rows, "part")));
	*out = sotto_rowset_select(p->arena, &s, NULL);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Which groups are shown, by the sides 0 and 1 that have rows in them. */
static enum sotto_status
keep(struct sotto_planner *p, enum sotto_sql_set how, const struct sotto_expression **out)
{
	struct sotto_arena *a = p->arena;
	const struct sotto_expression *least = SOTTO_APPLY(a, SOTTO_OP_MIN, column(p, side)),
				      *most = SOTTO_APPLY(a, SOTTO_OP_MAX, column(p, side));

	*out = NULL;
	if (how == SOTTO_SQL_UNION)
		return SOTTO_OK;
	*out = how == SOTTO_SQL_EXCEPT
		       ? SOTTO_APPLY(a, SOTTO_OP_EQ, most, sotto_expression_whole(a, 0))
		       : SOTTO_APPLY(a, SOTTO_OP_LT, least, most);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status group(struct sotto_planner *p, const struct sotto_sql_select *how,
			       const struct sotto_rowset *first,
			       const struct sotto_rowset *second, const bool *ends,
			       size_t count, const struct sotto_rowset **out)
{
	struct sotto_rowset_select s = {0};
	const struct sotto_rowset *sides[2], *all;
	const struct sotto_expression **keys;
	size_t key_count;

	SOTTO_TRY(one_side(p, first, 0, ends, count, how->all, &sides[0]));
	SOTTO_TRY(one_side(p, second, 1, ends, count, how->all, &sides[1]));
	all = sotto_rowset_set(p->arena, SOTTO_SQL_UNION, true, sides[0], sides[1]);
	SOTTO_NEED(all);
	SOTTO_TRY(values(p, count, how->all, &keys, &key_count));
	for (size_t i = 0; i < count; i++)
		SOTTO_NEED(
			sotto_rowset_output(p->arena, &s, keys[i], sotto_output_field(p, i)));
	SOTTO_TRY(add_ends(p, ends, count, NULL, true, &s));
	SOTTO_NEED(sotto_rowset_from(p->arena, &s, sotto_rowset_named(p->arena, all, both)));
	s.groups = sotto_expression_list(p->arena, keys, key_count);
	SOTTO_NEED(s.groups);
	SOTTO_TRY(keep(p, how->how, &s.having));
	*out = sotto_rowset_select(p->arena, &s, NULL);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_rows_merge(struct sotto_planner *p, const struct sotto_sql_select *how,
				   const struct sotto_rowset *first,
				   const struct sotto_rowset *second, const bool *ends,
				   size_t count, const struct sotto_rowset **out)
{
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any = any || ends[i];
	if (any && !(how->how == SOTTO_SQL_UNION && how->all))
		return group(p, how, first, second, ends, count, out);
	*out = sotto_rowset_set(p->arena, how->how, how->all, first, second);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_rows_hull(struct sotto_planner *p, struct sotto_bound *bounds, size_t count)
{
	struct sotto_over over = {.part_count = count};

	over.parts = sotto_arena_alloc(p->arena, (count + 1) * sizeof *over.parts);
	SOTTO_NEED(over.parts);
	for (size_t i = 0; i < count; i++)
		over.parts[i] = bounds[i].value;
	for (size_t i = 0; i < count; i++) {
		if (!bounds[i].low)
			continue;
		bounds[i].low =
			sotto_interval_hull_end(p->arena, SOTTO_OP_MIN, bounds[i].low, &over);
		bounds[i].high =
			sotto_interval_hull_end(p->arena, SOTTO_OP_MAX, bounds[i].high, &over);
		SOTTO_NEED(bounds[i].low && bounds[i].high);
	}
	return SOTTO_OK;
}
