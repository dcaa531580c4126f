/*
 * GROUPING SETS, ROLLUP and CUBE: one SELECT for each set, with NULL for the keys that are
 * not in the set, and UNION ALL of them.  Each is a release of its own with an equal share
 * of the budget.
 */
#include "central/relation/finished/grouping_sets.h"

#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/expression/bind.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

struct grouping {
	struct sotto_planner *planner;
	struct sotto_binder rows; /* binds over FROM */
	const struct sotto_sql_select *select;
	const struct sotto_sql_grouping *set; /* the one being written */
};

static bool is_in(const struct sotto_sql_select *s, const struct sotto_sql_grouping *set,
		  const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < set->count; i++)
		if (sotto_sql_expr_equal(sotto_group_target(s, set->keys[i]), e))
			return true;
	return false;
}

static bool is_key(const struct grouping *g, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < g->select->set_count; i++)
		if (is_in(g->select, &g->select->sets[i], e))
			return true;
	return false;
}

/* NULL of the key's type. */
static enum sotto_status
missing_key(struct grouping *g, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_arena *a = g->planner->arena;
	struct sotto_sql_expr *cast = sotto_sql_expr_new(a, SOTTO_SQL_CAST, e->at);
	struct sotto_bound x;

	SOTTO_NEED(cast);
	SOTTO_TRY(sotto_bind(&g->rows, e, &x));
	cast->type = x.type == SOTTO_TYPE_LOOSE ? SOTTO_TYPE_TEXT : x.type;
	cast->count = 1;
	cast->args = sotto_arena_alloc(a, sizeof *cast->args);
	SOTTO_NEED(cast->args);
	cast->args[0] = sotto_sql_expr_new(a, SOTTO_SQL_NULL, e->at);
	SOTTO_NEED(cast->args[0]);
	cast->args[0]->text = "";
	*out = cast;
	return SOTTO_OK;
}

/* GROUPING(a, b): a bit for each argument, 1 where the set has not that key. */
static enum sotto_status
grouping_bits(struct grouping *g, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *n =
		sotto_sql_expr_new(g->planner->arena, SOTTO_SQL_NUMBER, e->at);
	unsigned long bits = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct sotto_sql_expr *key = sotto_group_target(g->select, e->args[i]);

		if (!is_key(g, key) || e->count > 30)
			return sotto_sql_fail(g->planner->err, SOTTO_EREFUSED, g->planner->text,
					      e->at, "GROUPING takes keys of GROUP BY");
		bits = bits << 1 | !is_in(g->select, g->set, key);
	}
	SOTTO_NEED(n);
	n->text = sotto_arena_textf(g->planner->arena, "%lu", bits);
	*out = n;
	return n->text ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
rewrite(struct grouping *g, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *copy;

	*out = NULL;
	if (!e)
		return SOTTO_OK;
	if (e->kind == SOTTO_SQL_CALL && strcmp(e->text, "grouping") == 0)
		return grouping_bits(g, e, out);
	if (e->kind == SOTTO_SQL_CALL && sotto_aggregate_find(e->text)) {
		*out = (struct sotto_sql_expr *)e;
		return SOTTO_OK;
	}
	if (is_key(g, e) && !is_in(g->select, g->set, e))
		return missing_key(g, e, out);
	copy = sotto_sql_expr_copy(g->planner->arena, e);
	SOTTO_NEED(copy);
	for (size_t i = 0; i < e->count; i++)
		SOTTO_TRY(rewrite(g, e->args[i], &copy->args[i]));
	*out = copy;
	return SOTTO_OK;
}

static enum sotto_status write_set(struct grouping *g, struct sotto_sql_select **out)
{
	struct sotto_arena *a = g->planner->arena;
	const struct sotto_sql_select *from = g->select;
	struct sotto_sql_select *s = sotto_arena_alloc(a, sizeof *s);

	SOTTO_NEED(s);
	*s = *from;
	s->set_count = 0;
	s->how = SOTTO_SQL_UNION;
	s->all = true;
	s->order_count = 0;
	s->limit = -1;
	s->offset = 0;
	s->cte_count = 0;
	s->group_count = g->set->count;
	s->groups = sotto_arena_alloc(a, (g->set->count + 1) * sizeof *s->groups);
	s->outputs = sotto_arena_alloc(a, (from->output_count + 1) * sizeof *s->outputs);
	SOTTO_NEED(s->groups && s->outputs);
	for (size_t i = 0; i < g->set->count; i++)
		s->groups[i] = sotto_group_target(from, g->set->keys[i]);
	for (size_t i = 0; i < from->output_count; i++) {
		SOTTO_TRY(rewrite(g, from->outputs[i].expr, &s->outputs[i].expr));
		s->outputs[i].name = sotto_output_name(&from->outputs[i]);
	}
	SOTTO_TRY(rewrite(g, from->having, &s->having));
	if (!sotto_select_is_grouped(s)) { /* the empty set without an aggregate is one row */
		s->having = sotto_sql_expr_new(a, SOTTO_SQL_BOOL, from->at);
		SOTTO_NEED(s->having);
		s->having->truth = true;
		s->having->text = "";
	}
	*out = s;
	return SOTTO_OK;
}

enum sotto_status sotto_orders_number(struct sotto_arena *a,
				      const struct sotto_sql_select *from,
				      struct sotto_sql_order **out)
{
	*out = sotto_arena_alloc(a, (from->order_count + 1) * sizeof **out);
	SOTTO_NEED(*out);
	for (size_t i = 0; i < from->order_count; i++) {
		(*out)[i] = from->orders[i];
		for (size_t j = 0; j < from->output_count; j++) {
			struct sotto_sql_expr *n;

			if (!sotto_sql_expr_equal(from->orders[i].expr, from->outputs[j].expr))
				continue;
			n = sotto_sql_expr_new(a, SOTTO_SQL_NUMBER, from->orders[i].expr->at);
			SOTTO_NEED(n);
			n->text = sotto_arena_textf(a, "%zu", j + 1);
			SOTTO_NEED(n->text);
			(*out)[i].expr = n;
			break;
		}
	}
	return SOTTO_OK;
}

/* FROM with the conditions that WHERE puts on its joins. */
static enum sotto_status bind_from(struct sotto_planner *p, const struct sotto_ctes *ctes,
				   const struct sotto_sql_select *s, struct sotto_relation *out)
{
	const struct sotto_sql_expr *where = p->where;
	const struct sotto_sql_from *from = p->from;
	enum sotto_status st;

	p->where = s->where;
	p->from = s->from;
	st = sotto_relation_bind(p, ctes, s->from, out);
	p->where = where;
	p->from = from;
	return st;
}

enum sotto_status sotto_grouping_expand(struct sotto_planner *p, const struct sotto_ctes *ctes,
					const struct sotto_sql_select *s,
					const struct sotto_sql_select **out)
{
	struct grouping g = {.planner = p, .select = s};
	struct sotto_sql_select *first = NULL, **next = &first;
	struct sotto_relation from;

	SOTTO_TRY(sotto_ctes_push(p, s, &ctes));
	SOTTO_TRY(bind_from(p, ctes, s, &from));
	g.rows = sotto_planner_binder(p, &from.scope);
	for (size_t i = 0; i < s->set_count; i++) {
		g.set = &s->sets[i];
		SOTTO_TRY(write_set(&g, next));
		next = &(*next)->unite;
	}
	*next = s->unite;
	first->ctes = s->ctes;
	first->cte_count = s->cte_count;
	first->limit = s->limit;
	first->offset = s->offset;
	first->order_count = s->order_count;
	SOTTO_TRY(sotto_orders_number(p->arena, s, &first->orders));
	*out = first;
	return SOTTO_OK;
}
