/*
 * What the limits lost, beside the groups (loss_vector.md):
 *
 *	p:      per unit and group also the rows that something reads, and whether a value
 *	        is clipped                                       u, k0.., rows_read, clipped
 *	ranked: p with the place of a group among its unit's     place
 *	lost:   one row over all units                           v0, v1, ...
 *
 * Where each row is a unit, what is clipped is counted with the groups themselves.
 */
#include "central/plan/emit/engine_query.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

/* ---- one unit in one group ------------------------------------------------------------------ */

/* Which numbers of rows of a column are read: all with a value, or different ones. */
static bool reads(const struct sotto_plan *plan, size_t column, bool different)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];
		bool distinct = m->addend.distinct || m->kind == SOTTO_MEASURE_DISTINCT;

		if (m->kind != SOTTO_MEASURE_UNITS && m->column == column &&
		    distinct == different)
			return true;
	}
	for (size_t i = 0; !different && i < plan->pick_count; i++)
		if (plan->picks[i].column == column)
			return true;
	return false;
}

static enum sotto_status add_rows_read(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	if (plan->reads_all_rows) /* no column has more */
		return sotto_buffer_append_text(&e->buffer, ", count(*) AS rows_read");
	ADD(", greatest(0");
	for (size_t i = 0; i < plan->column_count; i++) {
		if (reads(plan, i, false))
			ADD(", count(y%zu)", i);
		if (reads(plan, i, true))
			ADD(", count(DISTINCT y%zu)", i);
	}
	return sotto_buffer_append_text(&e->buffer, ") AS rows_read");
}

/* "CASE WHEN y0 < lo OR y0 > hi ... THEN 1 ELSE 0 END" */
static enum sotto_status add_is_clipped(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	ADD("CASE WHEN FALSE");
	for (size_t i = 0; i < plan->column_count; i++)
		if (plan->columns[i].can_clip)
			ADD(" OR y%zu < %lld OR y%zu > %lld", i,
			    (long long)plan->columns[i].clip_lo, i,
			    (long long)plan->columns[i].clip_hi);
	return sotto_buffer_append_text(&e->buffer, " THEN 1 ELSE 0 END");
}

enum sotto_status
sotto_loss_compose_pair(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	SOTTO_TRY(add_rows_read(e, plan));
	if (!sotto_plan_limits_values(plan))
		return SOTTO_OK;
	ADD(", max(");
	SOTTO_TRY(add_is_clipped(e, plan));
	return sotto_buffer_append_text(&e->buffer, ") AS clipped");
}

enum sotto_status sotto_loss_compose_row(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	ADD(", sum(");
	SOTTO_TRY(add_is_clipped(e, plan));
	return sotto_buffer_append_text(&e->buffer, ") AS clipped");
}

/* ---- its name ------------------------------------------------------------------------------- */

static enum sotto_status
name_column(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_row_column *c = &plan->columns[i];
	bool read = !plan->reads_all_rows && reads(plan, i, false);
	bool different = !plan->reads_all_rows && reads(plan, i, true);

	if (!read && !different && !c->can_clip)
		return SOTTO_OK;
	ADD("value %d %d ", read, different);
	SOTTO_TRY(sotto_emit_expression(e, c->value));
	if (c->can_clip)
		ADD(" within %lld %lld", (long long)c->clip_lo, (long long)c->clip_hi);
	return sotto_buffer_append_text(&e->buffer, "\n");
}

enum sotto_status
sotto_loss_compose_name(struct sotto_emitter *e, const struct sotto_plan *plan,
			const struct sotto_rowset *from, const struct sotto_expression *where)
{
	for (size_t i = 0; i < plan->key_count; i++) {
		ADD("key ");
		SOTTO_TRY(sotto_emit_expression(e, plan->keys[i].bound.value));
		ADD("\n");
	}
	for (size_t i = 0; i < plan->column_count; i++)
		SOTTO_TRY(name_column(e, plan, i));
	ADD("public %d limits %lld %lld", plan->public_keys, (long long)plan->groups,
	    (long long)plan->max_rows);
	for (size_t i = 0; i < plan->loss.count; i++)
		ADD(" %d", (int)plan->loss.items[i].kind);
	ADD("\nfrom ");
	SOTTO_TRY(sotto_emit_from(e, from));
	if (!where)
		return SOTTO_OK;
	ADD("\nwhere ");
	return sotto_emit_expression(e, where);
}

/* ---- one unit ------------------------------------------------------------------------------- */

/* What one unit adds to an item, over its groups. */
static enum sotto_status
add_of_unit(struct sotto_emitter *e, const struct sotto_plan *plan, enum sotto_loss_kind kind)
{
	const char *place = plan->window ? "place" : "1";
	long long groups = plan->groups, rows = plan->max_rows;

	switch (kind) {
	case SOTTO_LOSS_UNITS_OF_ROWS:
		ADD("max(CASE WHEN %s <= %lld AND rows_read > %lld THEN 1 ELSE 0 END)", place,
		    groups, rows);
		break;
	case SOTTO_LOSS_UNITS_OF_GROUPS:
		ADD("CASE WHEN count(*) > %lld THEN 1 ELSE 0 END", groups);
		break;
	case SOTTO_LOSS_UNITS_CLIPPED:
		ADD("max(CASE WHEN %s <= %lld THEN clipped ELSE 0 END)", place, groups);
		break;
	case SOTTO_LOSS_ROWS:
		ADD("least(sum(CASE WHEN %s > %lld THEN rows_read ELSE greatest(rows_read - "
		    "%lld, 0) END), %lld)",
		    place, groups, rows, 2 * groups * rows);
		break;
	case SOTTO_LOSS_ROWS_KEPT:
		ADD("least(sum(CASE WHEN %s <= %lld THEN least(rows_read, %lld) ELSE 0 END), "
		    "%lld)",
		    place, groups, rows, groups * rows);
		break;
	case SOTTO_LOSS_PAIRS:
		ADD("least(greatest(count(*) - %lld, 0), %lld)", groups, 2 * groups);
		break;
	case SOTTO_LOSS_PAIRS_KEPT:
		ADD("least(count(*), %lld)", groups);
		break;
	case SOTTO_LOSS_UNITS:
	case SOTTO_LOSS_KINDS:
		ADD("1");
		break;
	}
	return SOTTO_OK;
}

/* ---- all units ------------------------------------------------------------------------------ */

static enum sotto_status add_over_rows(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	ADD(", lost AS (SELECT ");
	for (size_t i = 0; i < plan->loss.count; i++)
		ADD("%sCAST(sum(%s) AS HUGEINT) AS v%zu", i ? ", " : "",
		    plan->loss.items[i].kind == SOTTO_LOSS_UNITS ? "total" : "clipped", i);
	return sotto_buffer_append_text(&e->buffer, " FROM a)");
}

enum sotto_status sotto_loss_compose(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	if (!plan->units)
		return add_over_rows(e, plan);
	ADD(", lost AS (SELECT ");
	for (size_t i = 0; i < plan->loss.count; i++)
		ADD("%sCAST(sum(x%zu) AS HUGEINT) AS v%zu", i ? ", " : "", i, i);
	ADD(" FROM (SELECT u");
	for (size_t i = 0; i < plan->loss.count; i++) {
		ADD(", ");
		SOTTO_TRY(add_of_unit(e, plan, plan->loss.items[i].kind));
		ADD(" AS x%zu", i);
	}
	ADD(" FROM %s GROUP BY u) AS x)", plan->window ? "ranked" : "p");
	return SOTTO_OK;
}
