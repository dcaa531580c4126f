/*
 * Window functions.  Over private rows a window is divided by the privacy unit,
 * so that what it gives depends on rows of that unit alone; where the order
 * leaves rows equal, all their columns decide, so that only rows that are the
 * same in everything can change places.
 */
#include "central/plan/planner.h"

#include <string.h>

#include "central/plan/aggregate/aggregate.h"
#include "central/plan/relation/unit_aggregate.h"
#include "core/base/failure.h"

static enum sotto_status
append(struct sotto_binder *b, const char **sql, const char *between, const char *more)
{
	*sql = sotto_arena_textf(b->arena, "%s%s%s", *sql, between, more);
	return *sql ? SOTTO_OK : SOTTO_ENOMEM;
}

/* PARTITION BY, with the unit itself first. */
static enum sotto_status
add_parts(struct sotto_binder *b, const struct sotto_sql_expr *e, const char **sql)
{
	bool has_unit = !b->unit;
	struct sotto_bound x;

	if (b->unit)
		SOTTO_TRY(append(b, sql, "PARTITION BY ", b->unit));
	for (size_t i = 0; i < e->window->part_count; i++) {
		SOTTO_TRY(sotto_bind(b, e->window->parts[i], &x));
		has_unit = has_unit || x.is_unit;
		SOTTO_TRY(append(b, sql, i || b->unit ? ", " : "PARTITION BY ", x.sql));
	}
	if (has_unit)
		return SOTTO_OK;
	return sotto_bind_refuse(b, e,
				 "window functions over private rows need PARTITION BY the "
				 "privacy unit");
}

static enum sotto_status
add_orders(struct sotto_binder *b, const struct sotto_sql_expr *e, const char **sql)
{
	for (size_t i = 0; i < e->window->order_count; i++) {
		const struct sotto_sql_order *o = &e->window->orders[i];
		struct sotto_bound x;

		SOTTO_TRY(sotto_bind(b, o->expr, &x));
		SOTTO_TRY(append(b, sql, i ? ", " : " ORDER BY ", x.sql));
		SOTTO_TRY(append(b, sql, o->descending ? " DESC" : " ASC",
				 o->nulls_first ? " NULLS FIRST" : " NULLS LAST"));
	}
	return SOTTO_OK;
}

/* -0.0 and 0.0 are equal to an order, but not as text. */
static enum sotto_status
add_ties(struct sotto_binder *b, const struct sotto_sql_expr *e, const char **sql)
{
	for (size_t i = 0; b->unit && i < b->scope->count; i++) {
		const struct sotto_bound *c = &b->scope->columns[i]->bound;
		const char *mark = i || e->window->order_count ? ", " : " ORDER BY ";

		SOTTO_TRY(append(b, sql, mark, "CAST("));
		SOTTO_TRY(append(b, sql, c->sql, " AS VARCHAR)"));
	}
	return SOTTO_OK;
}

static const struct {
	const char *name;
	size_t most_args;
	bool ties; /* which of two equal rows comes first matters */
	bool counts; /* gives a number of rows; otherwise a value of its argument */
} functions[] = {
	{"row_number", 0, true, true},  {"rank", 0, false, true},
	{"dense_rank", 0, false, true}, {"lag", 1, true, false},
	{"lead", 1, true, false},       {"first_value", 1, true, false},
};

static enum sotto_status bind_row_function(struct sotto_binder *b,
					   const struct sotto_sql_expr *e, size_t i,
					   const char *over, struct sotto_bound *out)
{
	struct sotto_bound x;

	if (e->count != functions[i].most_args || e->distinct || e->filter)
		return sotto_bind_refuse(b, e, "%s takes %zu arguments here", e->text,
					 functions[i].most_args);
	if (functions[i].counts) {
		*out = (struct sotto_bound){.type = SOTTO_TYPE_INTEGER};
		if (b->unit)
			SOTTO_TRY(sotto_range_of(b->arena, 1, (long)b->most_rows, &out->range));
		return sotto_bind_print(b, &out->sql, "$1() OVER ($2)",
					(const char *[]){e->text, over}, 2);
	}
	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	*out = (struct sotto_bound){.type = x.type,
				    .is_double = x.is_double,
				    .nullable = true,
				    .noisy = x.noisy,
				    .range = x.range,
				    .step = x.step};
	return sotto_bind_print(b, &out->sql, "$1($2) OVER ($3)",
				(const char *[]){e->text, x.sql, over}, 3);
}

static enum sotto_status bind_public(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const char *over, struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(e->text);
	const char *args[3] = {e->text, "*", over};
	struct sotto_bound x = {0};
	bool number = record->public_number;

	if (!record->public_window || e->count != 1 || e->filter)
		return sotto_bind_refuse(
			b, e, "this form of %.40s is not supported in a window", e->text);
	if (e->args[0]->kind != SOTTO_SQL_STAR) {
		SOTTO_TRY(sotto_bind(b, e->args[0], &x));
		args[1] = x.sql;
		if (number)
			SOTTO_TRY(sotto_bind_as(b, e, &x, SOTTO_TYPE_NUMBER, &args[1]));
	}
	*out = (struct sotto_bound){.type = record->unit == SOTTO_UNIT_COUNT
						    ? SOTTO_TYPE_INTEGER
					    : number ? SOTTO_TYPE_NUMBER
						     : x.type,
				    .is_double = number || x.is_double,
				    .nullable = true,
				    .noisy = x.noisy};
	return sotto_bind_print(b, &out->sql, "$1($2)$3", args, 3);
}

static enum sotto_status bind_aggregate(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const char *over, struct sotto_bound *out)
{
	const char *text = sotto_arena_textf(b->arena, " OVER (%s)", over);

	SOTTO_NEED(text);
	if (e->distinct)
		return sotto_bind_refuse(b, e,
					 "DISTINCT inside a window function is not supported");
	return b->unit ? sotto_unit_aggregate(b, e, b->most_rows, text, out)
		       : bind_public(b, e, text, out);
}

enum sotto_status sotto_bind_window(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    struct sotto_bound *out)
{
	struct sotto_binder inner = *b;
	const char *over = "";

	if (!b->windows)
		return sotto_bind_refuse(
			b, e,
			"window functions are not supported here; use GROUP BY, "
			"or put them into a subquery and divide the window by the "
			"privacy unit");
	inner.windows = false;
	inner.aggregates = b->aggregates && !b->unit;
	SOTTO_TRY(add_parts(&inner, e, &over));
	SOTTO_TRY(add_orders(&inner, e, &over));
	if (sotto_aggregate_find(e->text))
		return bind_aggregate(&inner, e, over, out);
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		if (strcmp(functions[i].name, e->text) != 0)
			continue;
		if (functions[i].ties)
			SOTTO_TRY(add_ties(&inner, e, &over));
		return bind_row_function(&inner, e, i, over, out);
	}
	return sotto_bind_refuse(b, e,
				 "the window function %.40s is not on the list of reviewed "
				 "functions (row_number, rank, dense_rank, lag, lead, "
				 "first_value, and aggregates)",
				 e->text);
}
