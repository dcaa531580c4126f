/*
 * MODE: the most frequent of a public list of values.
 */
#include "central/aggregate/measure/choice_add.h"

#include "central/aggregate/aggregate.h"
#include "central/aggregate/measure/measure_add.h"
#include "central/aggregate/measure/summand.h"
#include "central/expression/bind.h"
#include "central/expression/domain/expression_domain.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/range/value_range.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "central/price/choice/mode_choice.h"
#include "core/base/failure.h"

/* The public list that the mode is one of: keys, or the whole numbers within bounds. */
static enum sotto_status
mode_domain(struct sotto_plan *plan, struct sotto_binder *b, const struct sotto_sql_expr *call,
	    const struct sotto_bound *x, const struct sotto_domain **domain)
{
	int64_t lo, hi;
	struct sotto_rational one;
	bool fits;

	*domain = x->domain;
	if (!*domain)
		SOTTO_TRY(sotto_expression_domain(&plan->arena, x, NULL, domain));
	if (*domain)
		return SOTTO_OK;
	sotto_rational_init(&one);
	mpq_set_ui(one.q, 1, 1);
	fits = x->type == SOTTO_TYPE_INTEGER && sotto_range_is_closed(x->range) &&
	       sotto_step_count(x->range.lo, &one, &lo) &&
	       sotto_step_count(x->range.hi, &one, &hi) && hi - lo < SOTTO_DOMAIN_MAX;
	sotto_rational_release(&one);
	if (fits)
		return sotto_domain_integers(&plan->arena, lo, hi, false, domain);
	return sotto_bind_refuse(b, call,
				 "MODE chooses from a public list of values: declare keys of "
				 "the column in the policy, or round to whole numbers within "
				 "bounds; or write GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1");
}

static enum sotto_status plan_mode(struct sotto_plan *plan, struct sotto_binder *b,
				   const struct sotto_sql_expr *call, struct sotto_aggregate *a)
{
	struct sotto_choice p = {.kind = SOTTO_CHOICE_MODE};
	struct sotto_choice_of_mode *mode = &p.mode;
	struct sotto_bound x;
	const struct sotto_expression *value;

	if (call->count != 1 || call->distinct || call->args[0]->kind == SOTTO_SQL_STAR)
		return sotto_bind_refuse(b, call, "write MODE() WITHIN GROUP (ORDER BY x)");
	SOTTO_TRY(sotto_bind(b, call->args[0], &x));
	SOTTO_TRY(mode_domain(plan, b, call, &x, &mode->domain));
	mode->domain_type =
		x.type == SOTTO_TYPE_INTEGER && x.is_double ? SOTTO_TYPE_NUMBER : x.type;
	SOTTO_TRY(sotto_bind_made(b, &value,
				  sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, x.value,
							mode->domain_type)));
	SOTTO_TRY(sotto_presence_bind(b, call, value, &value));
	SOTTO_TRY(sotto_row_column_add(plan, value, &p.column));
	mode->size = mode->domain->size > 0 ? mode->domain->size : SOTTO_DOMAIN_MAX;
	mode->choice = sotto_mode_choice_in(&plan->arena);
	SOTTO_NEED(mode->choice);
	a->form = SOTTO_FORM_MODE;
	a->type = x.type == SOTTO_TYPE_LOOSE ? SOTTO_TYPE_TEXT : x.type;
	a->mode = plan->choice_count;
	return sotto_choice_push(plan, &p);
}

const struct sotto_aggregate_record sotto_aggregate_mode[] = {
	{.names = (const char *const[]){"mode", NULL},
	 .syntax = "MODE() WITHIN GROUP (ORDER BY x), MODE(x)",
	 .manual = "The most frequent value of a public list: declared keys, or whole numbers "
		   "within bounds.",
	 .example = "MODE(ward)",
	 .is_usual = true,
	 .plan = plan_mode,
	 .engine = SOTTO_OP_MODE,
	 .is_public = true},
	{0}};
