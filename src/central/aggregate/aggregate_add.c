/*
 * A call becomes an aggregate of the plan, by its record.
 */
#include "central/plan/plan.h"

#include "central/aggregate/aggregate.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

enum sotto_status sotto_aggregate_add(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *call, size_t *index)
{
	struct sotto_aggregate a = {.record = sotto_aggregate_find(call->text), .call = call};
	struct sotto_aggregate *slot;

	for (size_t i = 0; i < plan->aggregate_count; i++)
		if (sotto_sql_expr_equal(plan->aggregates[i].call, call)) {
			*index = i;
			return SOTTO_OK;
		}
	if (!a.record->plan)
		return sotto_bind_refuse(b, call, "%s %s", call->text, a.record->refusal);
	if (plan->aggregate_count == SOTTO_AGGREGATES_MAX)
		return sotto_plan_too_many_aggregates(b->planner, call->at);
	SOTTO_TRY(a.record->plan(plan, b, call, &a));
	slot = SOTTO_PUSH(&plan->arena, plan->aggregates, plan->aggregate_count);
	SOTTO_NEED(slot);
	*slot = a;
	*index = plan->aggregate_count - 1;
	return SOTTO_OK;
}
