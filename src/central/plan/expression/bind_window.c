/*
 * Window functions.  Over private rows a window is divided by the privacy unit,
 * so that what it gives depends on rows of that unit alone; where the order
 * leaves rows equal, all their columns decide, so that only rows that are the
 * same in everything can change places.
 */
#include "central/plan/expression/bind.h"

#include <string.h>

#include "central/plan/aggregate/aggregate.h"
#include "central/plan/expression/decimal.h"
#include "central/plan/expression/noisy_interval.h"
#include "central/plan/expression/row_work.h"
#include "central/plan/expression/range/value_range.h"
#include "central/plan/planner.h"
#include "central/plan/relation/unit_aggregate.h"
#include "central/plan/relation/unit_key.h"
#include "core/base/failure.h"

static enum sotto_status push(struct sotto_binder *b, const struct sotto_expression ***list,
			      size_t *count, const struct sotto_expression *x)
{
	const struct sotto_expression **slot = SOTTO_PUSH(b->arena, *list, *count);

	SOTTO_NEED(slot && x);
	*slot = x;
	return SOTTO_OK;
}

/* PARTITION BY, with the unit itself first. */
static enum sotto_status
add_parts(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_over *w)
{
	bool has_unit = !b->unit;
	struct sotto_bound x;

	if (b->unit)
		SOTTO_TRY(push(b, &w->parts, &w->part_count, b->unit));
	for (size_t i = 0; i < e->window->part_count; i++) {
		SOTTO_TRY(sotto_bind(b, e->window->parts[i], &x));
		has_unit = has_unit || sotto_bound_says_unit(b->planner->policy, &x);
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

static enum sotto_status
add_orders(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_over *w)
{
	for (size_t i = 0; i < e->window->order_count; i++) {
		const struct sotto_sql_order *o = &e->window->orders[i];
		struct sotto_bound x;

		SOTTO_TRY(sotto_bind(b, o->expr, &x));
		SOTTO_TRY(push(b, &w->orders, &w->order_count,
			       sotto_bind_order(b->arena, o, x.value)));
	}
	return SOTTO_OK;
}

/* -0.0 and 0.0 are equal to an order, but not as text. */
static enum sotto_status add_ties(struct sotto_binder *b, struct sotto_over *w)
{
	for (size_t i = 0; b->unit && i < b->scope->count; i++)
		SOTTO_TRY(push(b, &w->orders, &w->order_count,
			       sotto_expression_cast(b->arena, SOTTO_OP_CAST,
						     b->scope->columns[i]->bound.value,
						     SOTTO_TYPE_TEXT)));
	return b->unit ? sotto_load_add(b, sotto_load_ties(b->scope)) : SOTTO_OK;
}

static enum sotto_status over(struct sotto_binder *b, const struct sotto_over *w,
			      const struct sotto_expression *call,
			      const struct sotto_expression **out)
{
	return sotto_bind_made(b, out, sotto_expression_over(b->arena, call, w));
}

static const struct {
	const char *name;
	enum sotto_operation_name operation;
	size_t most_args;
	bool ties; /* which of two equal rows comes first matters */
} functions[] = {
	{"row_number", SOTTO_OP_ROW_NUMBER, 0, true},
	{"rank", SOTTO_OP_RANK, 0, false},
	{"dense_rank", SOTTO_OP_DENSE_RANK, 0, false},
	{"lag", SOTTO_OP_LAG, 1, true},
	{"lead", SOTTO_OP_LEAD, 1, true},
	{"first_value", SOTTO_OP_FIRST_VALUE, 1, true},
};

/* A number of rows, or a value of the argument. */
static enum sotto_status bind_row_function(struct sotto_binder *b,
					   const struct sotto_sql_expr *e, size_t i,
					   const struct sotto_over *w, struct sotto_bound *out)
{
	enum sotto_operation_name name = functions[i].operation;
	struct sotto_bound x;

	if (e->count != functions[i].most_args || e->distinct || e->filter)
		return sotto_bind_refuse(b, e, "%s takes %zu arguments here", e->text,
					 functions[i].most_args);
	if (e->count == 0) {
		*out = (struct sotto_bound){.type = SOTTO_TYPE_INTEGER};
		if (b->unit)
			SOTTO_TRY(sotto_range_of(b->arena, 1, (long)b->most_rows, &out->range));
		return over(b, w, sotto_expression_word(b->arena, name), &out->value);
	}
	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	*out = (struct sotto_bound){.type = x.type,
				    .is_double = x.is_double,
				    .nullable = true,
				    .noisy = x.noisy,
				    .range = x.range,
				    .step = x.step};
	sotto_decimal_take(out, &x);
	return over(b, w, SOTTO_APPLY(b->arena, name, x.value), &out->value);
}

static enum sotto_status bind_public(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const struct sotto_over *w, struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(e->text);
	struct sotto_bound x = {.value = sotto_expression_word(b->arena, SOTTO_OP_STAR)};
	bool number = record->public_number;

	if (!record->public_window || e->count != 1 || e->filter)
		return sotto_bind_refuse(
			b, e, "this form of %.40s is not supported in a window", e->text);
	if (e->args[0]->kind != SOTTO_SQL_STAR) {
		SOTTO_TRY(sotto_bind(b, e->args[0], &x));
		if (number)
			SOTTO_TRY(sotto_bind_as(b, e, &x, SOTTO_TYPE_NUMBER, &x.value));
	}
	*out = (struct sotto_bound){.type = record->unit == SOTTO_UNIT_COUNT
						    ? SOTTO_TYPE_INTEGER
					    : number ? SOTTO_TYPE_NUMBER
						     : x.type,
				    .is_double = number || x.is_double,
				    .nullable = true,
				    .noisy = x.noisy};
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

	if (!b->windows)
		return sotto_bind_refuse(
			b, e,
			"window functions are not supported here; use GROUP BY, "
			"or put them into a subquery and divide the window by the "
			"privacy unit");
	inner.windows = false;
	inner.aggregates = b->aggregates && !b->unit;
	SOTTO_TRY(add_parts(&inner, e, &w));
	SOTTO_TRY(add_orders(&inner, e, &w));
	if (sotto_aggregate_find(e->text))
		return bind_aggregate(&inner, e, &w, out);
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		if (strcmp(functions[i].name, e->text) != 0)
			continue;
		if (functions[i].ties)
			SOTTO_TRY(add_ties(&inner, &w));
		return bind_row_function(&inner, e, i, &w, out);
	}
	return sotto_bind_refuse(b, e,
				 "the window function %.40s is not on the list of reviewed "
				 "functions (row_number, rank, dense_rank, lag, lead, "
				 "first_value, and aggregates)",
				 e->text);
}
