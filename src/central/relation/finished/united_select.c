/*
 * UNION, INTERSECT and EXCEPT.  UNION ALL of private rows is private rows again: each is
 * still a row of one part, so owned as before.  What compares rows with each other, UNION,
 * INTERSECT and EXCEPT, does so with public rows, finished answers, and private rows that hold
 * their unit: equal ones are then rows of one unit (sensitivity.md, 13).
 */
#include "central/relation/finished/united_select.h"

#include <string.h>

#include "central/expression/number/decimal.h"
#include "central/expression/range/value_range.h"
#include "central/expression/work/row_work.h"
#include "central/relation/finished/grouping_sets.h"
#include "central/relation/finished/merged_rows.h"
#include "central/relation/finished/windowed_select.h"
#include "central/relation/join_fanout.h"
#include "central/relation/private_join.h"
#include "core/base/failure.h"

static bool is_number(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_INTEGER || type == SOTTO_TYPE_NUMBER;
}

static bool is_null(const struct sotto_arm *arm, size_t i)
{
	return arm->outputs[i].expr->kind == SOTTO_SQL_NULL;
}

/*
 * Ends of the interval of column i.  In an arm that has none there they are the value itself,
 * if that is exact; a noisy value without an interval stays without one.
 */
static bool add_ends(struct sotto_planner *p, const struct sotto_arm *arm, size_t i,
		     struct sotto_rowset_select *s)
{
	struct sotto_arena *a = p->arena;
	const char *low = sotto_low_field(p, i), *high = sotto_high_field(p, i);
	const struct sotto_expression *value =
		arm->bounds[i].noisy
			? sotto_expression_word(a, SOTTO_OP_NULL)
			: sotto_expression_column(a, NULL, sotto_output_field(p, i));
	bool own = arm->bounds[i].low;

	value = sotto_expression_cast(a, SOTTO_OP_TRY_CAST, value, SOTTO_TYPE_NUMBER);
	return sotto_rowset_output(a, s, own ? sotto_expression_column(a, NULL, low) : value,
				   low) &&
	       sotto_rowset_output(a, s, own ? sotto_expression_column(a, NULL, high) : value,
				   high);
}

/* Column i of an arm as a value of the type that the whole has; equal ones are identical. */
static const struct sotto_expression *value_of(struct sotto_planner *p,
					       const struct sotto_arm *arm, size_t i,
					       enum sotto_sql_type type, bool are_compared)
{
	struct sotto_arena *a = p->arena;
	const struct sotto_expression *c =
		is_null(arm, i) ? sotto_expression_word(a, SOTTO_OP_NULL)
				: sotto_expression_column(a, NULL, sotto_output_field(p, i));

	if (is_number(type)) {
		c = sotto_expression_cast(a, SOTTO_OP_TRY_CAST, c, SOTTO_TYPE_NUMBER);
		return are_compared ? SOTTO_APPLY(a, SOTTO_OP_ALIKE, c) : c;
	}
	if (!is_null(arm, i))
		return c;
	return sotto_expression_cast(a, SOTTO_OP_TRY_CAST, c,
				     type == SOTTO_TYPE_LOOSE ? SOTTO_TYPE_TEXT : type);
}

/*
 * The rows of an arm with its numbers as DOUBLE: were types of different sizes
 * left to the engine to merge, a large value could raise an error.  NULL is one of the type
 * that the others have.
 */
static enum sotto_status project(struct sotto_planner *p, struct sotto_arm *arm,
				 const struct sotto_bound *whole, const bool *ends, bool unit,
				 bool are_compared)
{
	struct sotto_arena *a = p->arena;
	struct sotto_rowset_select s = {0};

	for (size_t i = 0; i < arm->count; i++)
		SOTTO_NEED(sotto_rowset_output(
			a, &s, value_of(p, arm, i, whole[i].type, unit && are_compared),
			sotto_output_field(p, i)));
	for (size_t i = 0; i < arm->count; i++)
		SOTTO_NEED(!ends[i] || add_ends(p, arm, i, &s));
	SOTTO_NEED(!unit ||
		   sotto_rowset_output(a, &s, sotto_expression_column(a, NULL, "u"), "u"));
	SOTTO_NEED(sotto_rowset_from(a, &s, sotto_rowset_named(a, arm->rows, "part")));
	arm->rows = sotto_rowset_select(a, &s, NULL);
	return arm->rows ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Rows of both belong to the same kind of unit, or to nobody. */
static bool same_units(const struct sotto_relation *x, const struct sotto_relation *y)
{
	if (x->owner == y->owner || !x->owner || !y->owner)
		return x->owner == y->owner;
	return sotto_units_shared(x, y);
}

static enum sotto_status check_arms(struct sotto_planner *p,
				    const struct sotto_sql_select *next,
				    const struct sotto_relation *x, size_t x_count,
				    const struct sotto_relation *y, size_t y_count)
{
	if (x_count != y_count)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, next->at,
				      "the queries that UNION, INTERSECT or EXCEPT combines "
				      "must have the same number of columns");
	if (x->owner && x->owner->unit_is_row && x->owner->on_server)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, next->at,
				      "each row of %.40s is a unit of its own, and its server "
				      "may send rows in "
				      "another order each time, so that a row cannot be found "
				      "again in a second "
				      "reading: ask with CASE or OR instead of UNION ALL, or "
				      "ask the owner for a "
				      "unit that is a column",
				      x->owner->name);
	if (!same_units(x, y))
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, next->at,
			"the parts of UNION ALL must all be about the same private table, or "
			"about tables with the same privacy unit");
	return SOTTO_OK;
}

static bool compares(const struct sotto_sql_select *arm)
{
	return !(arm->how == SOTTO_SQL_UNION && arm->all);
}

/* Private rows are compared with those of their own unit, which both sides must hold. */
static enum sotto_status
check_compared(struct sotto_planner *p, const struct sotto_sql_select *next,
	       const struct sotto_relation *from, const struct sotto_arm *whole)
{
	if (!from->owner || !compares(next))
		return SOTTO_OK;
	for (size_t i = 0; from->unit && i < whole->count; i++)
		if (whole->bounds[i].is_unit)
			return SOTTO_OK;
	return sotto_sql_fail(
		p->err, SOTTO_EREFUSED, p->text, next->at,
		"UNION, INTERSECT and EXCEPT compare private rows only within one unit: have "
		"the privacy unit%s%.40s in the same place of each SELECT, or use UNION ALL, "
		"or "
		"give each SELECT COUNT or another aggregate and combine the noisy answers",
		from->owner->root->unit_is_row ? "" : " ",
		from->owner->root->unit_is_row ? "" : from->owner->root->unit);
}

/* The type that both have in a column. */
static bool meet_types(struct sotto_bound *x, struct sotto_bound *y)
{
	if (x->type == SOTTO_TYPE_LOOSE && y->type == SOTTO_TYPE_TEXT)
		x->type = SOTTO_TYPE_TEXT;
	if (y->type == SOTTO_TYPE_LOOSE && x->type == SOTTO_TYPE_TEXT)
		y->type = SOTTO_TYPE_TEXT;
	/* read as two types, or cut at two lengths, one unit could have two values */
	x->is_unit = x->is_unit && y->is_unit && x->type == y->type &&
		     x->load.length == y->load.length;
	if (is_number(x->type) && is_number(y->type) && x->type != y->type)
		x->type = y->type = SOTTO_TYPE_NUMBER;
	return x->type == y->type;
}

/* x becomes what a value is that is x or y. */
static void meet(struct sotto_bound *x, const struct sotto_bound *y)
{
	struct sotto_bound before = *x;

	x->is_double = is_number(x->type);
	sotto_decimal_meet(x, &before, y);
	x->range = sotto_range_hull(x->range, y->range);
	x->load = sotto_load_greatest(x->load, y->load);
	x->nullable = x->nullable || y->nullable;
	x->noisy = x->noisy || y->noisy;
	x->domain = NULL;
	x->column_count = 0;
	x->step = NULL;
}

/* NULL has the type of what it is put together with. */
static void settle_null(const struct sotto_arm *first, struct sotto_arm *whole,
			struct sotto_arm *other, size_t i)
{
	bool open = is_null(first, i) && whole->bounds[i].type == first->bounds[i].type;

	if (is_null(other, i))
		other->bounds[i].type = whole->bounds[i].type;
	else if (open)
		whole->bounds[i].type = other->bounds[i].type;
}

/* One more of them: bound, compared with the first, and noted in its bounds. */
static enum sotto_status bind_arm(struct sotto_planner *p, const struct sotto_ctes *ctes,
				  const struct sotto_sql_select *next,
				  struct sotto_relation *from, struct sotto_arm *whole,
				  struct sotto_arm *arms, size_t k)
{
	struct sotto_relation others;
	struct sotto_arm *other = &arms[k];

	SOTTO_TRY(sotto_ctes_push(p, next, &ctes));
	SOTTO_TRY(sotto_arm_bind(p, ctes, next, &others, other));
	from->finished = from->finished || others.finished;
	from->picked = from->finished;
	from->selected =
		from->selected || others.selected || (from->finished && compares(next));
	SOTTO_TRY(check_arms(p, next, from, whole->count, &others, other->count));
	for (size_t i = 0; i < whole->count; i++) {
		settle_null(&arms[0], whole, other, i);
		if (!meet_types(&whole->bounds[i], &other->bounds[i]))
			return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, next->at,
					      "column %zu has different types in the queries "
					      "that are combined; write a cast",
					      i + 1);
		meet(&whole->bounds[i], &other->bounds[i]);
		whole->bounds[i].by_one = whole->bounds[i].by_one && other->bounds[i].by_one;
		if (compares(next))
			p->work += whole->bounds[i].load.length;
	}
	SOTTO_TRY(check_compared(p, next, from, whole));
	if (next->how == SOTTO_SQL_UNION)
		SOTTO_TRY(sotto_owners_unite(p, from->owner, others.owner, &from->owner));
	return sotto_fanout_unite(p, from->fanout, others.fanout, &from->fanout);
}

/* Which columns have an interval in one of them. */
static enum sotto_status
find_ends(struct sotto_planner *p, const struct sotto_arm *arms, size_t count, bool **out)
{
	bool *ends = sotto_arena_alloc(p->arena, arms[0].count + 1);

	SOTTO_NEED(ends);
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < arms[0].count; i++)
			ends[i] = ends[i] || arms[k].bounds[i].low;
	*out = ends;
	return SOTTO_OK;
}

static enum sotto_status compose(struct sotto_planner *p, const struct sotto_sql_select *s,
				 struct sotto_arm *arms, size_t count, struct sotto_arm *whole,
				 bool unit)
{
	const struct sotto_rowset *all;
	size_t k = 1;
	bool *ends, are_compared = false;

	for (const struct sotto_sql_select *next = s->unite; next; next = next->unite)
		are_compared = are_compared || compares(next);
	SOTTO_TRY(find_ends(p, arms, count, &ends));
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(project(p, &arms[i], whole->bounds, ends, unit, are_compared));
	all = arms[0].rows;
	for (const struct sotto_sql_select *next = s->unite; next; next = next->unite, k++)
		SOTTO_TRY(
			sotto_rows_merge(p, next, all, arms[k].rows, ends, whole->count, &all));
	whole->rows = all;
	for (size_t i = 0; i < whole->count; i++) /* whoever reads it names the columns */
		whole->bounds[i].low = whole->bounds[i].high =
			ends[i] ? sotto_expression_word(p->arena, SOTTO_OP_NULL) : NULL;
	return SOTTO_OK;
}

/* Different rows that are nothing but their unit. */
static bool has_one_row_each(const struct sotto_sql_select *s, const struct sotto_arm *whole)
{
	const struct sotto_sql_select *last = s;

	while (last->unite)
		last = last->unite;
	for (size_t i = 0; i < whole->count; i++)
		if (!whole->bounds[i].is_unit)
			return false;
	return !last->all;
}

enum sotto_status sotto_united_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
				    const struct sotto_sql_select *s,
				    struct sotto_relation *first, struct sotto_arm *arm)
{
	struct sotto_arm *arms;
	size_t count = 1, k = 1;

	for (const struct sotto_sql_select *next = s->unite; next; next = next->unite)
		count++;
	arms = sotto_arena_alloc(p->arena, count * sizeof *arms);
	SOTTO_NEED(arms);
	arms[0] =
		*arm; /* with bounds of its own: those of arm become the bounds of the whole */
	arms[0].bounds = sotto_arena_alloc(p->arena, (arm->count + 1) * sizeof *arm->bounds);
	SOTTO_NEED(arms[0].bounds);
	memcpy(arms[0].bounds, arm->bounds, arm->count * sizeof *arm->bounds);
	for (const struct sotto_sql_select *next = s->unite; next; next = next->unite)
		SOTTO_TRY(bind_arm(p, ctes, next, first, arm, arms, k++));
	first->unit_rows = has_one_row_each(s, arm) ? 1 : 0;
	return compose(p, s, arms, count, arm, first->unit != NULL);
}

/*
 * SELECT * FROM (arm).  What stands behind the first arm, ORDER BY and LIMIT, is about all of them;
 * WITH before it too.
 */
static enum sotto_status wrap(struct sotto_arena *a, const struct sotto_sql_select *arm,
			      bool is_first, struct sotto_sql_select **out)
{
	struct sotto_sql_select *inner = sotto_arena_alloc(a, sizeof *inner);

	SOTTO_NEED(inner);
	*inner = *arm;
	inner->unite = NULL;
	inner->cte_count = 0;
	if (is_first) {
		inner->order_count = 0;
		inner->limit = -1;
		inner->offset = 0;
	}
	*out = sotto_sql_select_around(a, inner);
	SOTTO_NEED(*out);
	(*out)->ctes = arm->ctes;
	(*out)->cte_count = arm->cte_count;
	(*out)->how = arm->how;
	(*out)->all = arm->all;
	if (is_first) {
		SOTTO_TRY(sotto_orders_number(a, arm, &(*out)->orders));
		(*out)->order_count = arm->order_count;
		(*out)->limit = arm->limit;
		(*out)->offset = arm->offset;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_united_wrap(struct sotto_planner *p, const struct sotto_sql_select **s)
{
	const struct sotto_sql_select *arm = *s;
	struct sotto_sql_select *first = NULL, **next = &first;

	if (!arm->unite)
		return SOTTO_OK;
	for (; arm; arm = arm->unite) {
		if (arm->set_count || sotto_select_is_windowed(p->policy, arm)) {
			SOTTO_TRY(wrap(p->arena, arm, arm == *s, next));
		} else {
			*next = sotto_arena_alloc(p->arena, sizeof **next);
			SOTTO_NEED(*next);
			**next = *arm;
			(*next)->unite = NULL;
		}
		next = &(*next)->unite;
	}
	*s = first;
	return SOTTO_OK;
}

enum sotto_status sotto_united_around(struct sotto_arena *a, const struct sotto_sql_select **s)
{
	struct sotto_sql_select *inner = sotto_arena_alloc(a, sizeof *inner), *outer;

	SOTTO_NEED(inner);
	*inner = **s;
	inner->order_count = 0;
	inner->limit = -1;
	inner->offset = 0;
	outer = sotto_sql_select_around(a, inner);
	SOTTO_NEED(outer);
	SOTTO_TRY(sotto_orders_number(a, *s, &outer->orders));
	outer->order_count = (*s)->order_count;
	outer->limit = (*s)->limit;
	outer->offset = (*s)->offset;
	*s = outer;
	return SOTTO_OK;
}
