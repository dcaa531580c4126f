/*
 * Adds choices to a plan, each shared with an equal one that is there already.
 */
#include "central/aggregate/measure/choice_add.h"

#include "central/plan/planner.h"

void sotto_choices_arrange(struct sotto_plan *plan)
{
	plan->outcome_count = 0;
	for (size_t i = 0; i < plan->choice_count; i++) {
		struct sotto_choice *p = &plan->choices[i];

		p->first = plan->outcome_count;
		plan->outcome_count +=
			p->kind == SOTTO_CHOICE_MODE ? 1 : p->quantiles.rank_count;
	}
}

enum sotto_status sotto_choice_push(struct sotto_plan *plan, const struct sotto_choice *p)
{
	struct sotto_choice *slot = SOTTO_PUSH(&plan->arena, plan->choices, plan->choice_count);

	SOTTO_NEED(slot);
	*slot = *p;
	plan->reads_rows = true;
	return SOTTO_OK;
}
