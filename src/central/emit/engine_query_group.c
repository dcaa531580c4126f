/*
 * From rows to groups.  Where a row is a unit that is one level:
 *
 *	c: one per group           k0.., t0.., m<i> of different values
 *	a: the measures            k0.., m0..
 *
 * With a unit in each row it is two:
 *
 *	p: one per unit and group  u, k0.., t0.., in which the unit is held to its rows
 *	q: p with at most `groups` groups for each unit
 *	a: one per group           k0.., m0..
 *
 * or one, if there is one group (engine_query_alone.c).
 *
 * `total` in a is read by nobody but the loss vector of rows: it makes a an aggregate also when
 * there are no keys and no measures in it, that is one row and not one for each unit.
 */
#include "central/emit/engine_query.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

static enum sotto_status add_keys(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("%sk%zu", i ? ", " : "", i);
	return SOTTO_OK;
}

/* What a measure counts or adds up. */
static enum sotto_status
add_number(struct sotto_emitter *e, const struct sotto_measure *m, size_t i)
{
	if (m->kind == SOTTO_MEASURE_SUM)
		return sotto_sums_compose_sum(e, i);
	if (m->column == SIZE_MAX)
		return sotto_buffer_append_text(&e->buffer, "t0.n");
	return sotto_sums_compose_count(e, m->column);
}

/* ---- one level: each row is a unit ----------------------------------------------------- */

static bool is_distinct(const struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	return plan->measures[i].kind == SOTTO_MEASURE_DISTINCT &&
	       !sotto_measure_is_apart(e, plan, &plan->measures[i]);
}

static enum sotto_status
add_row_measure(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_measure *m = &plan->measures[i];

	if (sotto_measure_is_apart(e, plan, m))
		return SOTTO_OK;
	if (is_distinct(e, plan, i))
		return sotto_buffer_appendf(&e->buffer, ", m%zu", i);
	ADD(", CAST(");
	SOTTO_TRY(add_number(e, m, i));
	return sotto_buffer_appendf(&e->buffer, " AS HUGEINT) AS m%zu", i);
}

static enum sotto_status
compose_rows(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses)
{
	ADD(", c AS (SELECT 1 AS one");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", k%zu", i);
	SOTTO_TRY(sotto_sums_compose(e, plan, losses));
	for (size_t i = 0; i < plan->measure_count; i++)
		if (is_distinct(e, plan, i))
			ADD(", CAST(count(DISTINCT y%zu) AS HUGEINT) AS m%zu",
			    plan->measures[i].column, i);
	if (losses)
		SOTTO_TRY(sotto_loss_compose_row(e, plan));
	ADD(" FROM r");
	SOTTO_TRY(sotto_compose_group_by(e, plan, ""));
	ADD("), a AS (SELECT t0.n AS total");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", k%zu", i);
	for (size_t i = 0; i < plan->measure_count; i++)
		SOTTO_TRY(add_row_measure(e, plan, i));
	if (losses)
		ADD(", %sclipped", sotto_sums_is_one_call(e) ? "t0.clipped AS " : "");
	return sotto_buffer_append_text(&e->buffer, " FROM c)");
}

/* ---- two levels: bounded per unit -------------------------------------------------------- */

/*
 * Pairs whose group is not shown are dropped where they would use up a unit's groups, or be
 * taken for something lost; everywhere else they join no group.
 */
static enum sotto_status
add_units(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses)
{
	bool shown_only = plan->public_keys && plan->key_count > 0 && (plan->window || losses);

	ADD(", p AS (%sSELECT u", shown_only ? "SELECT x.* FROM (" : "");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", k%zu", i);
	SOTTO_TRY(sotto_sums_compose(e, plan, losses));
	if (losses)
		SOTTO_TRY(sotto_loss_compose_pair(e, plan));
	ADD(" FROM r");
	SOTTO_TRY(sotto_compose_group_by(e, plan, "u"));
	if (shown_only) {
		ADD(") AS x");
		SOTTO_TRY(sotto_compose_shown_only(e, plan, "x"));
	}
	return sotto_buffer_append_text(&e->buffer, ")");
}

/*
 * The groups that a unit keeps are chosen by a hash of the unit and the group:
 * a function of that unit's rows alone.  Where the unit is a row, its number is
 * not one (it moves when another row goes), so the group alone is hashed.
 */
static enum sotto_status
add_place(struct sotto_emitter *e, const struct sotto_plan *plan, uint64_t salt)
{
	ADD("row_number() OVER (PARTITION BY u ORDER BY hash(%s%llu, ",
	    plan->owner->unit_is_row ? "" : "u, ", (unsigned long long)salt);
	SOTTO_TRY(add_keys(e, plan));
	ADD("), ");
	SOTTO_TRY(add_keys(e, plan));
	return sotto_buffer_append_text(&e->buffer, ")");
}

/* What was dropped has to be looked at as well where its loss is estimated. */
static enum sotto_status
add_kept(struct sotto_emitter *e, const struct sotto_plan *plan, uint64_t salt, bool losses)
{
	long long most = plan->groups;

	if (!plan->window)
		return sotto_buffer_append_text(&e->buffer, ", q AS (SELECT * FROM p)");
	if (!losses) {
		ADD(", q AS (SELECT * FROM p QUALIFY ");
		SOTTO_TRY(add_place(e, plan, salt));
		return sotto_buffer_appendf(&e->buffer, " <= %lld)", most);
	}
	ADD(", ranked AS (SELECT *, ");
	SOTTO_TRY(add_place(e, plan, salt));
	return sotto_buffer_appendf(
		&e->buffer,
		" AS place FROM p), q AS (SELECT * FROM ranked WHERE place <= %lld)", most);
}

/* What a unit adds was held to its rows in p. */
static enum sotto_status
add_unit_measure(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_measure *m = &plan->measures[i];
	bool units = m->kind == SOTTO_MEASURE_UNITS;

	if (units && m->column == SIZE_MAX)
		return sotto_buffer_appendf(&e->buffer, ", CAST(count(*) AS HUGEINT) AS m%zu",
					    i);
	if (sotto_measure_is_apart(e, plan, m))
		return SOTTO_OK;
	ADD(", CAST(sum(%s", units ? "least(" : "");
	SOTTO_TRY(add_number(e, m, i));
	return sotto_buffer_appendf(&e->buffer, "%s) AS HUGEINT) AS m%zu", units ? ", 1)" : "",
				    i);
}

static enum sotto_status compose_units(struct sotto_emitter *e, const struct sotto_plan *plan,
				       uint64_t salt, bool losses)
{
	SOTTO_TRY(add_units(e, plan, losses));
	SOTTO_TRY(add_kept(e, plan, salt, losses));
	/* sotto_all_units counts once in a statement. */
	ADD(", a AS %s(SELECT count(*) AS total",
	    losses && sotto_loss_is_within(plan) ? "MATERIALIZED " : "");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", k%zu", i);
	for (size_t i = 0; i < plan->measure_count; i++)
		SOTTO_TRY(add_unit_measure(e, plan, i));
	if (losses && sotto_loss_is_beside(plan))
		SOTTO_TRY(sotto_loss_compose_beside(e, plan));
	if (losses && sotto_loss_is_within(plan))
		SOTTO_TRY(sotto_loss_compose_within(e, plan, salt));
	ADD(" FROM q");
	SOTTO_TRY(sotto_compose_group_by(e, plan, ""));
	return sotto_buffer_append_text(&e->buffer, ")");
}

enum sotto_status sotto_groups_compose(struct sotto_emitter *e, const struct sotto_plan *plan,
				       uint64_t salt, bool losses)
{
	if (e->is_alone)
		return sotto_alone_compose(e, plan, losses);
	return plan->units ? compose_units(e, plan, salt, losses)
			   : compose_rows(e, plan, losses);
}
