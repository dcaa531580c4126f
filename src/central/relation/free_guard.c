/*
 * A free query must read no private table. Planning ensures that; this checks once more the
 * tables in the SQL that the engine gets.
 */
#include "central/relation/free_guard.h"

#include "central/plan/plan.h"
#include "core/base/failure.h"

enum sotto_status sotto_plan_guard(const struct sotto_plan *plan, struct sotto_error *err)
{
	bool paid = plan->owner && plan->measure_count + plan->choice_count > 0;
	bool reads = !paid && plan->reads_private;

	for (size_t i = 0; i < plan->check_count; i++)
		reads = reads || plan->checks[i].query.reads_private;
	if (reads)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"the query would read private rows without a charge, so it is "
			"not run; this is a mistake in sotto; please report it");
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(sotto_plan_guard(plan->parts[i], err));
	return SOTTO_OK;
}
