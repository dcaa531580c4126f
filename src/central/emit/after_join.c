/*
 * A heavy condition that does not read all private tables of its join becomes one that does,
 * whatever their columns hold, so that the engine can compute it only for rows that were joined.
 * What is heavy in a table that is made by a query, in a subquery that reads nothing around it, or
 * in a side of INTERSECT or EXCEPT is held: computed first, and in full.
 */
#include "central/emit/after_join.h"

#include "central/emit/column_find.h"
#include "central/emit/expression_weight.h"
#include "central/emit/join_scope.h"
#include "central/emit/join_side.h"
#include "central/expression/binder.h"
#include "core/base/failure.h"

static enum sotto_status
rewrite_query(struct sotto_emitter *e, const struct sotto_expression *outer,
	      const struct sotto_expression *own, const struct sotto_rowset **r);
static enum sotto_status
rewrite_value(struct sotto_emitter *e, const struct sotto_expression **x);

/* ---- conditions ------------------------------------------------------------------------------- */

/* "x IS NULL OR NOT x IS NULL" beside what there is already. */
static const struct sotto_expression *add_any(struct sotto_arena *a,
					      const struct sotto_expression *before,
					      const struct sotto_expression *x)
{
	const struct sotto_expression *none = SOTTO_APPLY(a, SOTTO_OP_IS_NULL, x);
	const struct sotto_expression *some = none ? SOTTO_APPLY(a, SOTTO_OP_NOT, none) : NULL;
	const struct sotto_expression *any =
		some ? SOTTO_APPLY(a, SOTTO_OP_OR, none, some) : NULL;

	return before && any ? SOTTO_APPLY(a, SOTTO_OP_AND, before, any) : any;
}

/* All private leaves, and the row around them. */
static bool reads_private(const struct sotto_join_scope *s, const struct sotto_expression *x)
{
	for (size_t i = 0; i < s->leaf_count; i++)
		if (s->leaves[i]->reads_private && s->leaves[i]->alias &&
		    !sotto_column_find(x, s->leaves[i]->alias))
			return false;
	return !s->outer || sotto_column_find(x, s->outer->of.column.alias);
}

/* Would the engine join several tables by it, and compute a side for rows not yet joined? */
static bool has_early_side(const struct sotto_join_scope *s, const struct sotto_expression *x)
{
	for (size_t i = 0; !sotto_join_only_leaf(s, x) && i < x->count; i++)
		if (sotto_expression_is_heavy(x->args[i]) && !reads_private(s, x->args[i]))
			return true;
	return false;
}

/*
 * The condition, read beside a column of each private table that it does not read itself; and
 * where it compares what does not read them all, of each: the engine would join by that.
 */
static enum sotto_status
read_beside(const struct sotto_join_scope *s, const struct sotto_expression **condition)
{
	bool is_early = has_early_side(s, *condition);
	const struct sotto_expression *any = NULL;
	struct sotto_arena *a = s->e->arena;

	for (size_t i = 0; i < s->leaf_count; i++) {
		const struct sotto_rowset *leaf = s->leaves[i];
		const struct sotto_expression *column = sotto_join_column(s, leaf);

		if (!leaf->reads_private || !column ||
		    (!is_early && sotto_column_find(*condition, leaf->alias)))
			continue;
		any = add_any(a, any, column);
		SOTTO_NEED(any);
	}
	if (s->outer && !sotto_column_find(*condition, s->outer->of.column.alias)) {
		any = add_any(a, any, s->outer);
		SOTTO_NEED(any);
	}
	if (!any)
		return SOTTO_OK;
	*condition = SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, any, *condition);
	SOTTO_NEED(*condition);
	return SOTTO_OK;
}

/* A column of one of the leaves stands in it. */
static bool reads_side(const struct sotto_rowset *r, const struct sotto_expression *x)
{
	return r->kind == SOTTO_ROWSET_JOIN
		       ? reads_side(r->of.join.left, x) || reads_side(r->of.join.right, x)
		       : r->alias && sotto_column_find(x, r->alias);
}

/*
 * Where private tables are joined later, there is nothing to read; and what an outer join says of one
 * side would be compared with each row of the other.
 */
static bool can_read_beside(const struct sotto_join_scope *s, const struct sotto_rowset *join,
			    const struct sotto_expression *x)
{
	return !join || sotto_join_can_wait(s, join) ||
	       (!s->outer && sotto_join_holds_private(s, join) &&
		reads_side(join->of.join.left, x) && reads_side(join->of.join.right, x));
}

/* Conditions on one table, each light, that the engine computes before it joins the table. */
static bool is_one_too_many(const struct sotto_join_scope *s, const struct sotto_expression *x)
{
	return sotto_join_only_leaf(s, x) && !reads_private(s, x) &&
	       sotto_expression_is_one_too_many(x, &s->e->early);
}

/* More columns than two tables are joined along. */
static bool is_tie_too_many(const struct sotto_join_scope *s, const struct sotto_expression *x)
{
	return sotto_expression_is_tie(x) && sotto_expression_is_much(x, &s->e->tied);
}

/* Each of the conditions that AND puts together, in WHERE (NULL), or of a join. */
static enum sotto_status rewrite_condition(const struct sotto_join_scope *s,
					   const struct sotto_rowset *join,
					   const struct sotto_expression **x)
{
	const struct sotto_operation *o = (*x)->operation;
	bool is_heavy;

	if (o == sotto_operation(SOTTO_OP_AND) || o == sotto_operation(SOTTO_OP_BOTH)) {
		const struct sotto_expression *first = (*x)->args[0], *second = (*x)->args[1];

		SOTTO_TRY(rewrite_condition(s, join, &first));
		SOTTO_TRY(rewrite_condition(s, join, &second));
		if (first == (*x)->args[0] && second == (*x)->args[1])
			return SOTTO_OK;
		*x = sotto_expression_make(
			s->e->arena, o, (const struct sotto_expression *const[]){first, second},
			2);
		SOTTO_NEED(*x);
		return SOTTO_OK;
	}
	is_heavy = sotto_expression_is_heavy(*x) || is_one_too_many(s, *x) ||
		   is_tie_too_many(s, *x);
	SOTTO_TRY(rewrite_value(s->e, x));
	if (!is_heavy)
		return SOTTO_OK;
	if (can_read_beside(s, join, *x))
		return read_beside(s, x);
	return reads_private(s, *x) || !sotto_expression_reads_column(*x) ? SOTTO_OK
									  : SOTTO_EREFUSED;
}

/* ---- held apart --------------------------------------------------------------------------------- */

static bool makes_rows(const struct sotto_rowset *r)
{
	bool makes = r->kind == SOTTO_ROWSET_JOIN;

	if (r->kind == SOTTO_ROWSET_SET)
		return makes_rows(r->of.both.first) || makes_rows(r->of.both.second);
	if (r->kind != SOTTO_ROWSET_SELECT)
		return makes;
	for (size_t i = 0; i < r->of.select.from_count; i++)
		makes = makes || i > 0 || makes_rows(r->of.select.from[i]);
	return makes;
}

/*
 * IN is a join, too: the engine would make those rows of the subquery that private rows ask for, or
 * none.  Of its different values, which are found for all of them, it makes all rows.
 */
static enum sotto_status find_all(struct sotto_emitter *e, const struct sotto_expression *x,
				  const struct sotto_rowset **r)
{
	struct sotto_rowset *made;

	if (x->operation != sotto_operation(SOTTO_OP_IN) || !makes_rows(*r))
		return SOTTO_OK;
	e->finds_heavy = true;
	if ((*r)->kind != SOTTO_ROWSET_SELECT || (*r)->of.select.limit ||
	    (*r)->of.select.offset || (*r)->of.select.orders)
		return SOTTO_OK;
	made = sotto_arena_alloc(e->arena, sizeof *made);
	SOTTO_NEED(made);
	*made = **r;
	made->of.select.distinct = true;
	*r = made;
	return SOTTO_OK;
}

static enum sotto_status
rewrite_subquery(struct sotto_emitter *e, const struct sotto_expression **x)
{
	const struct sotto_rowset *query = (*x)->of.query;
	const struct sotto_expression *outer = sotto_column_find_outer(query);
	bool is_heavy = sotto_rowset_is_heavy(query);
	struct sotto_expression *made;

	if (!outer)
		SOTTO_TRY(find_all(e, *x, &query));
	if (!is_heavy && query == (*x)->of.query)
		return SOTTO_OK;
	if (is_heavy)
		SOTTO_TRY(rewrite_query(e, outer, NULL, &query));
	if (is_heavy && !outer)
		SOTTO_TRY(sotto_join_hold(e, &query));
	made = sotto_arena_alloc(e->arena, sizeof *made);
	SOTTO_NEED(made);
	*made = **x;
	made->of.query = query;
	*x = made;
	return SOTTO_OK;
}

/* The subqueries in an expression. */
static enum sotto_status
rewrite_value(struct sotto_emitter *e, const struct sotto_expression **x)
{
	const struct sotto_expression **args;
	struct sotto_expression *made;
	bool changed = false;

	args = sotto_arena_alloc(e->arena,
				 ((*x)->count + 1) * sizeof(struct sotto_expression *));
	SOTTO_NEED(args);
	for (size_t i = 0; i < (*x)->count; i++) {
		args[i] = (*x)->args[i];
		SOTTO_TRY(rewrite_value(e, &args[i]));
		changed = changed || args[i] != (*x)->args[i];
	}
	if (changed) {
		made = sotto_arena_alloc(e->arena, sizeof *made);
		SOTTO_NEED(made);
		*made = **x;
		made->args = args;
		*x = made;
	}
	return (*x)->operation->form == SOTTO_OPERATION_QUERY ? rewrite_subquery(e, x)
							      : SOTTO_OK;
}

enum sotto_status
sotto_after_join_value(struct sotto_emitter *e, const struct sotto_expression **x)
{
	return rewrite_value(e, x);
}

/* ---- queries ------------------------------------------------------------------------------------ */

static enum sotto_status
rewrite_from(const struct sotto_join_scope *s, const struct sotto_rowset **r);

static enum sotto_status rewrite_join(const struct sotto_join_scope *s, struct sotto_rowset *r)
{
	const struct sotto_rowset before = *r;

	SOTTO_TRY(rewrite_from(s, &r->of.join.left));
	SOTTO_TRY(rewrite_from(s, &r->of.join.right));
	SOTTO_TRY(sotto_join_name_sides(s, &r->of.join.on));
	s->e->tied = 0;
	SOTTO_TRY(rewrite_condition(s, &before, &r->of.join.on));
	return sotto_join_fill_sides(s, &r->of.join.on);
}

static enum sotto_status
rewrite_from(const struct sotto_join_scope *s, const struct sotto_rowset **r)
{
	const struct sotto_rowset *leaf = *r;
	struct sotto_rowset *made;

	if (leaf->kind == SOTTO_ROWSET_JOIN) {
		made = sotto_arena_alloc(s->e->arena, sizeof *made);
		SOTTO_NEED(made);
		*made = *leaf;
		*r = made;
		return rewrite_join(s, made);
	}
	if (sotto_rowset_is_heavy(leaf))
		SOTTO_TRY(rewrite_query(s->e, sotto_column_find_outer(leaf), NULL, r));
	if (sotto_join_has_sides(s, leaf))
		return sotto_join_hold_sides(s, leaf, r);
	return (leaf->kind == SOTTO_ROWSET_SELECT || leaf->kind == SOTTO_ROWSET_SET) &&
			       sotto_rowset_is_heavy(leaf) && sotto_join_has_private(s, leaf) &&
			       !sotto_column_find_outer(leaf)
		       ? sotto_join_hold(s->e, r)
		       : SOTTO_OK;
}

static enum sotto_status
rewrite_select(struct sotto_emitter *e, const struct sotto_expression *outer,
	       const struct sotto_expression *own, struct sotto_rowset_select *q)
{
	struct sotto_join_scope s = {.e = e, .outer = outer};
	const struct sotto_rowset **from = sotto_arena_alloc(
		e->arena, (q->from_count + 1) * sizeof(struct sotto_rowset *));
	struct sotto_rowset_output *outputs =
		sotto_arena_alloc(e->arena, (q->output_count + 1) * sizeof *outputs);

	SOTTO_NEED(from && outputs);
	SOTTO_TRY(sotto_join_add_reading(&s, q->where));
	SOTTO_TRY(sotto_join_add_reading(&s, own));
	for (size_t i = 0; i < q->from_count; i++)
		SOTTO_TRY(sotto_join_add_leaves(&s, q->from[i]));
	SOTTO_TRY(sotto_join_find_sides(&s, q));
	for (size_t i = 0; i < q->output_count; i++) {
		outputs[i] = q->outputs[i];
		SOTTO_TRY(sotto_join_add_reading(&s, outputs[i].value));
		SOTTO_TRY(rewrite_value(e, &outputs[i].value));
	}
	for (size_t i = 0; i < q->from_count; i++) {
		from[i] = q->from[i];
		SOTTO_TRY(rewrite_from(&s, &from[i]));
	}
	q->from = from;
	q->outputs = outputs;
	if (!q->where)
		return SOTTO_OK;
	e->tied = 0;
	SOTTO_TRY(sotto_join_name_sides(&s, &q->where));
	SOTTO_TRY(rewrite_condition(&s, NULL, &q->where));
	return sotto_join_fill_sides(&s, &q->where);
}

/* INTERSECT and EXCEPT look up the rows of one side in the other, so they are joins too. */
static enum sotto_status hold_side(struct sotto_emitter *e, const struct sotto_rowset *set,
				   const struct sotto_rowset **side)
{
	return set->of.both.how != SOTTO_SQL_UNION && sotto_rowset_is_heavy(*side) &&
			       !sotto_column_find_outer(*side)
		       ? sotto_join_hold(e, side)
		       : SOTTO_OK;
}

static enum sotto_status
rewrite_query(struct sotto_emitter *e, const struct sotto_expression *outer,
	      const struct sotto_expression *own, const struct sotto_rowset **r)
{
	struct sotto_rowset *made;

	if ((*r)->kind != SOTTO_ROWSET_SELECT && (*r)->kind != SOTTO_ROWSET_SET)
		return SOTTO_OK;
	made = sotto_arena_alloc(e->arena, sizeof *made);
	SOTTO_NEED(made);
	*made = **r;
	*r = made;
	if (made->kind == SOTTO_ROWSET_SELECT)
		return rewrite_select(e, outer, own, &made->of.select);
	SOTTO_TRY(rewrite_query(e, outer, NULL, &made->of.both.first));
	SOTTO_TRY(rewrite_query(e, outer, NULL, &made->of.both.second));
	SOTTO_TRY(hold_side(e, made, &made->of.both.first));
	return hold_side(e, made, &made->of.both.second);
}

enum sotto_status sotto_after_join(struct sotto_emitter *e, const struct sotto_expression *own,
				   const struct sotto_rowset **rows,
				   const struct sotto_expression **where)
{
	struct sotto_rowset_select q = {.from = rows, .from_count = 1, .where = *where};

	SOTTO_TRY(rewrite_select(e, NULL, own, &q));
	*rows = q.from[0];
	*where = q.where;
	return SOTTO_OK;
}

enum sotto_status sotto_held_compose(struct sotto_emitter *e)
{
	SOTTO_TRY(sotto_buffer_append_text(&e->buffer, "WITH "));
	for (size_t i = 0; i < e->held_count; i++) {
		SOTTO_TRY(sotto_buffer_appendf(&e->buffer, "e%zu AS MATERIALIZED (", i));
		SOTTO_TRY(sotto_emit_query(e, e->held[i]));
		SOTTO_TRY(sotto_buffer_append_text(&e->buffer, "), "));
	}
	return SOTTO_OK;
}
