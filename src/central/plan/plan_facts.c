/*
 * Facts about a finished plan: what limits one unit, whether it is free, its SQL.
 */
#include <string.h>

#include "central/plan/plan.h"

bool sotto_plan_limits_rows(const struct sotto_plan *plan)
{
	return plan->owner && plan->units && plan->reads_rows && !plan->few_rows &&
	       !plan->one_row;
}

bool sotto_plan_limits_groups(const struct sotto_plan *plan)
{
	return plan->owner && plan->window && !plan->one_row;
}

static bool lies_outside(struct sotto_sides x)
{
	return x.below || x.above;
}

bool sotto_column_clips(const struct sotto_row_column *c)
{
	return lies_outside(c->clips);
}

bool sotto_key_moves_rows(const struct sotto_plan_key *k)
{
	for (size_t i = 0; k->held && i < k->held_count; i++)
		if (lies_outside(k->held_columns[i].outside))
			return true;
	return k->held && k->held_count == 0 && lies_outside(k->outside);
}

bool sotto_plan_limits_values(const struct sotto_plan *plan)
{
	for (size_t i = 0; plan->owner && i < plan->column_count; i++)
		if (sotto_column_clips(&plan->columns[i]))
			return true;
	return false;
}

bool sotto_plan_is_pending(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (sotto_plan_is_pending(plan->parts[i]))
			return true;
	return plan->spread.is_pending;
}

const char *sotto_plan_sql(const struct sotto_plan *plan)
{
	if (sotto_loss_is_run(&plan->loss))
		return plan->loss.here_sql ? plan->loss.here_sql : plan->loss.engine_sql;
	return plan->here_sql ? plan->here_sql : plan->engine_sql;
}

const char *sotto_plan_partial_sql(const struct sotto_plan *plan)
{
	if (sotto_loss_is_run(&plan->loss))
		return plan->loss.partial_sql ? plan->loss.partial_sql : plan->loss.engine_sql;
	return plan->partial_sql ? plan->partial_sql : plan->engine_sql;
}

bool sotto_plan_names(const struct sotto_plan *plan, const char *scan)
{
	for (size_t i = 0; i < plan->scan_count; i++)
		if (strcmp(plan->scans[i], scan) == 0)
			return true;
	return false;
}

bool sotto_plan_is_free(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (!sotto_plan_is_free(plan->parts[i]))
			return false;
	return !plan->owner || plan->measure_count + plan->choice_count == 0;
}

bool sotto_plan_needs_delta(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (sotto_plan_needs_delta(plan->parts[i]))
			return true;
	return plan->owner && !plan->public_keys;
}

void sotto_plan_release(struct sotto_plan *plan)
{
	sotto_cost_release(&plan->cost);
	sotto_cost_release(&plan->own_cost);
	sotto_cost_release(&plan->most_cost);
	sotto_cost_release(&plan->spread_cost);
	sotto_arena_release(&plan->arena);
}

int64_t sotto_check_value(const struct sotto_plan_check *c, int64_t n)
{
	int64_t value;

	if (__builtin_mul_overflow(n, c->times, &value) ||
	    __builtin_add_overflow(value, c->plus, &value))
		return INT64_MAX;
	return value;
}
