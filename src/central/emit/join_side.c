/*
 * A comparison of two tables' rows is what a join is made along, an outer join needs all of its
 * condition, and one beside which a private table is joined later cannot read it, so none of them
 * can be left for later: what is heavy there and reads one table is computed with the rows of that
 * table, which are held.
 */
#include "central/emit/join_side.h"

#include "central/emit/column_find.h"
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

/* One condition, and what is joined where it is read. */
struct search {
	struct sotto_join_scope *s;
	const struct sotto_expression *condition;
	const struct sotto_rowset *const *below;
	size_t count;
};

/*
 * The leaf that the value can be computed with; NULL: none.  Where no other row decides on the work
 * with its rows, they are left as they are.
 */
static enum sotto_status find_leaf(const struct sotto_join_scope *s,
				   const struct sotto_expression *x,
				   const struct sotto_rowset **leaf)
{
	const struct sotto_rowset *only =
		sotto_expression_is_heavy(x) ? sotto_join_only_leaf(s, x) : NULL;
	const struct sotto_rowset *alone;

	*leaf = NULL;
	if (!only || !sotto_join_has_private(s, only))
		return SOTTO_OK;
	alone = sotto_rowset_one(s->e->arena, x, NULL, only);
	SOTTO_NEED(alone);
	if (!sotto_column_find_outer(alone))
		*leaf = only;
	return SOTTO_OK;
}

static enum sotto_status name_side(const struct search *f, struct sotto_join_side *side)
{
	struct sotto_arena *a = f->s->e->arena;
	const char *name = sotto_arena_textf(a, "sotto side %zu", f->s->side_count);
	const char *here = sotto_arena_textf(a, "sotto side %zu here", f->s->side_count);
	bool may_miss = false;

	SOTTO_NEED(name && here);
	for (size_t i = 0; i < f->count; i++)
		may_miss = may_miss || sotto_join_may_miss(f->below[i], side->leaf);
	side->column = sotto_expression_column(a, side->leaf->alias, name);
	side->here = may_miss ? sotto_expression_column(a, side->leaf->alias, here) : NULL;
	return side->column && (side->here || !may_miss) ? SOTTO_OK : SOTTO_ENOMEM;
}

/* The largest parts that can be computed with the rows of one leaf. */
static enum sotto_status add_parts(const struct search *f, const struct sotto_expression *x)
{
	struct sotto_join_scope *s = f->s;
	struct sotto_join_side side = {.condition = f->condition, .value = x}, *slot;

	SOTTO_TRY(find_leaf(s, x, &side.leaf));
	if (!side.leaf) {
		for (size_t i = 0; i < x->count; i++)
			SOTTO_TRY(add_parts(f, x->args[i]));
		return SOTTO_OK;
	}
	SOTTO_TRY(name_side(f, &side));
	slot = SOTTO_PUSH(s->e->arena, s->sides, s->side_count);
	SOTTO_NEED(slot);
	*slot = side;
	return SOTTO_OK;
}

/* Of each comparison of rows of several leaves, or with the row around, in what AND joins. */
static enum sotto_status add_sides(const struct search *f, const struct sotto_expression *x)
{
	const struct sotto_operation *o = x->operation;
	const struct sotto_rowset *only;
	bool compares = is_comparison(o);

	SOTTO_TRY(find_leaf(f->s, x, &only));
	if (compares && only)
		return SOTTO_OK;
	if (!compares && o != sotto_operation(SOTTO_OP_AND) &&
	    o != sotto_operation(SOTTO_OP_BOTH))
		return SOTTO_OK;
	for (size_t i = 0; i < x->count; i++)
		SOTTO_TRY(compares ? add_parts(f, x->args[i]) : add_sides(f, x->args[i]));
	return SOTTO_OK;
}

enum sotto_status sotto_join_name_sides(const struct sotto_join_scope *s,
					const struct sotto_expression **condition)
{
	const struct sotto_expression *whole = *condition;

	for (size_t i = 0; i < s->side_count; i++) {
		if (s->sides[i].condition != whole)
			continue;
		*condition = sotto_expression_replace(s->e->arena, *condition,
						      s->sides[i].value, s->sides[i].column);
		SOTTO_NEED(*condition);
	}
	return SOTTO_OK;
}

/* The value for a row of NULL, without columns: the engine finds it once. */
static const struct sotto_expression *
without_row(struct sotto_arena *a, const struct sotto_expression *x)
{
	struct sotto_expression *made = sotto_arena_alloc(a, sizeof *made);
	const struct sotto_expression **args =
		sotto_arena_alloc(a, (x->count + 1) * sizeof(struct sotto_expression *));

	if (x->operation->form == SOTTO_OPERATION_COLUMN)
		return SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN,
				   sotto_expression_word(a, SOTTO_OP_FALSE), x);
	if (!made || !args)
		return NULL;
	*made = *x;
	made->args = args;
	for (size_t i = 0; i < x->count; i++) {
		args[i] = without_row(a, x->args[i]);
		if (!args[i])
			return NULL;
	}
	return made;
}

/* CASE WHEN here THEN column ELSE what it would be for NULL END */
enum sotto_status sotto_join_fill_sides(const struct sotto_join_scope *s,
					const struct sotto_expression **condition)
{
	struct sotto_arena *a = s->e->arena;

	for (size_t i = 0; i < s->side_count; i++) {
		const struct sotto_join_side *side = &s->sides[i];
		const struct sotto_expression *none, *some, *filled;

		if (!side->here)
			continue;
		none = without_row(a, side->value);
		some = SOTTO_APPLY(a, SOTTO_OP_WHEN, side->here, side->column);
		SOTTO_NEED(none && some);
		filled = SOTTO_APPLY(a, SOTTO_OP_CASE, some, none);
		SOTTO_NEED(filled);
		*condition = sotto_expression_replace(a, *condition, side->column, filled);
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

		if (side->leaf != leaf)
			continue;
		SOTTO_NEED(sotto_rowset_output(a, &select, side->value,
					       side->column->of.column.name));
		if (side->here)
			SOTTO_NEED(sotto_rowset_output(a, &select,
						       sotto_expression_word(a, SOTTO_OP_TRUE),
						       side->here->of.column.name));
	}
	*r = sotto_rowset_select(a, &select, leaf->alias);
	SOTTO_NEED(*r);
	return sotto_join_hold(s->e, r);
}

/* What cannot be left for later is computed with its rows wherever it stands in the condition. */
static enum sotto_status add_sides_on(struct sotto_join_scope *s, const struct sotto_rowset *r)
{
	const struct sotto_rowset *below[2];
	struct search f = {s, NULL, below, 2};

	if (r->kind != SOTTO_ROWSET_JOIN)
		return SOTTO_OK;
	f.condition = r->of.join.on;
	below[0] = r->of.join.left;
	below[1] = r->of.join.right;
	SOTTO_TRY(sotto_join_can_wait(s, r) ? add_sides(&f, f.condition)
					    : add_parts(&f, f.condition));
	SOTTO_TRY(add_sides_on(s, below[0]));
	return add_sides_on(s, below[1]);
}

enum sotto_status
sotto_join_find_sides(struct sotto_join_scope *s, const struct sotto_rowset_select *q)
{
	struct search f = {s, q->where, q->from, q->from_count};

	for (size_t i = 0; i < q->from_count; i++)
		SOTTO_TRY(add_sides_on(s, q->from[i]));
	return q->where ? add_sides(&f, q->where) : SOTTO_OK;
}
