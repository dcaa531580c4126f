/*
 * FROM a, b, c: relations whose joins WHERE describes.
 *
 * Joins are bound one after the other, and each looks only at what stands on its two sides.  The
 * order in which somebody wrote the list must not matter, so a member waits until WHERE ties it
 * to one that is there: private rows by their unit, public ones by an equality.
 */
#include "central/relation/relation_list.h"

#include "central/expression/bind.h"
#include "central/expression/domain/met_condition.h"
#include "central/relation/private_join.h"
#include "core/base/failure.h"

bool sotto_from_is_list(const struct sotto_sql_from *from)
{
	return from->kind == SOTTO_SQL_JOIN && from->join == SOTTO_SQL_INNER && !from->on &&
	       from->using_count == 0 && !from->natural;
}

/* ---- what WHERE says about the public side alone ------------------------------------------- */

/* Does every row that WHERE sees hold a row of this join, not NULLs that an outer join put there? */
static bool is_kept(const struct sotto_sql_from *whole, const struct sotto_sql_from *from)
{
	if (whole == from)
		return true;
	if (!whole || whole->kind != SOTTO_SQL_JOIN)
		return false;
	return (whole->join != SOTTO_SQL_RIGHT && whole->join != SOTTO_SQL_FULL &&
		is_kept(whole->left, from)) ||
	       (whole->join != SOTTO_SQL_LEFT && whole->join != SOTTO_SQL_FULL &&
		is_kept(whole->right, from));
}

enum sotto_status
sotto_list_conditions(struct sotto_planner *p, const struct sotto_sql_from *from,
		      struct sotto_relation *left, struct sotto_relation *right)
{
	struct sotto_relation *public = left->owner ? right : left;
	struct sotto_binder b = sotto_planner_binder(p, &public->scope);
	struct sotto_conditions *met;

	if (!left->owner == !right->owner || !is_kept(p->from, from))
		return SOTTO_OK;
	met = sotto_arena_alloc(p->arena, sizeof *met);
	SOTTO_NEED(met);
	*met = (struct sotto_conditions){0};
	for (size_t i = 0; public->met && i < public->met->count; i++) {
		struct sotto_bound *slot = SOTTO_PUSH(p->arena, met->list, met->count);

		SOTTO_NEED(slot);
		*slot = public->met->list[i];
	}
	b.outer = NULL;
	SOTTO_TRY(sotto_conditions_add(&b, p->where, met));
	public->met = met;
	return SOTTO_OK;
}

/* ---- which member is next ------------------------------------------------------------------ */

struct member {
	const struct sotto_sql_from *from;
	struct sotto_relation relation;
	bool taken;
};

static bool
reads(struct sotto_planner *p, const struct sotto_relation *r, const struct sotto_sql_expr *e)
{
	struct sotto_binder b = sotto_planner_binder(p, &r->scope);
	struct sotto_bound x;

	b.err = NULL;
	b.outer = NULL;
	return !sotto_sql_expr_has_select(e) && sotto_bind(&b, e, &x) == SOTTO_OK &&
	       x.column_count > 0;
}

/* An equality of WHERE with one side over x and one over y. */
static bool equates(struct sotto_planner *p, const struct sotto_relation *x,
		    const struct sotto_relation *y, const struct sotto_sql_expr *e)
{
	if (!e || e->kind != SOTTO_SQL_OP)
		return false;
	if (e->op == SOTTO_SQL_AND)
		return equates(p, x, y, e->args[0]) || equates(p, x, y, e->args[1]);
	return e->op == SOTTO_SQL_EQ && ((reads(p, x, e->args[0]) && reads(p, y, e->args[1])) ||
					 (reads(p, x, e->args[1]) && reads(p, y, e->args[0])));
}

static bool is_tied(struct sotto_planner *p, const struct sotto_relation *there,
		    const struct sotto_relation *r)
{
	return there->owner && r->owner ? sotto_units_equated(p, there, r, p->where)
					: equates(p, there, r, p->where);
}

/* The first that is tied to what is there; the first at all if none is. */
static struct member *next(struct sotto_planner *p, const struct sotto_relation *there,
			   struct member *list, size_t count)
{
	struct member *first = NULL;

	for (size_t i = 0; i < count; i++) {
		if (list[i].taken)
			continue;
		if (is_tied(p, there, &list[i].relation))
			return &list[i];
		first = first ? first : &list[i];
	}
	return first;
}

/* ---- the join ------------------------------------------------------------------------------ */

static size_t count_members(const struct sotto_sql_from *from)
{
	size_t n = 1;

	for (; sotto_from_is_list(from); from = from->left)
		n++;
	return n;
}

static enum sotto_status bind_members(struct sotto_planner *p, const struct sotto_ctes *ctes,
				      const struct sotto_sql_from *from, struct member *list,
				      size_t count)
{
	for (size_t i = count; i-- > 0; from = from->left)
		list[i].from = i ? from->right : from;
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(sotto_relation_bind(p, ctes, list[i].from, &list[i].relation));
	return SOTTO_OK;
}

/* What * stands for is in the order of the list. */
static enum sotto_status keep_order(struct sotto_planner *p, const struct member *list,
				    size_t count, struct sotto_relation *out)
{
	out->scope = (struct sotto_scope){0};
	for (size_t i = 0; i < count; i++) {
		const struct sotto_relation *r = &list[i].relation;

		for (size_t j = 0; j < r->scope.count; j++)
			SOTTO_NEED(sotto_scope_add(p->arena, &out->scope, r->scope.columns[j]));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_list_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
				  const struct sotto_sql_from *from, struct sotto_relation *out)
{
	size_t count = count_members(from);
	struct member *list = sotto_arena_alloc(p->arena, count * sizeof *list);
	struct sotto_relation there;

	SOTTO_NEED(list);
	SOTTO_TRY(bind_members(p, ctes, from, list, count));
	there = list[0].relation;
	list[0].taken = true;
	for (size_t i = 1; i < count; i++) {
		struct member *m = next(p, &there, list, count);
		struct sotto_sql_from join = {
			.kind = SOTTO_SQL_JOIN, .at = m->from->at, .join = SOTTO_SQL_INNER};
		struct sotto_relation joined;

		SOTTO_TRY(sotto_list_conditions(p, from, &there, &m->relation));
		SOTTO_TRY(sotto_join_relations(p, &join, &there, &m->relation, &joined));
		there = joined;
		m->taken = true;
	}
	*out = there;
	return keep_order(p, list, count, out);
}
