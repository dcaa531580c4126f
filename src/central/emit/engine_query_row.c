/*
 * The rows r of the engine's query: unit, keys and columns of each row that counts.
 */
#include "central/emit/after_join.h"
#include "central/emit/emit.h"
#include "central/emit/engine_query.h"
#include "central/emit/expression_weight.h"
#include "central/plan/plan.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))
#define ADD_EXPRESSION(x) SOTTO_TRY(sotto_emit_expression(e, x))

/* What the rows are made of, as the engine is to compute it (after_join.h). */
struct rows {
	const struct sotto_rowset *from;
	const struct sotto_expression *where; /* NULL: all of them */
	const struct sotto_expression **keys, **columns;
};

/* Do they take long together? */
static bool is_much(const struct rows *rows, size_t count)
{
	bool much = sotto_rowset_is_heavy(rows->from);
	double before = 0;

	if (rows->where)
		much = sotto_expression_is_much(rows->where, &before) || much;
	for (size_t i = 0; !much && i < count; i++)
		much = sotto_expression_is_much(rows->keys[i], &before);
	return much;
}

static enum sotto_status
take_values(struct sotto_emitter *e, const struct sotto_plan *plan, struct rows *rows)
{
	size_t count = plan->key_count + plan->column_count;

	rows->keys =
		sotto_arena_alloc(e->arena, (count + 1) * sizeof(struct sotto_expression *));
	SOTTO_NEED(rows->keys);
	rows->columns = rows->keys + plan->key_count;
	for (size_t i = 0; i < plan->key_count; i++) {
		rows->keys[i] = sotto_compose_key(e, plan, i);
		SOTTO_NEED(rows->keys[i]);
	}
	for (size_t i = 0; i < plan->column_count; i++)
		rows->columns[i] = plan->columns[i].value;
	e->finds_heavy = e->finds_heavy || is_much(rows, count);
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(sotto_after_join_value(e, &rows->keys[i]));
	return SOTTO_OK;
}

/* "k0, ... y0, ..., 1 AS one" of a row. */
static enum sotto_status
add_values(struct sotto_emitter *e, const struct sotto_plan *plan, const struct rows *rows)
{
	for (size_t i = 0; i < plan->key_count; i++) {
		ADD_EXPRESSION(rows->keys[i]);
		ADD(" AS k%zu, ", i);
	}
	for (size_t i = 0; i < plan->column_count; i++) {
		ADD_EXPRESSION(rows->columns[i]);
		ADD(" AS y%zu, ", i);
	}
	ADD("1 AS one FROM ");
	return SOTTO_OK;
}

/* "s.k0 AS k0, ... s.y0 AS y0, ..., s.one AS one FROM (SELECT own AS j, ... FROM rows WHERE where" */
static enum sotto_status add_own_rows(struct sotto_emitter *e, const struct sotto_plan *plan,
				      const struct sotto_late_unit *late,
				      const struct rows *rows)
{
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("s.k%zu AS k%zu, ", i, i);
	for (size_t i = 0; i < plan->column_count; i++)
		ADD("s.y%zu AS y%zu, ", i, i);
	ADD("s.one AS one FROM (SELECT ");
	ADD_EXPRESSION(late->own);
	ADD(" AS j, ");
	SOTTO_TRY(add_values(e, plan, rows));
	SOTTO_TRY(sotto_emit_from(e, rows->from));
	if (rows->where) {
		ADD(" WHERE ");
		ADD_EXPRESSION(rows->where);
	}
	return SOTTO_OK;
}

static enum sotto_status add_late_rows(struct sotto_emitter *e, const struct sotto_plan *plan,
				       const struct sotto_late_unit *late,
				       const struct rows *rows)
{
	ADD("r AS (SELECT v.u AS u, ");
	SOTTO_TRY(add_own_rows(e, plan, late, rows));
	SOTTO_TRY(sotto_late_unit_compose(e, late));
	return sotto_buffer_append_text(&e->buffer, ")");
}

/*
 * A map beside a join would be put into one of its sides, and carried along; beside a table,
 * values are computed above both, where the engine has put small pieces of rows together.
 * Nobody's rows are left out at the end: further inside, the unit would be looked up twice.  An
 * aggregate over all units does that itself.
 */
static enum sotto_status add_mapped_rows(struct sotto_emitter *e, const struct sotto_plan *plan,
					 const struct sotto_late_unit *late,
					 const struct rows *rows)
{
	ADD("r AS (%sSELECT ", e->is_alone ? "" : "SELECT * FROM (");
	if (e->is_one_table) {
		SOTTO_TRY(sotto_owner_compose(e, late, late->own));
		ADD(" AS u, ");
		SOTTO_TRY(add_values(e, plan, rows));
		SOTTO_TRY(sotto_emit_from(e, rows->from));
	} else {
		SOTTO_TRY(sotto_owner_compose(e, late,
					      sotto_expression_column(e->arena, "s", "j")));
		ADD(" AS u, ");
		SOTTO_TRY(add_own_rows(e, plan, late, rows));
		ADD(") AS s");
	}
	ADD(" CROSS JOIN ");
	SOTTO_TRY(sotto_owners_compose(e, late));
	if (rows->where && e->is_one_table) {
		ADD(" WHERE ");
		ADD_EXPRESSION(rows->where);
	}
	return sotto_buffer_append_text(&e->buffer,
					e->is_alone ? ")" : ") AS w WHERE w.u IS NOT NULL)");
}

static bool is_one_table(const struct sotto_rowset *r)
{
	if (r->kind == SOTTO_ROWSET_SELECT)
		return r->of.select.from_count == 1 && is_one_table(r->of.select.from[0]);
	return r->kind == SOTTO_ROWSET_SCAN;
}

/*
 * Rows that are units go by their number, which is another one when a server sends them in another
 * order.  Where those of the groups that a unit keeps (q) are looked for in r, it must not be read
 * from the server a second time.
 */
static bool is_kept(const struct sotto_emitter *e, const struct sotto_plan *plan)
{
	bool again = plan->choice_count > 0;

	for (size_t i = 0; i < plan->measure_count; i++)
		again = again || sotto_measure_is_apart(e, plan, &plan->measures[i]);
	return again && plan->units && plan->owner->unit_is_row && plan->owner->on_server;
}

static enum sotto_status add_rows(struct sotto_emitter *e, const struct sotto_plan *plan,
				  const struct sotto_relation *from, const struct rows *rows)
{
	ADD("r AS %s(SELECT ", is_kept(e, plan) ? "MATERIALIZED " : "");
	if (plan->units) {
		ADD_EXPRESSION(from->unit);
		ADD(" AS u, ");
	}
	SOTTO_TRY(add_values(e, plan, rows));
	SOTTO_TRY(sotto_emit_from(e, rows->from));
	if (plan->units || rows->where)
		ADD(" WHERE ");
	if (rows->where)
		ADD_EXPRESSION(rows->where);
	if (plan->units) {
		ADD("%s", rows->where ? " AND " : "");
		ADD_EXPRESSION(from->unit);
		ADD(" IS NOT NULL");
	}
	return sotto_buffer_append_text(&e->buffer, ")");
}

enum sotto_status sotto_rows_compose(struct sotto_emitter *e, const struct sotto_plan *plan,
				     const struct sotto_relation *from,
				     const struct sotto_expression *where)
{
	struct sotto_late_unit late;
	struct rows rows = {.where = where};

	SOTTO_TRY(sotto_late_unit_find(e, plan, from, where, &late));
	rows.from = late.rows ? late.rows : from->tree;
	e->is_one_table = is_one_table(rows.from);
	SOTTO_TRY(sotto_after_join(e, late.rows ? late.own : from->unit, &rows.from,
				   &rows.where));
	SOTTO_TRY(take_values(e, plan, &rows));
	SOTTO_TRY(sotto_held_compose(e));
	if (late.rows)
		return (late.is_mapped ? add_mapped_rows : add_late_rows)(e, plan, &late,
									  &rows);
	return add_rows(e, plan, from, &rows);
}
