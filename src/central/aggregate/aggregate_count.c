/*
 * COUNT of rows, of values and of different values: one measure each.
 */
#include "central/aggregate/measure/declared_value.h"
#include "central/aggregate/measure/summand.h"
#include "core/base/failure.h"

static enum sotto_status plan_distinct(struct sotto_plan *plan, struct sotto_binder *b,
				       const struct sotto_sql_expr *call,
				       const struct sotto_bound *x, size_t *measure)
{
	const struct sotto_expression *value;
	struct sotto_declared_set set;

	if (x->is_unit && plan->units)
		return sotto_count_measure(plan, b, call, SOTTO_MEASURE_UNITS, NULL, "units",
					   measure);
	SOTTO_TRY(sotto_without_nan(b, x, &value));
	SOTTO_TRY(sotto_declared_value(b, call, x, &value, &set));
	SOTTO_TRY(sotto_count_measure(plan, b, call, SOTTO_MEASURE_DISTINCT, value,
				      "different values", measure));
	plan->columns[plan->measures[*measure].column].set = set;
	return SOTTO_OK;
}

static enum sotto_status plan_count(struct sotto_plan *plan, struct sotto_binder *b,
				    const struct sotto_sql_expr *call,
				    struct sotto_aggregate *a)
{
	struct sotto_bound x;

	a->form = SOTTO_FORM_MEASURE;
	a->type = SOTTO_TYPE_INTEGER;
	if (call->count != 1)
		return sotto_bind_refuse(b, call, "COUNT takes one argument or *");
	if (call->args[0]->kind == SOTTO_SQL_STAR) {
		if (call->distinct)
			return sotto_bind_refuse(b, call,
						 "COUNT(DISTINCT *) is not supported; name "
						 "a column");
		return sotto_count_measure(plan, b, call, SOTTO_MEASURE_ROWS, NULL, "rows",
					   &a->measure);
	}
	SOTTO_TRY((call->distinct ? sotto_bind : sotto_bind_rough)(b, call->args[0], &x));
	return call->distinct ? plan_distinct(plan, b, call, &x, &a->measure)
			      : sotto_count_values(plan, b, call, &x, &a->measure);
}

const struct sotto_aggregate_record sotto_aggregate_count[] = {
	{.names = (const char *const[]){"count", NULL},
	 .syntax = "COUNT(*), COUNT(x), COUNT(DISTINCT x)",
	 .manual =
		 "The number of rows; of rows in which x is not NULL; of different values of "
		 "x.\n"
		 "Where the policy declares keys of x, other values are not counted; where it "
		 "declares bounds of a whole number or a date, at most 10,000,000 values,\n"
		 "one outside counts as the nearest bound.",
	 .example = "COUNT(*)",
	 .is_usual = true,
	 .plan = plan_count,
	 .unit = SOTTO_UNIT_COUNT,
	 .engine = SOTTO_OP_COUNT,
	 .public_window = true},
	{0}};
