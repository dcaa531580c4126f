/*
 * Queries that ask for nothing but the order of groups.
 */
#include "central/aggregate/group/top_groups.h"

#include "central/aggregate/output_expression.h"
#include "core/base/arena_rational.h"

static bool shows_keys_only(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->output_count; i++)
		if (plan->outputs[i].noisy)
			return false;
	for (size_t i = 1; i < plan->order_count; i++)
		if (sotto_output_is_noisy(plan->orders[i].expr))
			return false;
	return !plan->having && !plan->distinct;
}

/* The one measure that the first ORDER BY is by, or SIZE_MAX. */
static size_t ordered_by(const struct sotto_plan *plan)
{
	const struct sotto_sql_expr *e = plan->order_count > 0 ? plan->orders[0].expr : NULL;
	const struct sotto_aggregate *a;

	if (!e || e->kind != SOTTO_SQL_VALUE)
		return SIZE_MAX;
	a = &plan->aggregates[e->index];
	return a->form == SOTTO_FORM_MEASURE ? a->measure : SIZE_MAX;
}

/* How many groups there can be, if that is known. */
static double count_groups(const struct sotto_plan *plan)
{
	double n = 1;

	for (size_t i = 0; i < plan->key_count; i++) {
		int64_t size = plan->keys[i].domain->size;

		n *= size > 0 ? (double)size : 1;
	}
	return n < (double)plan->top.count ? (double)plan->top.count : n;
}

enum sotto_status sotto_top_groups_recognise(struct sotto_plan *plan)
{
	size_t measure = ordered_by(plan);
	const struct sotto_measure *m;

	plan->top = (struct sotto_group_choice){0};
	if (measure == SIZE_MAX || !plan->public_keys || plan->key_count == 0 ||
	    plan->limit < 1 || plan->measure_count != 1 || plan->choice_count > 0 ||
	    !shows_keys_only(plan) ||
	    __builtin_add_overflow(plan->limit, plan->offset, &plan->top.count))
		return SOTTO_OK;
	m = &plan->measures[measure];
	plan->top.measure = measure;
	plan->top.least = !plan->orders[0].descending;
	/* A sum without negative terms only grows with a unit, as a count does. */
	plan->top.monotone =
		m->kind != SOTTO_MEASURE_SUM || m->addend.lo >= 0 || m->addend.hi <= 0;
	plan->top.group_count = count_groups(plan);
	plan->top.epsilon = sotto_arena_rational(&plan->arena);
	return plan->top.epsilon ? SOTTO_OK : SOTTO_ENOMEM;
}
