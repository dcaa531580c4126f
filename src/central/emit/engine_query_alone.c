/*
 * From rows to the one group that there is without keys, where units have numbers: an aggregate that
 * has an array of all units itself (engine/sum/unit_alone.h), in the place of the engine's GROUP BY u
 * and a pass over that.
 *
 *	a: one row                 m0.., and w0.. of what limits lost
 *
 * Each unit is held to its rows as in p (engine_query_group.c), and rows without a unit count nowhere.
 * A unit's number depends on who else there is, so nothing may be chosen by it: here it only tells
 * units apart.
 */
#include "central/emit/engine_query.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

bool sotto_alone_fits(const struct sotto_emitter *e, const struct sotto_plan *plan)
{
	if (!plan->units || plan->key_count > 0 || plan->choice_count > 0 || !e->sums ||
	    !sotto_sums_is_one_call(e))
		return false;
	for (size_t i = 0; i < plan->measure_count; i++)
		if (sotto_measure_is_apart(e, plan, &plan->measures[i]))
			return false;
	return true;
}

static enum sotto_status
add_number(struct sotto_emitter *e, const struct sotto_measure *m, size_t i)
{
	if (m->kind == SOTTO_MEASURE_SUM)
		return sotto_sums_compose_sum(e, i);
	if (m->kind == SOTTO_MEASURE_UNITS)
		return m->column == SIZE_MAX ? sotto_buffer_append_text(&e->buffer, "t0.units")
					     : sotto_sums_compose_units(e, m->column);
	if (m->column == SIZE_MAX)
		return sotto_buffer_append_text(&e->buffer, "t0.n");
	return sotto_sums_compose_count(e, m->column);
}

/* What one unit with one group adds to an item is in engine_query_loss.c. */
static const char *lost(enum sotto_loss_kind kind)
{
	static const char *const fields[SOTTO_LOSS_KINDS] = {
		[SOTTO_LOSS_UNITS] = "t0.units",    [SOTTO_LOSS_UNITS_OF_ROWS] = "t0.of_rows",
		[SOTTO_LOSS_UNITS_OF_GROUPS] = "0", [SOTTO_LOSS_UNITS_CLIPPED] = "t0.clipped",
		[SOTTO_LOSS_ROWS] = "t0.rows",      [SOTTO_LOSS_ROWS_KEPT] = "t0.rows_kept",
		[SOTTO_LOSS_PAIRS] = "0",           [SOTTO_LOSS_PAIRS_KEPT] = "t0.units",
	};

	return fields[kind];
}

enum sotto_status
sotto_alone_compose(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses)
{
	ADD(", a AS (SELECT t0.units AS total");
	for (size_t i = 0; i < plan->measure_count; i++) {
		ADD(", CAST(");
		SOTTO_TRY(add_number(e, &plan->measures[i], i));
		ADD(" AS HUGEINT) AS m%zu", i);
	}
	for (size_t i = 0; losses && i < plan->loss.count; i++)
		ADD(", CAST(%s AS HUGEINT) AS w%zu", lost(plan->loss.items[i].kind), i);
	ADD(" FROM (SELECT 1 AS one");
	SOTTO_TRY(sotto_sums_compose(e, plan, losses));
	return sotto_buffer_append_text(&e->buffer, " FROM r) AS x)");
}
