/*
 * A comparison of two tables' rows is what a join is made along, so it cannot be left for later:
 * its heavy sides are computed with the rows of their table, which are held.
 */
#include "central/emit/join_side.h"

#include <string.h>

#include "central/emit/expression_weight.h"
#include "central/expression/binder.h"
#include "core/base/failure.h"

static bool is_comparison(const struct sotto_operation *o)
{
	for (int name = SOTTO_OP_EQ; name <= SOTTO_OP_DISTINCT_FROM; name++)
		if (o == sotto_operation((enum sotto_operation_name)name))
			return true;
	return o == sotto_operation(SOTTO_OP_SAME) || o == sotto_operation(SOTTO_OP_AT_MOST);
}

static enum sotto_status add_side(struct sotto_join_scope *s, const struct sotto_expression *x)
{
	const struct sotto_rowset *leaf = sotto_join_only_leaf(s, x);
	struct sotto_arena *a = s->e->arena;
	struct sotto_join_side *slot;
	const char *name;

	if (!sotto_expression_is_heavy(x) || !leaf || leaf->reads_private)
		return SOTTO_OK;
	slot = SOTTO_PUSH(a, s->sides, s->side_count);
	name = sotto_arena_textf(a, "sotto side %zu", s->side_count);
	SOTTO_NEED(slot && name);
	*slot = (struct sotto_join_side){leaf, x,
					 sotto_expression_column(a, leaf->alias, name)};
	SOTTO_NEED(slot->column);
	return SOTTO_OK;
}

/* Of each comparison of rows of several leaves, in conditions that AND puts together. */
static enum sotto_status add_sides(struct sotto_join_scope *s, const struct sotto_expression *x)
{
	const struct sotto_operation *o = x->operation;
	bool compares = is_comparison(o);

	if (compares && sotto_join_only_leaf(s, x))
		return SOTTO_OK;
	if (!compares && o != sotto_operation(SOTTO_OP_AND) &&
	    o != sotto_operation(SOTTO_OP_BOTH))
		return SOTTO_OK;
	for (size_t i = 0; i < x->count; i++)
		SOTTO_TRY(compares ? add_side(s, x->args[i]) : add_sides(s, x->args[i]));
	return SOTTO_OK;
}

enum sotto_status sotto_join_name_sides(const struct sotto_join_scope *s,
					const struct sotto_expression **condition)
{
	for (size_t i = 0; i < s->side_count; i++) {
		*condition = sotto_expression_replace(s->e->arena, *condition,
						      s->sides[i].value, s->sides[i].column);
		SOTTO_NEED(*condition);
	}
	return SOTTO_OK;
}

bool sotto_join_has_sides(const struct sotto_join_scope *s, const struct sotto_rowset *leaf)
{
	for (size_t i = 0; i < s->side_count; i++)
		if (s->sides[i].leaf == leaf)
			return true;
	return false;
}

/* SELECT *, value AS name ... FROM leaf */
enum sotto_status sotto_join_hold_sides(const struct sotto_join_scope *s,
					const struct sotto_rowset *leaf,
					const struct sotto_rowset **r)
{
	struct sotto_arena *a = s->e->arena;
	struct sotto_rowset_select select = {0};

	SOTTO_NEED(
		sotto_rowset_from(a, &select, *r) &&
		sotto_rowset_output(a, &select, sotto_expression_word(a, SOTTO_OP_STAR), NULL));
	for (size_t i = 0; i < s->side_count; i++) {
		const struct sotto_join_side *side = &s->sides[i];

		if (side->leaf == leaf)
			SOTTO_NEED(sotto_rowset_output(a, &select, side->value,
						       side->column->of.column.name));
	}
	*r = sotto_rowset_select(a, &select, leaf->alias);
	SOTTO_NEED(*r);
	return sotto_join_hold(s->e, r);
}

static bool is_inner(const struct sotto_rowset *r)
{
	return r->kind != SOTTO_ROWSET_JOIN ||
	       (r->of.join.how == SOTTO_ROWSET_INNER && is_inner(r->of.join.left) &&
		is_inner(r->of.join.right));
}

static enum sotto_status add_sides_on(struct sotto_join_scope *s, const struct sotto_rowset *r)
{
	if (r->kind != SOTTO_ROWSET_JOIN)
		return SOTTO_OK;
	SOTTO_TRY(add_sides(s, r->of.join.on));
	SOTTO_TRY(add_sides_on(s, r->of.join.left));
	return add_sides_on(s, r->of.join.right);
}

/*
 * Where no other row decides on the work with these, they are left as they are; and beside outer
 * joins, which make rows of NULL that such a value would have to be computed of.
 */
enum sotto_status
sotto_join_find_sides(struct sotto_join_scope *s, const struct sotto_rowset_select *q)
{
	if (!sotto_join_has_private(s, NULL))
		return SOTTO_OK;
	for (size_t i = 0; i < q->from_count; i++)
		s->is_outer = s->is_outer || !is_inner(q->from[i]);
	if (s->is_outer)
		return SOTTO_OK;
	if (q->where)
		SOTTO_TRY(add_sides(s, q->where));
	for (size_t i = 0; i < q->from_count; i++)
		SOTTO_TRY(add_sides_on(s, q->from[i]));
	return SOTTO_OK;
}

/* ---- outer joins -------------------------------------------------------------------------------- */

static bool reads_only(const struct sotto_join_scope *s, const struct sotto_expression *x,
		       const struct sotto_rowset *side)
{
	const struct sotto_rowset *leaf = sotto_join_only_leaf(s, x);

	return leaf && strcmp(leaf->alias, side->alias) == 0;
}

/* SELECT *, what is given, FROM side */
static enum sotto_status
select_all(const struct sotto_join_scope *s, struct sotto_rowset_select select,
	   struct sotto_rowset_output also, const struct sotto_rowset **side)
{
	struct sotto_arena *a = s->e->arena;

	SOTTO_NEED(sotto_rowset_output(a, &select, sotto_expression_word(a, SOTTO_OP_STAR),
				       NULL) &&
		   sotto_rowset_from(a, &select, *side));
	if (also.value)
		SOTTO_NEED(sotto_rowset_output(a, &select, also.value, also.name));
	*side = sotto_rowset_select(a, &select, (*side)->alias);
	SOTTO_NEED(*side);
	return sotto_join_hold(s->e, side);
}

static enum sotto_status hold_condition(const struct sotto_join_scope *s,
					const struct sotto_expression **on,
					const struct sotto_rowset **side)
{
	SOTTO_TRY(select_all(s, (struct sotto_rowset_select){.where = *on},
			     (struct sotto_rowset_output){NULL, NULL}, side));
	*on = sotto_expression_word(s->e->arena, SOTTO_OP_TRUE);
	SOTTO_NEED(*on);
	return SOTTO_OK;
}

static enum sotto_status hold_values(const struct sotto_join_scope *s,
				     const struct sotto_expression **on,
				     const struct sotto_rowset **side)
{
	const struct sotto_expression *comparison = *on;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct sotto_expression *x = comparison->args[i];
		struct sotto_rowset_output also = {x, "sotto side"};

		if (!sotto_expression_is_heavy(x) || !reads_only(s, x, *side))
			continue;
		also.name = sotto_arena_textf(s->e->arena, "sotto side %zu", s->e->held_count);
		SOTTO_NEED(also.name);
		SOTTO_TRY(select_all(s, (struct sotto_rowset_select){0}, also, side));
		*on = sotto_expression_replace(
			s->e->arena, *on, x,
			sotto_expression_column(s->e->arena, (*side)->alias, also.name));
		SOTTO_NEED(*on);
	}
	return SOTTO_OK;
}

/*
 * Conditions of an outer join on the side that may be missing are those of the rows there: no
 * join can be made along anything that reads both sides.
 */
enum sotto_status sotto_join_hold_side(const struct sotto_join_scope *s,
				       const struct sotto_expression **on,
				       const struct sotto_rowset **side)
{
	const struct sotto_operation *o = (*on)->operation;
	const struct sotto_expression *first, *second;

	if (o == sotto_operation(SOTTO_OP_AND) || o == sotto_operation(SOTTO_OP_BOTH)) {
		first = (*on)->args[0];
		second = (*on)->args[1];
		SOTTO_TRY(sotto_join_hold_side(s, &first, side));
		SOTTO_TRY(sotto_join_hold_side(s, &second, side));
		*on = SOTTO_APPLY(s->e->arena, SOTTO_OP_AND, first, second);
		SOTTO_NEED(*on);
		return SOTTO_OK;
	}
	if (!sotto_expression_is_heavy(*on) || !(*side)->alias)
		return SOTTO_OK;
	return reads_only(s, *on, *side) ? hold_condition(s, on, side)
	       : is_comparison(o)        ? hold_values(s, on, side)
					 : SOTTO_OK;
}
