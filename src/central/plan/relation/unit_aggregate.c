/*
 * Aggregates over rows of one unit.  They are exact, because what they give is
 * again a value of that unit; but they must not depend on the order of rows, so
 * numbers are added as whole numbers of steps and never as doubles.
 */
#include "central/plan/relation/unit_aggregate.h"

#include "central/plan/aggregate/aggregate.h"
#include "central/plan/aggregate/measure_add.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

/* aggregate(...) with FILTER and OVER behind it. */
static enum sotto_status finish(struct sotto_binder *b, const struct sotto_sql_expr *call,
				const char *over, const char **sql)
{
	struct sotto_bound condition;

	if (call->filter) {
		SOTTO_TRY(sotto_bind_condition(b, call->filter, &condition));
		SOTTO_TRY(sotto_bind_print(b, sql, "$1 FILTER (WHERE $2)",
					   (const char *[]){*sql, condition.sql}, 2));
	}
	return sotto_bind_print(b, sql, "$1$2", (const char *[]){*sql, over}, 2);
}

/* NaN counts as NULL, and -0.0 is 0.0: equal values are the same value. */
static enum sotto_status
plain_value(struct sotto_binder *b, const struct sotto_bound *x, const char **out)
{
	*out = x->sql;
	if (x->type != SOTTO_TYPE_NUMBER && !x->is_double)
		return SOTTO_OK;
	return sotto_bind_print(b, out,
				"(nullif(TRY_CAST($1 AS DOUBLE), CAST('NaN' AS DOUBLE)) + "
				"CAST(0 AS DOUBLE))",
				&x->sql, 1);
}

static enum sotto_status count_rows(struct sotto_binder *b, const struct sotto_sql_expr *call,
				    int64_t most, const char *over, struct sotto_bound *out)
{
	struct sotto_bound x;
	const char *value = "*";

	if (call->count != 1)
		return sotto_bind_refuse(b, call, "COUNT takes one argument or *");
	if (call->args[0]->kind != SOTTO_SQL_STAR) {
		SOTTO_TRY(sotto_bind(b, call->args[0], &x));
		SOTTO_TRY(plain_value(b, &x, &value));
	}
	*out = (struct sotto_bound){.type = SOTTO_TYPE_INTEGER};
	SOTTO_TRY(sotto_range_of(b->arena, 0, (long)most, &out->range));
	SOTTO_TRY(sotto_bind_print(
		b, &out->sql, call->distinct ? "count(DISTINCT $1)" : "count($1)", &value, 1));
	return finish(b, call, over, &out->sql);
}

/* A value in whole steps within its range, and the step. */
static enum sotto_status in_steps(struct sotto_binder *b, const struct sotto_sql_expr *call,
				  const struct sotto_bound *x, struct sotto_rational *step,
				  const char **out)
{
	const char *args[4];
	int64_t lo, hi;

	if (!sotto_range_is_closed(x->range))
		return sotto_bind_refuse(b, call,
					 "the argument of %s has no bounds; declare them in "
					 "the policy or write clip(x, lowest, highest)",
					 call->text);
	sotto_step_choose(x, step);
	if (!sotto_step_count(x->range.lo, step, &lo) ||
	    !sotto_step_count(x->range.hi, step, &hi))
		return sotto_bind_refuse(b, call,
					 "the step is too fine for the bounds; declare a "
					 "coarser step");
	SOTTO_TRY(sotto_bind_as(b, call, x, SOTTO_TYPE_NUMBER, &args[0]));
	args[1] = sotto_bind_number(b->arena, step, true);
	args[2] = sotto_arena_textf(b->arena, "%lld", (long long)lo);
	args[3] = sotto_arena_textf(b->arena, "%lld", (long long)hi);
	SOTTO_NEED(args[1] && args[2] && args[3]);
	SOTTO_TRY(sotto_bind_print(b, &args[0], "nullif(round($1 / $2), CAST('NaN' AS DOUBLE))",
				   args, 2));
	return sotto_bind_print(b, out,
				"CAST(CASE WHEN $1 < $3 THEN $3 WHEN $1 > $4 THEN $4 ELSE $1 "
				"END AS BIGINT)",
				args, 4);
}

/* Between one value and most of them are added. */
static enum sotto_status sum_range(struct sotto_binder *b, int64_t most,
				   struct sotto_value_range x, struct sotto_value_range *out)
{
	struct sotto_value_range times;

	SOTTO_TRY(sotto_range_of(b->arena, 1, (long)most, &times));
	return sotto_range_multiply(b->arena, x, times, out);
}

static enum sotto_status add_up(struct sotto_binder *b, const struct sotto_sql_expr *call,
				int64_t most, const char *over, bool average,
				struct sotto_bound *out)
{
	struct sotto_rational *step = sotto_arena_rational(b->arena);
	const char *steps, *sql[3];
	struct sotto_bound x;

	SOTTO_NEED(step);
	SOTTO_TRY(sotto_bind_summand(b, call->args[0], &x));
	SOTTO_TRY(in_steps(b, call, &x, step, &steps));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_NUMBER,
				    .is_double = true,
				    .nullable = true,
				    .range = x.range};
	SOTTO_TRY(sotto_bind_print(b, &sql[0], "sum($1)", &steps, 1));
	SOTTO_TRY(finish(b, call, over, &sql[0]));
	sql[1] = sotto_bind_number(b->arena, step, true);
	SOTTO_NEED(sql[1]);
	if (!average) {
		out->type = x.type == SOTTO_TYPE_INTEGER ? x.type : SOTTO_TYPE_NUMBER;
		SOTTO_TRY(sum_range(b, most, x.range, &out->range));
		return sotto_bind_print(b, &out->sql, "(CAST($1 AS DOUBLE) * $2)", sql, 2);
	}
	SOTTO_TRY(sotto_bind_print(b, &sql[2], "count($1)", &steps, 1));
	SOTTO_TRY(finish(b, call, over, &sql[2]));
	return sotto_bind_print(b, &out->sql,
				"(CAST($1 AS DOUBLE) * $2 / nullif(CAST($3 AS DOUBLE), 0))",
				sql, 3);
}

/* MIN, MAX, BOOL_AND and BOOL_OR: one of the values, or made of them alone. */
static enum sotto_status choose(struct sotto_binder *b, const struct sotto_sql_expr *call,
				const char *over, struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(call->text);
	bool truth = record->unit == SOTTO_UNIT_TRUTH;
	const char *args[2] = {record->unit_engine ? record->unit_engine : call->text};
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, call->args[0], &x));
	if (truth)
		SOTTO_TRY(sotto_bind_as(b, call, &x, SOTTO_TYPE_BOOLEAN, &args[1]));
	else
		SOTTO_TRY(plain_value(b, &x, &args[1]));
	*out = (struct sotto_bound){.type = truth ? SOTTO_TYPE_BOOLEAN : x.type,
				    .is_double = x.is_double || x.type == SOTTO_TYPE_NUMBER,
				    .nullable = true,
				    .range = x.range,
				    .step = x.step};
	SOTTO_TRY(sotto_bind_print(b, &out->sql, "$1($2)", args, 2));
	return finish(b, call, over, &out->sql);
}

enum sotto_status sotto_unit_aggregate(struct sotto_binder *b,
				       const struct sotto_sql_expr *call, int64_t most,
				       const char *over, struct sotto_bound *out)
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
