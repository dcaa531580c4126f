/*
 * Adds picks to a plan, each shared with an equal one that is there already.
 */
#include "central/aggregate/measure/pick_add.h"

#include "central/plan/planner.h"

void sotto_picks_place(struct sotto_plan *plan)
{
	plan->outcome_count = 0;
	for (size_t i = 0; i < plan->pick_count; i++) {
		struct sotto_pick *p = &plan->picks[i];

		p->first = plan->outcome_count;
		plan->outcome_count += p->kind == SOTTO_PICK_MODE ? 1 : p->quantiles.rank_count;
	}
}

enum sotto_status sotto_pick_push(struct sotto_plan *plan, const struct sotto_pick *p)
{
	struct sotto_pick *slot = SOTTO_PUSH(&plan->arena, plan->picks, plan->pick_count);

	SOTTO_NEED(slot);
	*slot = *p;
	plan->reads_rows = true;
	return SOTTO_OK;
}
