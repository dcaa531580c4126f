/*
 * Units that are looked up late.  Where the one private table of a question finds its units in
 * another table (relation_unit_path.c), the rows r are
 *
 *	s: rows that the question is about, without units   j, k0.., y0..
 *	v: keys with their units                            k, u
 *	r: s JOIN v ON s.j = v.k
 *
 * and not the other way round.  The rows are the same: v is joined by a column of that table
 * alone, and inner joins and conditions in which no unit stands can be done in any order.  The
 * engine then looks up few rows, with values that are computed already; it cannot find that
 * order by itself.
 *
 * Where sealing has found each key once, and keys and units are whole numbers, there is no join:
 *
 *	v: a map from keys to units, in one row             m
 *	r: rows with sotto_owner_4(own, m) AS u, of those that have one (engine/sum/owner_lookup.h)
 *
 * and to an engine that has the map which sealing stored, v is that; or one with numbers of units,
 * where they only have to be told apart (engine_query_alone.c).
 *
 * Otherwise, the engine takes every condition for one that a fifth of the rows meets, and so for several
 * at once.  With "u IS NOT NULL" over v it builds its table of the keys: that is best where the
 * question has one condition, or none.  With two it is likelier that fewer rows are left than
 * there are keys: a key without a unit then is NULL, which equals nothing, without a condition.
 */
#include <string.h>

#include "central/emit/engine_query.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

static bool is_column(const struct sotto_expression *x)
{
	return x->operation->form == SOTTO_OPERATION_COLUMN;
}

/* Whether the unit may stand in it; a query may read anything. */
static bool may_read(const struct sotto_expression *x, const struct sotto_expression *unit)
{
	if (!x)
		return false;
	if (x->operation->form == SOTTO_OPERATION_QUERY)
		return true;
	if (is_column(x) && (!x->of.column.name || sotto_expression_equal(x, unit)))
		return true;
	for (size_t i = 0; i < x->count; i++)
		if (may_read(x->args[i], unit))
			return true;
	return false;
}

/* Does every column in it belong to the table? */
static bool is_of(const struct sotto_expression *x, const char *alias)
{
	if (is_column(x))
		return x->of.column.alias && strcmp(x->of.column.alias, alias) == 0;
	for (size_t i = 0; i < x->count; i++)
		if (!is_of(x->args[i], alias))
			return false;
	return true;
}

/* Conditions, with AND between them, about columns of the table alone. */
static size_t conditions_of(const struct sotto_expression *x, const char *alias)
{
	if (!x)
		return 0;
	if (x->operation == sotto_operation(SOTTO_OP_AND))
		return conditions_of(x->args[0], alias) + conditions_of(x->args[1], alias);
	return is_of(x, alias);
}

/* (SELECT s.*, v.u AS "sotto unit" FROM s JOIN v ON s.own = v.k) AS alias */
static bool is_looked_up(const struct sotto_rowset *r, const struct sotto_expression *unit)
{
	const struct sotto_rowset_select *s = &r->of.select;
	const struct sotto_rowset *join;

	if (r->kind != SOTTO_ROWSET_SELECT || !r->alias || s->output_count != 2 ||
	    s->from_count != 1 || s->distinct || s->replace || s->where || s->groups ||
	    s->having || s->qualify || s->orders || s->limit || s->offset)
		return false;
	join = s->from[0];
	return strcmp(r->alias, unit->of.column.alias) == 0 && s->outputs[1].name &&
	       strcmp(s->outputs[1].name, unit->of.column.name) == 0 &&
	       join->kind == SOTTO_ROWSET_JOIN && join->of.join.how == SOTTO_ROWSET_INNER &&
	       join->of.join.on->operation == sotto_operation(SOTTO_OP_SAME) &&
	       is_column(join->of.join.on->args[0]) &&
	       join->of.join.right->kind == SOTTO_ROWSET_SELECT;
}

/* Takes the place of r; its hash is read by nobody who writes. */
static struct sotto_rowset *copy(struct sotto_emitter *e, const struct sotto_rowset *r)
{
	struct sotto_rowset *made = sotto_arena_alloc(e->arena, sizeof *made);

	if (made)
		*made = *r;
	return made;
}

/* The rows without the look-up; out->rows stays NULL where there is none to leave out. */
static enum sotto_status take_out(struct sotto_emitter *e, const struct sotto_rowset *r,
				  const struct sotto_expression *unit,
				  struct sotto_late_unit *out)
{
	const struct sotto_rowset *left, *right;
	struct sotto_rowset *made;

	if (is_looked_up(r, unit)) {
		const struct sotto_rowset *join = r->of.select.from[0];

		made = copy(e, join->of.join.left);
		SOTTO_NEED(made);
		made->alias = r->alias;
		out->keys = join->of.join.right;
		out->own = sotto_expression_column(e->arena, r->alias,
						   join->of.join.on->args[0]->of.column.name);
		SOTTO_NEED(out->own);
		out->rows = made;
		return SOTTO_OK;
	}
	if (r->kind != SOTTO_ROWSET_JOIN || r->of.join.how != SOTTO_ROWSET_INNER || r->alias ||
	    may_read(r->of.join.on, unit))
		return SOTTO_OK;
	left = r->of.join.left;
	right = r->of.join.right;
	if (left->reads_private == right->reads_private)
		return SOTTO_OK;
	SOTTO_TRY(take_out(e, left->reads_private ? left : right, unit, out));
	if (!out->rows)
		return SOTTO_OK;
	made = copy(e, r);
	SOTTO_NEED(made);
	*(left->reads_private ? &made->of.join.left : &made->of.join.right) = out->rows;
	out->rows = made;
	return SOTTO_OK;
}

static void
choose_map(struct sotto_emitter *e, const struct sotto_plan *plan, struct sotto_late_unit *out)
{
	const struct sotto_rowset_select *s = &out->keys->of.select;

	out->bytes = s->unit_bytes;
	e->finds_stored = e->finds_stored || s->stored || s->numbers;
	if (!e->is_here)
		return;
	out->stored = s->stored;
	e->is_alone = s->numbers && sotto_alone_fits(e, plan);
	if (e->is_alone) {
		out->stored = s->numbers;
		out->bytes = 4;
	}
}

enum sotto_status sotto_late_unit_find(struct sotto_emitter *e, const struct sotto_plan *plan,
				       const struct sotto_relation *from,
				       const struct sotto_expression *where,
				       struct sotto_late_unit *out)
{
	*out = (struct sotto_late_unit){0};
	if (!plan->units || !is_column(from->unit) || !from->unit->of.column.alias ||
	    !from->unit->of.column.name || may_read(where, from->unit))
		return SOTTO_OK;
	for (size_t i = 0; i < plan->key_count; i++) {
		const struct sotto_expression *key = sotto_compose_key(e, plan, i);

		SOTTO_NEED(key);
		if (may_read(key, from->unit))
			return SOTTO_OK;
	}
	for (size_t i = 0; i < plan->column_count; i++)
		if (may_read(plan->columns[i].value, from->unit))
			return SOTTO_OK;
	out->is_narrow = conditions_of(where, from->unit->of.column.alias) > 1;
	SOTTO_TRY(take_out(e, from->tree, from->unit, out));
	out->is_mapped = out->rows && out->keys->of.select.unit_bytes > 0;
	if (out->is_mapped)
		choose_map(e, plan, out);
	if (!where && from->tree->kind != SOTTO_ROWSET_JOIN && !out->is_mapped)
		out->rows = NULL; /* all rows are looked up */
	return SOTTO_OK;
}

enum sotto_status sotto_owner_compose(struct sotto_emitter *e,
				      const struct sotto_late_unit *late,
				      const struct sotto_expression *key)
{
	SOTTO_NEED(key);
	ADD("sotto_owner_%u(", late->bytes);
	SOTTO_TRY(sotto_emit_expression(e, key));
	return sotto_buffer_append_text(&e->buffer, ", v.m)");
}

/* The map leaves out keys without a unit itself. */
enum sotto_status
sotto_owners_compose(struct sotto_emitter *e, const struct sotto_late_unit *late)
{
	const struct sotto_rowset_select *s = &late->keys->of.select;

	if (late->stored)
		return sotto_buffer_appendf(&e->buffer, "(SELECT %s AS m) AS v", late->stored);
	ADD("(SELECT sotto_owners(");
	SOTTO_TRY(sotto_emit_expression(e, s->outputs[0].value));
	ADD(", ");
	SOTTO_TRY(sotto_emit_expression(e, s->outputs[1].value));
	ADD(") AS m FROM ");
	SOTTO_TRY(sotto_emit_from(e, s->from[0]));
	return sotto_buffer_append_text(&e->buffer, ") AS v");
}

/* Keys that are made different by the engine stay as they are. */
static enum sotto_status
add_keys(struct sotto_emitter *e, const struct sotto_rowset *keys, bool is_narrow)
{
	const struct sotto_rowset_select *s = &keys->of.select;

	if (!is_narrow || s->distinct || !s->where || s->from_count != 1 ||
	    s->output_count != 2)
		return sotto_emit_from(e, keys);
	ADD("(SELECT CASE WHEN ");
	SOTTO_TRY(sotto_emit_expression(e, s->where));
	ADD(" THEN ");
	SOTTO_TRY(sotto_emit_expression(e, s->outputs[0].value));
	ADD(" END AS k, ");
	SOTTO_TRY(sotto_emit_expression(e, s->outputs[1].value));
	ADD(" AS u FROM ");
	SOTTO_TRY(sotto_emit_from(e, s->from[0]));
	return sotto_buffer_append_text(&e->buffer, ") AS v");
}

enum sotto_status
sotto_late_unit_compose(struct sotto_emitter *e, const struct sotto_late_unit *late)
{
	const struct sotto_expression *same = SOTTO_APPLY(
		e->arena, SOTTO_OP_SAME, sotto_expression_column(e->arena, "s", "j"),
		sotto_expression_column(e->arena, "v", "k"));

	SOTTO_NEED(same);
	ADD(") AS s JOIN ");
	SOTTO_TRY(add_keys(e, late->keys, late->is_narrow));
	ADD(" ON ");
	return sotto_emit_expression(e, same);
}
