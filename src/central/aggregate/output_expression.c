/*
 * Outputs over keys and aggregates.  All of this is post-processing of noisy
 * values and costs nothing; what it may call is a list of its own, because it
 * is computed here and not by the engine.
 */
#include "central/aggregate/output_expression.h"

#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/aggregate/output_date.h"
#include "central/aggregate/output_derive.h"
#include "central/aggregate/output_operand.h"
#include "central/expression/bind.h"
#include "central/expression/row_function.h"
#include "central/expression/range/value_range.h"
#include "central/plan/planner.h"
#include "central/relation/relation.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

/* Over aggregates: of the reviewed functions those that evaluate.c can compute, and these forms. */
static bool is_computable(const struct sotto_sql_expr *call)
{
	const struct sotto_function *f = sotto_function_find(call->text);

	switch (sotto_sql_expr_form(call)) {
	case SOTTO_SQL_FORM_COALESCE:
	case SOTTO_SQL_FORM_GREATEST:
	case SOTTO_SQL_FORM_LEAST:
	case SOTTO_SQL_FORM_NULLIF:
	case SOTTO_SQL_FORM_CLIP:
	case SOTTO_SQL_FORM_CONCAT:
		return true;
	case SOTTO_SQL_FORM_CONCAT_WS:
	case SOTTO_SQL_FORM_TIMEZONE:
		return false;
	case SOTTO_SQL_FORM_NONE:
		break;
	}
	return f && (f->answer.one || f->answer.two);
}

/* Does it read a column or a table, so that only the engine can compute it? */
static bool has_column(const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_COLUMN || e->select)
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (has_column(e->args[i]))
			return true;
	return false;
}

static enum sotto_status refuse_column(struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	return sotto_bind_refuse(
		b, e,
		"the column %.60s would show single rows; put it into GROUP BY "
		"or inside an aggregate",
		e->text);
}

/* True if every column in e is one of the keys. */
static bool
keys_only(struct sotto_plan *plan, struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	struct sotto_bound bound;
	struct sotto_error *err = b->err;
	enum sotto_status st;
	size_t key;

	if (e->kind == SOTTO_SQL_COLUMN) {
		b->err = NULL;
		st = sotto_bind(b, e, &bound);
		b->err = err;
		return st == SOTTO_OK && sotto_output_find_key(plan, bound.value, &key);
	}
	for (size_t i = 0; i < e->count; i++)
		if (!keys_only(plan, b, e->args[i]))
			return false;
	return true;
}

bool sotto_output_is_condition(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	bool merged = sotto_sql_expr_chooses(e);

	if (e->kind == SOTTO_SQL_NULL)
		return true;
	if (!merged && e->kind != SOTTO_SQL_CASE)
		return sotto_output_type(plan, e) == SOTTO_TYPE_BOOLEAN;
	for (size_t i = 0; i < e->count; i++) {
		bool when = !merged && i % 2 == 0 && i + 1 < e->count;

		if (!when && !sotto_output_is_condition(plan, e->args[i]))
			return false;
	}
	return true;
}

enum sotto_status
sotto_output_refuse_condition(struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	return sotto_bind_refuse(
		b, e,
		"a condition is expected here, which is true or false; write a "
		"comparison, like COUNT(*) > 10");
}

/* AND, OR, NOT, IS TRUE and WHEN take conditions. */
static enum sotto_status check_conditions(const struct sotto_plan *plan, struct sotto_binder *b,
					  const struct sotto_sql_expr *e)
{
	bool logic =
		e->kind == SOTTO_SQL_OP &&
		(e->op == SOTTO_SQL_AND || e->op == SOTTO_SQL_OR || e->op == SOTTO_SQL_NOT ||
		 e->op == SOTTO_SQL_IS_TRUE || e->op == SOTTO_SQL_IS_FALSE);

	for (size_t i = 0; i < e->count; i++) {
		bool when = e->kind == SOTTO_SQL_CASE && i % 2 == 0 && i + 1 < e->count;

		if ((logic || when) && !sotto_output_is_condition(plan, e->args[i]))
			return sotto_output_refuse_condition(b, e->args[i]);
	}
	return SOTTO_OK;
}

/* Of EXTRACT(EPOCH FROM a - b) the parts are a and b: the difference stands for itself. */
static enum sotto_status rewrite_args(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *e,
				      struct sotto_sql_expr *copy)
{
	for (size_t i = 0; i < e->count; i++) {
		const struct sotto_sql_expr *x = e->args[i];

		if (!sotto_output_is_span(e) || x->kind != SOTTO_SQL_OP) {
			SOTTO_TRY(sotto_output_rewrite(plan, b, x, &copy->args[i]));
			continue;
		}
		copy->args[i] = sotto_sql_expr_copy(&plan->arena, x);
		SOTTO_NEED(copy->args[i]);
		SOTTO_TRY(rewrite_args(plan, b, x, copy->args[i]));
	}
	return SOTTO_OK;
}

static enum sotto_status rewrite_parts(struct sotto_plan *plan, struct sotto_binder *b,
				       const struct sotto_sql_expr *e,
				       struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *copy;

	if (e->kind == SOTTO_SQL_CALL &&
	    ((!is_computable(e) && !sotto_output_is_span(e)) || e->over || e->distinct))
		return sotto_bind_refuse(
			b, e,
			"the function %.40s cannot be applied to aggregates; ask for the "
			"aggregates and compute with the answer",
			e->text);
	if (e->kind == SOTTO_SQL_OP && (e->op == SOTTO_SQL_LIKE || e->op == SOTTO_SQL_ILIKE))
		return sotto_bind_refuse(b, e, "aggregates are numbers: LIKE does not apply");
	if (e->select)
		return sotto_bind_refuse(
			b, e, "IN (SELECT ...) cannot be applied to aggregates; write a list");
	copy = sotto_sql_expr_copy(&plan->arena, e);
	SOTTO_NEED(copy);
	SOTTO_TRY(rewrite_args(plan, b, e, copy));
	*out = copy;
	SOTTO_TRY(sotto_output_span(plan, b, copy));
	SOTTO_TRY(sotto_output_check_operands(plan, b, copy));
	return check_conditions(plan, b, copy);
}

/* What is shown was computed as a key: it is no more work for each row. */
static enum sotto_status
bind_quietly(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_binder lazy = *b;

	lazy.lazy = true;
	return sotto_bind(&lazy, e, out);
}

/* What was bound over rows and is not a key: over the groups its subqueries are bound anew. */
static void forget_parts(struct sotto_planner *p, const struct sotto_planner *before)
{
	p->part_count = before->part_count;
	p->check_count = before->check_count;
	p->subquery_count = before->subquery_count;
}

bool sotto_output_is_key(struct sotto_plan *plan, struct sotto_binder *b,
			 const struct sotto_sql_expr *e)
{
	static const char *const names[] = {"any_value", "first", "last", "min", "max"};
	bool named = false;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		named = named || strcmp(names[i], e->text) == 0;
	return named && e->count == 1 && !e->filter && !e->within &&
	       !sotto_expr_has_aggregate(e->args[0]) && has_column(e->args[0]) &&
	       keys_only(plan, b, e->args[0]);
}

enum sotto_status sotto_output_rewrite(struct sotto_plan *plan, struct sotto_binder *b,
				       const struct sotto_sql_expr *e,
				       struct sotto_sql_expr **out)
{
	const struct sotto_aggregate_record *record =
		e->kind == SOTTO_SQL_CALL && !e->over ? sotto_aggregate_find(e->text) : NULL;
	const struct sotto_planner before = *b->planner;
	struct sotto_sql_expr *expanded;
	struct sotto_bound bound;
	size_t index;
	bool done;

	if (record && sotto_output_is_key(plan, b, e))
		return sotto_output_rewrite(plan, b, e->args[0], out);
	if (record && record->expand) {
		SOTTO_TRY(record->expand(b, e, &expanded));
		return sotto_output_rewrite(plan, b, expanded, out);
	}
	if (record) {
		SOTTO_TRY(sotto_aggregate_add(plan, b, e, &index));
		*out = sotto_output_leaf(plan, SOTTO_SQL_VALUE, index, e->at);
		SOTTO_NEED(*out);
		(*out)->type = plan->aggregates[index].type;
		return SOTTO_OK;
	}
	if (!sotto_expr_has_aggregate(e) && has_column(e)) {
		SOTTO_TRY(bind_quietly(b, e, &bound));
		if (sotto_output_find_key(plan, bound.value, &index)) {
			*out = sotto_output_leaf(plan, SOTTO_SQL_KEY, index, e->at);
			return *out ? SOTTO_OK : SOTTO_ENOMEM;
		}
		forget_parts(b->planner, &before);
		if (keys_only(plan, b, e))
			return sotto_output_derive(plan, b, e, out);
		SOTTO_TRY(sotto_output_derive_moment(plan, b, e, &bound, out, &done));
		if (done)
			return SOTTO_OK;
	}
	if (e->kind == SOTTO_SQL_COLUMN)
		return refuse_column(b, e);
	return rewrite_parts(plan, b, e, out);
}

bool sotto_output_is_noisy(const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_VALUE)
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (sotto_output_is_noisy(e->args[i]))
			return true;
	return false;
}

static sotto_range_fn range_of_operator(enum sotto_sql_op op)
{
	switch (op) {
	case SOTTO_SQL_ADD:
		return sotto_range_add;
	case SOTTO_SQL_SUBTRACT:
		return sotto_range_subtract;
	case SOTTO_SQL_MULTIPLY:
		return sotto_range_multiply;
	case SOTTO_SQL_DIVIDE:
		return sotto_range_divide;
	default:
		return NULL;
	}
}

static enum sotto_status
number_range(struct sotto_arena *a, const char *text, struct sotto_value_range *out)
{
	struct sotto_rational *r = sotto_arena_rational(a);

	SOTTO_NEED(r);
	if (sotto_rational_parse(r, text, NULL) == SOTTO_OK)
		*out = (struct sotto_value_range){r, r};
	return SOTTO_OK;
}

/* A mean and a quantile lie where the values of rows lie; a sum need not. */
static bool is_within(const struct sotto_aggregate *a)
{
	return a->form == SOTTO_FORM_RANK || a->record->unit == SOTTO_UNIT_AVG;
}

enum sotto_status sotto_output_range(const struct sotto_plan *plan,
				     const struct sotto_sql_expr *e, struct sotto_arena *a,
				     struct sotto_value_range *out)
{
	sotto_range_fn f = e->kind == SOTTO_SQL_OP ? range_of_operator(e->op) : NULL;
	struct sotto_value_range x, y;

	*out = (struct sotto_value_range){NULL, NULL};
	if (e->kind == SOTTO_SQL_VALUE && is_within(&plan->aggregates[e->index]))
		*out = plan->aggregates[e->index].range;
	if (e->kind == SOTTO_SQL_NUMBER)
		return number_range(a, e->text, out);
	if (!f)
		return SOTTO_OK;
	SOTTO_TRY(sotto_output_range(plan, e->args[0], a, &x));
	SOTTO_TRY(sotto_output_range(plan, e->args[1], a, &y));
	return f(a, x, y, out);
}
