/*
 * SUM: one measure.
 */
#include "central/aggregate/measure/summand.h"
#include "core/base/failure.h"

static enum sotto_status plan_sum(struct sotto_plan *plan, struct sotto_binder *b,
				  const struct sotto_sql_expr *call, struct sotto_aggregate *a)
{
	struct sotto_summand s = {0};

	a->form = SOTTO_FORM_MEASURE;
	SOTTO_TRY(sotto_summand_bind_only(plan, b, call, &s));
	a->type = s.x.type == SOTTO_TYPE_INTEGER ? SOTTO_TYPE_INTEGER : SOTTO_TYPE_NUMBER;
	a->range = s.x.range;
	return sotto_sum_measure(plan, &s, 0, &a->measure);
}

/* An average beside a plain sum of the same values uses it, instead of paying for its own. */
const struct sotto_aggregate_record sotto_aggregate_sum[] = {
	{.names = (const char *const[]){"sum", NULL},
	 .syntax = "SUM(x), SUM(DISTINCT x)",
	 .manual = "The sum of the values, or of the different values.",
	 .example = "SUM(x)",
	 .is_usual = true,
	 .plan = plan_sum,
	 .plan_first = true,
	 .unit = SOTTO_UNIT_SUM,
	 .engine = SOTTO_OP_SUM,
	 .is_public = true,
	 .public_number = true,
	 .public_window = true},
	{0}};
