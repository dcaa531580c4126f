/*
 * Aggregates over rows of one unit.  They are exact, because what they give is
 * again a value of that unit; but they must not depend on the order of rows, so
 * numbers are added as whole numbers of steps and never as doubles.
 */
#include "central/relation/unit_aggregate.h"

#include "central/aggregate/aggregate.h"
#include "central/aggregate/measure/measure_add.h"
#include "central/aggregate/measure/summand.h"
#include "central/expression/bind.h"
#include "central/expression/number/decimal.h"
#include "central/expression/range/public_range.h"
#include "central/expression/range/value_range.h"
#include "central/plan/planner.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

/* name(x) with FILTER and OVER behind it. */
static enum sotto_status
call_over(struct sotto_binder *b, const struct sotto_sql_expr *call,
	  enum sotto_operation_name name, const struct sotto_expression *x,
	  const struct sotto_over *over, const struct sotto_expression **out)
{
	const struct sotto_expression *value = SOTTO_APPLY(b->arena, name, x);
	struct sotto_bound condition;

	if (call->filter) {
		SOTTO_TRY(sotto_bind_condition(b, call->filter, &condition));
		value = SOTTO_APPLY(b->arena, SOTTO_OP_FILTER, value, condition.value);
	}
	return sotto_bind_made(b, out,
			       over ? sotto_expression_over(b->arena, value, over) : value);
}

/* NaN counts as NULL, and -0.0 is 0.0: equal values are the same value. */
static enum sotto_status plain_value(struct sotto_binder *b, const struct sotto_bound *x,
				     const struct sotto_expression **out)
{
	*out = x->value;
	if (x->type != SOTTO_TYPE_NUMBER && !x->is_double)
		return SOTTO_OK;
	return sotto_bind_made(b, out, SOTTO_APPLY(b->arena, SOTTO_OP_PLAIN, x->value));
}

static enum sotto_status count_rows(struct sotto_binder *b, const struct sotto_sql_expr *call,
				    int64_t most, const struct sotto_over *over,
				    struct sotto_bound *out)
{
	struct sotto_bound x;
	const struct sotto_expression *value = sotto_expression_word(b->arena, SOTTO_OP_STAR);

	if (call->count != 1)
		return sotto_bind_refuse(b, call, "COUNT takes one argument or *");
	if (call->args[0]->kind != SOTTO_SQL_STAR) {
		SOTTO_TRY(sotto_bind(b, call->args[0], &x));
		SOTTO_TRY(plain_value(b, &x, &value));
	}
	*out = (struct sotto_bound){.type = SOTTO_TYPE_INTEGER};
	SOTTO_TRY(sotto_range_of(b->arena, 0, (long)most, &out->range));
	return call_over(b, call, call->distinct ? SOTTO_OP_COUNT_DISTINCT : SOTTO_OP_COUNT,
			 value, over, &out->value);
}

/* A value in whole steps within its range, and the step. */
static enum sotto_status in_steps(struct sotto_binder *b, const struct sotto_sql_expr *call,
				  const struct sotto_bound *x, struct sotto_rational *step,
				  const struct sotto_expression **out)
{
	const struct sotto_expression *number;
	int64_t lo, hi;

	sotto_step_choose(x, step);
	if (!sotto_step_count(x->range.lo, step, &lo) ||
	    !sotto_step_count(x->range.hi, step, &hi))
		return sotto_bind_refuse(b, call,
					 "the step is too fine for the bounds; declare a "
					 "coarser step");
	SOTTO_TRY(sotto_bind_as(b, call, x, SOTTO_TYPE_NUMBER, &number));
	number = SOTTO_APPLY(b->arena, SOTTO_OP_UNIT_STEPS, number,
			     sotto_expression_number(b->arena, step, true));
	return sotto_bind_made(b, out,
			       SOTTO_APPLY(b->arena, SOTTO_OP_CLIP_STEPS, number,
					   sotto_expression_whole(b->arena, lo),
					   sotto_expression_whole(b->arena, hi)));
}

/* Between one value and most of them are added. */
static enum sotto_status sum_range(struct sotto_binder *b, int64_t most,
				   struct sotto_value_range x, struct sotto_value_range *out)
{
	struct sotto_value_range times;

	SOTTO_TRY(sotto_range_of(b->arena, 1, (long)most, &times));
	return sotto_range_multiply(b->arena, x, times, out);
}

/* A whole number of steps is a decimal if the step is one. */
static enum sotto_status
settle_steps(struct sotto_binder *b, const struct sotto_rational *step, struct sotto_bound *out)
{
	out->is_decimal = sotto_decimal_digits(step, &out->scale);
	out->is_rough = out->is_decimal && out->scale > 0;
	return sotto_decimal_settle(b, out);
}

static enum sotto_status add_up(struct sotto_binder *b, const struct sotto_sql_expr *call,
				int64_t most, const struct sotto_over *over, bool average,
				struct sotto_bound *out)
{
	struct sotto_rational *step = sotto_arena_rational(b->arena);
	const struct sotto_expression *steps, *sum, *count, *size;
	struct sotto_bound x;

	SOTTO_NEED(step);
	SOTTO_TRY(sotto_summand_within(b, call, call->args[0], &x));
	if (!sotto_range_is_closed(x.range)) /* a truth value */
		SOTTO_TRY(sotto_range_of(b->arena, 0, 1, &x.range));
	SOTTO_TRY(in_steps(b, call, &x, step, &steps));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_NUMBER,
				    .is_double = true,
				    .nullable = true,
				    .range = x.range};
	SOTTO_TRY(call_over(b, call, SOTTO_OP_SUM, steps, over, &sum));
	size = sotto_expression_number(b->arena, step, true);
	if (!average) {
		out->type = x.type == SOTTO_TYPE_INTEGER ? x.type : SOTTO_TYPE_NUMBER;
		SOTTO_TRY(sum_range(b, most, x.range, &out->range));
		SOTTO_TRY(sotto_bind_made(
			b, &out->value, SOTTO_APPLY(b->arena, SOTTO_OP_STEPS_SUM, sum, size)));
		return settle_steps(b, step, out);
	}
	SOTTO_TRY(call_over(b, call, SOTTO_OP_COUNT, steps, over, &count));
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_STEPS_AVERAGE, sum, size, count));
}

/* MIN, MAX, BOOL_AND and BOOL_OR: one of the values, or made of them alone. */
static enum sotto_status choose(struct sotto_binder *b, const struct sotto_sql_expr *call,
				const struct sotto_over *over, struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(call->text);
	bool truth = record->unit == SOTTO_UNIT_TRUTH;
	const struct sotto_expression *value;
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, call->args[0], &x));
	SOTTO_TRY(sotto_public_range(b, &x));
	if (truth)
		SOTTO_TRY(sotto_bind_as(b, call, &x, SOTTO_TYPE_BOOLEAN, &value));
	else
		SOTTO_TRY(plain_value(b, &x, &value));
	*out = (struct sotto_bound){.type = truth ? SOTTO_TYPE_BOOLEAN : x.type,
				    .is_double = x.is_double || x.type == SOTTO_TYPE_NUMBER,
				    .nullable = true,
				    .range = x.range,
				    .step = x.step};
	sotto_decimal_take(out, &x);
	return call_over(b, call, record->engine, value, over, &out->value);
}

enum sotto_status sotto_unit_aggregate(struct sotto_binder *b,
				       const struct sotto_sql_expr *call, int64_t most,
				       const struct sotto_over *over, struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(call->text);
	enum sotto_unit_form form = record ? record->unit : SOTTO_UNIT_NONE;
	bool plain = call->count == 1 && call->args[0]->kind != SOTTO_SQL_STAR &&
		     !call->distinct && !call->within;

	if (form == SOTTO_UNIT_COUNT)
		return count_rows(b, call, most, over, out);
	if (plain && (form == SOTTO_UNIT_SUM || form == SOTTO_UNIT_AVG))
		return add_up(b, call, most, over, form == SOTTO_UNIT_AVG, out);
	if (plain && (form == SOTTO_UNIT_VALUE || form == SOTTO_UNIT_TRUTH))
		return choose(b, call, over, out);
	return sotto_bind_refuse(b, call,
				 "over the rows of one unit there are COUNT, COUNT(DISTINCT "
				 "x), SUM, AVG, MIN, MAX, BOOL_AND and BOOL_OR, not this form "
				 "of %.40s",
				 call->text);
}
