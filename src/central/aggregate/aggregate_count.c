/*
 * COUNT of rows, of values and of different values: one measure each.
 */
#include "central/aggregate/measure/summand.h"
#include "core/base/failure.h"

/*
 * How many different values the policy says there are: keys, or whole numbers and days
 * between bounds.  Nothing that rows hold decides it.
 */
static int64_t declared_size(const struct sotto_bound *x)
{
	bool whole =
		(x->type == SOTTO_TYPE_INTEGER && !x->is_double) || x->type == SOTTO_TYPE_DATE;
	int64_t most = SOTTO_SET_MAX, size = 0;
	struct sotto_rational span;

	if (x->domain && (whole || x->type == SOTTO_TYPE_TEXT || x->type == SOTTO_TYPE_BOOLEAN))
		return x->domain->size > 0 && x->domain->size <= most ? x->domain->size : 0;
	if (!whole || !x->range.lo || !x->range.hi)
		return 0;
	sotto_rational_init(&span);
	mpq_sub(span.q, x->range.hi->q, x->range.lo->q);
	if (mpq_cmp_si(span.q, 0, 1) >= 0 && mpq_cmp_si(span.q, most - 1, 1) <= 0) {
		mpz_fdiv_q(mpq_numref(span.q), mpq_numref(span.q), mpq_denref(span.q));
		size = mpz_get_si(mpq_numref(span.q)) + 1;
	}
	sotto_rational_release(&span);
	return size;
}

static enum sotto_status plan_distinct(struct sotto_plan *plan, struct sotto_binder *b,
				       const struct sotto_sql_expr *call,
				       const struct sotto_bound *x, size_t *measure)
{
	const struct sotto_expression *value;
	struct sotto_row_column *column;

	if (x->is_unit && plan->units)
		return sotto_count_measure(plan, b, call, SOTTO_MEASURE_UNITS, NULL, "units",
					   measure);
	SOTTO_TRY(sotto_without_nan(b, x, &value));
	SOTTO_TRY(sotto_count_measure(plan, b, call, SOTTO_MEASURE_DISTINCT, value,
				      "different values", measure));
	column = &plan->columns[plan->measures[*measure].column];
	column->set_size = declared_size(x);
	column->set_type = x->type;
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
	 .manual = "The number of rows; of rows in which x is not NULL; of different values of "
		   "x.",
	 .example = "COUNT(*)",
	 .is_usual = true,
	 .plan = plan_count,
	 .unit = SOTTO_UNIT_COUNT,
	 .engine = SOTTO_OP_COUNT,
	 .public_window = true},
	{0}};
