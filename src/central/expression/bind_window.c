/*
 * Window functions.  Over private rows a window is divided by the privacy unit,
 * so that what it gives depends on rows of that unit alone; where the order
 * leaves rows equal, all their columns decide, so that only rows that are the
 * same in everything can change places.
 */
#include "central/expression/bind.h"

#include <stdlib.h>
#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/expression/noisy_interval.h"
#include "central/expression/number/decimal.h"
#include "central/expression/range/value_range.h"
#include "central/expression/work/row_work.h"
#include "central/plan/planner.h"
#include "central/relation/unit_aggregate.h"
#include "central/relation/unit_key.h"
#include "core/base/failure.h"

static enum sotto_status push(struct sotto_binder *b, const struct sotto_expression ***list,
			      size_t *count, const struct sotto_expression *x)
{
	const struct sotto_expression **slot = SOTTO_PUSH(b->arena, *list, *count);

	SOTTO_NEED(slot && x);
	*slot = x;
	return SOTTO_OK;
}

/* PARTITION BY, with the unit itself first; alone: a part is all rows of a unit. */
static enum sotto_status add_parts(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_over *w, bool *alone)
{
	bool has_unit = !b->unit;
	struct sotto_bound x;

	*alone = b->unit != NULL;

	if (b->unit)
		SOTTO_TRY(push(b, &w->parts, &w->part_count, b->unit));
	for (size_t i = 0; i < e->window->part_count; i++) {
		SOTTO_TRY(sotto_bind(b, e->window->parts[i], &x));
		has_unit = has_unit || sotto_bound_says_unit(b->planner->policy, &x);
		*alone = *alone && x.is_unit;
		SOTTO_TRY(push(b, &w->parts, &w->part_count, x.value));
	}
	if (has_unit)
		return SOTTO_OK;
	return sotto_bind_refuse(b, e,
				 "window functions over private rows need PARTITION BY the "
				 "privacy unit, or a key that leads to it");
}

const struct sotto_expression *sotto_bind_order(struct sotto_arena *a,
						const struct sotto_sql_order *o,
						const struct sotto_expression *x)
{
	static const enum sotto_operation_name names[2][2] = {
		{SOTTO_OP_ASC_LAST, SOTTO_OP_ASC_FIRST},
		{SOTTO_OP_DESC_LAST, SOTTO_OP_DESC_FIRST}};

	return SOTTO_APPLY(a, names[o->descending][o->nulls_first], x);
}

static enum sotto_status add_orders(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    struct sotto_over *w, bool *noisy)
{
	*noisy = false;
	for (size_t i = 0; i < e->window->order_count; i++) {
		const struct sotto_sql_order *o = &e->window->orders[i];
		struct sotto_bound x;

		SOTTO_TRY(sotto_bind(b, o->expr, &x));
		*noisy = *noisy || x.noisy;
		SOTTO_TRY(push(b, &w->orders, &w->order_count,
			       sotto_bind_order(b->arena, o, x.value)));
	}
	return SOTTO_OK;
}

static const struct sotto_expression *
frame_end(struct sotto_arena *a, bool far, int64_t rows, enum sotto_operation_name all)
{
	if (far)
		return sotto_expression_word(a, all);
	return SOTTO_APPLY(a, rows < 0 ? SOTTO_OP_ROWS_BEFORE : SOTTO_OP_ROWS_AFTER,
			   sotto_expression_whole(a, rows < 0 ? -rows : rows));
}

/* ROWS BETWEEN x AND y.  All rows, without an order, need no frame. */
static enum sotto_status
add_frame(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_over *w)
{
	const struct sotto_sql_frame *f = &e->window->frame;

	if (!f->given || (f->from_far && f->to_far && w->order_count == 0))
		return SOTTO_OK;
	if (b->unit)
		return sotto_bind_refuse(b, e,
					 "a window over private rows has no ROWS or RANGE; "
					 "leave it out, or group first");
	if (w->order_count == 0)
		return sotto_bind_refuse(b, e, "ROWS needs ORDER BY in the window");
	if (!f->from_far && !f->to_far && f->from > f->to)
		return sotto_bind_refuse(b, e, "the frame ends before it begins");
	SOTTO_TRY(sotto_bind_made(
		b, &w->first,
		frame_end(b->arena, f->from_far, f->from, SOTTO_OP_ROWS_ALL_BEFORE)));
	return sotto_bind_made(b, &w->last,
			       frame_end(b->arena, f->to_far, f->to, SOTTO_OP_ROWS_ALL_AFTER));
}

/*
 * -0.0 and 0.0 are equal to an order, but not as text.  What no question can read decides nothing:
 * rows that differ there alone are alike in everything, and a list may be of any length.
 */
static enum sotto_status add_ties(struct sotto_binder *b, struct sotto_over *w)
{
	for (size_t i = 0; b->unit && i < b->scope->count; i++) {
		const struct sotto_bound *x = &b->scope->columns[i]->bound;

		if (x->type != SOTTO_TYPE_OTHER)
			SOTTO_TRY(push(b, &w->orders, &w->order_count,
				       sotto_expression_cast(b->arena, SOTTO_OP_CAST, x->value,
							     SOTTO_TYPE_TEXT)));
	}
	return b->unit ? sotto_load_add(b, sotto_load_ties(b->scope)) : SOTTO_OK;
}

static enum sotto_status over(struct sotto_binder *b, const struct sotto_over *w,
			      const struct sotto_expression *call,
			      const struct sotto_expression **out)
{
	return sotto_bind_made(b, out, sotto_expression_over(b->arena, call, w));
}

/* Where rows are equal to the order, all their columns decide if it matters which comes first. */
static const struct {
	const char *name;
	enum sotto_operation_name operation;
	size_t args;
	bool ties;
	bool shared; /* only over public and finished rows */
	enum sotto_operation_name by; /* with a number of rows as second argument */
} functions[] = {
	{"row_number", SOTTO_OP_ROW_NUMBER, 0, true, false, SOTTO_OP_ROW_NUMBER},
	{"rank", SOTTO_OP_RANK, 0, false, false, SOTTO_OP_RANK},
	{"dense_rank", SOTTO_OP_DENSE_RANK, 0, false, false, SOTTO_OP_DENSE_RANK},
	{"percent_rank", SOTTO_OP_PERCENT_RANK, 0, false, true, SOTTO_OP_PERCENT_RANK},
	{"cume_dist", SOTTO_OP_CUME_DIST, 0, false, true, SOTTO_OP_CUME_DIST},
	{"ntile", SOTTO_OP_NTILE, 1, true, true, SOTTO_OP_NTILE},
	{"lag", SOTTO_OP_LAG, 1, true, false, SOTTO_OP_LAG_BY},
	{"lead", SOTTO_OP_LEAD, 1, true, false, SOTTO_OP_LEAD_BY},
	{"first_value", SOTTO_OP_FIRST_VALUE, 1, true, false, SOTTO_OP_FIRST_VALUE},
	{"last_value", SOTTO_OP_LAST_VALUE, 1, true, true, SOTTO_OP_LAST_VALUE},
};

/* A number of rows that is written out. */
static enum sotto_status bind_rows(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   long least, const struct sotto_expression **out)
{
	char *end = NULL;
	long n = e->kind == SOTTO_SQL_NUMBER ? strtol(e->text, &end, 10) : -1;

	if (n < least || n > 1000000 || *end)
		return sotto_bind_refuse(
			b, e, "the number of rows is written out, from %ld to 1000000", least);
	*out = sotto_expression_whole(b->arena, n);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Without arguments or, as NTILE(4), with a number alone: what counts rows. */
static enum sotto_status bind_position(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       enum sotto_operation_name name,
				       const struct sotto_over *w, struct sotto_bound *out)
{
	bool part = name == SOTTO_OP_PERCENT_RANK || name == SOTTO_OP_CUME_DIST;
	const struct sotto_expression *n;

	*out = (struct sotto_bound){.type = part ? SOTTO_TYPE_NUMBER : SOTTO_TYPE_INTEGER,
				    .is_double = part};
	if (b->unit)
		SOTTO_TRY(sotto_range_of(b->arena, 1, (long)b->most_rows, &out->range));
	if (e->count == 0)
		return over(b, w, sotto_expression_word(b->arena, name), &out->value);
	SOTTO_TRY(bind_rows(b, e->args[0], 1, &n));
	return over(b, w, SOTTO_APPLY(b->arena, name, n), &out->value);
}

/* LAG(x, n, d): so many rows away, and a number where there is no such row. */
struct away {
	const struct sotto_expression *rows, *missing; /* NULL: one row; no value */
	struct sotto_value_range range; /* of what is missing */
};

static enum sotto_status bind_away(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_bound *x, struct away *out)
{
	struct sotto_bound d;

	*out = (struct away){0};
	if (e->count < 2)
		return SOTTO_OK;
	SOTTO_TRY(bind_rows(b, e->args[1], 0, &out->rows));
	if (e->count < 3)
		return SOTTO_OK;
	SOTTO_TRY(sotto_bind(b, e->args[2], &d));
	if (!d.number || (x->type != SOTTO_TYPE_INTEGER && x->type != SOTTO_TYPE_NUMBER) ||
	    (x->type == SOTTO_TYPE_INTEGER && d.type != SOTTO_TYPE_INTEGER))
		return sotto_bind_refuse(
			b, e->args[2],
			"the third argument of %s is a number of the type of "
			"the first, written out; otherwise write COALESCE(%s(x) "
			"OVER (...), y)",
			e->text, e->text);
	if (x->type == SOTTO_TYPE_NUMBER) {
		SOTTO_TRY(sotto_bind_as(b, e, x, SOTTO_TYPE_NUMBER, &x->value));
		x->is_double = true;
	}
	out->range = d.range;
	return sotto_bind_made(b, &out->missing,
			       sotto_expression_number(b->arena, d.number, x->is_double));
}

/* A value of another row. */
static enum sotto_status passed_on(struct sotto_binder *b, const struct sotto_over *w,
				   enum sotto_operation_name name, const struct away *away,
				   const struct sotto_expression *x,
				   const struct sotto_expression **out)
{
	const struct sotto_expression *call =
		away->missing ? SOTTO_APPLY(b->arena, name, x, away->rows, away->missing)
		: away->rows  ? SOTTO_APPLY(b->arena, name, x, away->rows)
			      : SOTTO_APPLY(b->arena, name, x);

	return over(b, w, call, out);
}

static enum sotto_operation_name name_away(size_t i, const struct away *away)
{
	if (away->missing)
		return functions[i].by == SOTTO_OP_LAG_BY ? SOTTO_OP_LAG_OR : SOTTO_OP_LEAD_OR;
	return away->rows ? functions[i].by : functions[i].operation;
}

/* A number of rows, or a value of the argument. */
static enum sotto_status bind_row_function(struct sotto_binder *b,
					   const struct sotto_sql_expr *e, size_t i,
					   const struct sotto_over *w, struct sotto_bound *out)
{
	enum sotto_operation_name name = functions[i].operation;
	struct sotto_bound x;
	struct away away;
	bool by = (e->count == 2 || e->count == 3) && functions[i].by != name;

	if ((e->count != functions[i].args && !by) || e->distinct || e->filter)
		return sotto_bind_refuse(b, e, "%s takes %zu arguments here", e->text,
					 functions[i].args);
	if (functions[i].shared && b->unit)
		return sotto_bind_refuse(b, e,
					 "%s is for groups; over private rows there are "
					 "row_number, rank, dense_rank, lag, lead and "
					 "first_value",
					 e->text);
	if (e->count == 0 || name == SOTTO_OP_NTILE)
		return bind_position(b, e, name, w, out);
	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	SOTTO_TRY(bind_away(b, e, &x, &away));
	name = name_away(i, &away);
	*out = (struct sotto_bound){.type = x.type,
				    .is_double = x.is_double,
				    .nullable = true,
				    .noisy = x.noisy,
				    .range = x.range,
				    .step = away.missing ? NULL : x.step};
	if (away.missing)
		out->range = sotto_range_hull(x.range, away.range);
	else
		sotto_decimal_take(out, &x);
	SOTTO_TRY(passed_on(b, w, name, &away, x.value, &out->value));
	if (!x.low) /* the ends are those of the row whose value it is */
		return SOTTO_OK;
	SOTTO_TRY(passed_on(b, w, name, &away, x.low, &out->low));
	return passed_on(b, w, name, &away, x.high, &out->high);
}

static enum sotto_status bind_public(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const struct sotto_over *w, struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(e->text);
	struct sotto_bound x = {.value = sotto_expression_word(b->arena, SOTTO_OP_STAR)};
	struct sotto_binder rows = *b;
	bool number = record->public_number;

	if (!record->public_window || e->count != 1 || e->filter)
		return sotto_bind_refuse(
			b, e, "this form of %.40s is not supported in a window", e->text);
	if (sotto_interval_needs_all(b, record->engine))
		rows.together = b->joint;
	if (e->args[0]->kind != SOTTO_SQL_STAR) {
		SOTTO_TRY(sotto_bind(&rows, e->args[0], &x));
		if (number)
			SOTTO_TRY(sotto_bind_as(b, e, &x, SOTTO_TYPE_NUMBER, &x.value));
	}
	*out = (struct sotto_bound){.type = record->unit == SOTTO_UNIT_COUNT
						    ? SOTTO_TYPE_INTEGER
					    : number ? SOTTO_TYPE_NUMBER
						     : x.type,
				    .is_double = number || x.is_double,
				    .nullable = true,
				    .noisy = x.noisy || b->picks};
	SOTTO_TRY(sotto_interval_aggregate(b, record->engine, &x, w, out));
	return over(b, w, SOTTO_APPLY(b->arena, record->engine, x.value), &out->value);
}

static enum sotto_status bind_aggregate(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const struct sotto_over *w, struct sotto_bound *out)
{
	if (e->distinct)
		return sotto_bind_refuse(b, e,
					 "DISTINCT inside a window function is not supported");
	return b->unit ? sotto_unit_aggregate(b, e, b->most_rows, w, out)
		       : bind_public(b, e, w, out);
}

enum sotto_status sotto_bind_window(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    struct sotto_bound *out)
{
	struct sotto_binder inner = *b;
	struct sotto_over w = {0};
	bool alone, noisy;

	if (!b->windows)
		return sotto_bind_refuse(
			b, e,
			"window functions are not supported here; use GROUP BY, "
			"or put them into a subquery and divide the window by the "
			"privacy unit");
	inner.windows = false;
	inner.aggregates = b->aggregates && !b->unit;
	SOTTO_TRY(add_parts(&inner, e, &w, &alone));
	SOTTO_TRY(add_orders(&inner, e, &w, &noisy));
	SOTTO_TRY(add_frame(&inner, e, &w));
	if (sotto_aggregate_find(e->text))
		return bind_aggregate(&inner, e, &w, out);
	if (noisy && b->joint) /* the first of an order by noise has unusual noise */
		inner.together = b->joint;
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		if (strcmp(functions[i].name, e->text) != 0)
			continue;
		if (functions[i].ties)
			SOTTO_TRY(add_ties(&inner, &w));
		SOTTO_TRY(bind_row_function(&inner, e, i, &w, out));
		out->noisy = out->noisy || noisy;
		out->is_place = alone && functions[i].operation == SOTTO_OP_ROW_NUMBER;
		return SOTTO_OK;
	}
	return sotto_bind_refuse(b, e,
				 "the window function %.40s is not on the list of reviewed "
				 "functions (row_number, rank, dense_rank, percent_rank, "
				 "cume_dist, ntile, lag, lead, first_value, last_value, and "
				 "aggregates)",
				 e->text);
}
