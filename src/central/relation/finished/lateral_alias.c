/*
 * Names of outputs in other outputs, in WHERE and in HAVING.  Which names are columns is found before
 * anything is bound: from the schemas of tables and from the outputs of subqueries.
 */
#include "central/relation/finished/lateral_alias.h"

#include <string.h>
#include <strings.h>

#include "central/aggregate/aggregate.h"
#include "central/expression/work/row_work.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

/* Relations that are looked into for names: WITH queries may stand in each other many times. */
enum { RELATIONS_MAX = 10000 };

struct lateral {
	struct sotto_planner *planner;
	const struct sotto_ctes *ctes;
	const struct sotto_sql_select *select;
	size_t count; /* of outputs that may be named */
	size_t relations; /* looked into so far */
	bool rows; /* WHERE and keys: what is computed of groups is not there yet */
};

/* ---- columns of FROM ----------------------------------------------------------------------- */

static bool from_has(struct lateral *l, const struct sotto_ctes *ctes,
		     const struct sotto_sql_from *f, const char *name);

static bool names_have(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(names[i], name) == 0)
			return true;
	return false;
}

static bool select_has(struct lateral *l, const struct sotto_ctes *ctes,
		       const struct sotto_sql_select *s, const char *name)
{
	if (sotto_ctes_push(l->planner, s, &ctes) != SOTTO_OK)
		return true;
	for (size_t i = 0; i < s->output_count; i++) {
		const struct sotto_sql_output *o = &s->outputs[i];

		if (o->expr->kind == SOTTO_SQL_STAR
			    ? from_has(l, ctes, s->from, name)
			    : strcasecmp(sotto_output_name(o), name) == 0)
			return true;
	}
	return false;
}

/* A table that cannot be read has every column: what is wrong with it is said later. */
static bool table_has(struct lateral *l, const struct sotto_ctes *ctes,
		      const struct sotto_sql_from *f, const char *name)
{
	const struct sotto_planner *p = l->planner;
	struct sotto_error ignored;
	const struct sotto_policy_table *table;
	const struct sotto_schema_table *t;

	for (const struct sotto_ctes *c = ctes; c; c = c->outer)
		if (strcmp(c->cte->name, f->table) == 0)
			return names_have(c->cte->columns, c->cte->column_count, name) ||
			       select_has(l, c->outer, c->cte->select, name);
	table = sotto_policy_table_find(p->policy, f->table);
	if (!table || sotto_planner_schema(p, table, &t, &ignored) != SOTTO_OK)
		return true;
	for (size_t i = 0; i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, name) == 0)
			return true;
	return false;
}

static bool from_has(struct lateral *l, const struct sotto_ctes *ctes,
		     const struct sotto_sql_from *f, const char *name)
{
	if (!f)
		return false;
	if (l->relations++ >= RELATIONS_MAX)
		return true;
	if (names_have(f->columns, f->column_count, name))
		return true;
	switch (f->kind) {
	case SOTTO_SQL_TABLE:
		return table_has(l, ctes, f, name);
	case SOTTO_SQL_JOIN:
		return from_has(l, ctes, f->left, name) || from_has(l, ctes, f->right, name);
	case SOTTO_SQL_SUBQUERY:
		break;
	}
	return select_has(l, ctes, f->select, name);
}

/* ---- writing out ----------------------------------------------------------------------------- */

/* What the name stands for; NULL: it is not an output, or a column is meant. */
static struct sotto_sql_expr *find_output(struct lateral *l, const struct sotto_sql_expr *e)
{
	const struct sotto_sql_select *s = l->select;

	for (size_t i = 0; i < l->count; i++) {
		struct sotto_sql_expr *x = s->outputs[i].expr;

		if (!s->outputs[i].name || strcmp(s->outputs[i].name, e->text) != 0)
			continue;
		if (l->rows && (sotto_expr_has_aggregate(x) || sotto_expr_has_window(x)))
			return NULL;
		return from_has(l, l->ctes, s->from, e->text) ? NULL : x;
	}
	return NULL;
}

static enum sotto_status expand(struct lateral *l, struct sotto_sql_expr **e);

static enum sotto_status expand_window(struct lateral *l, struct sotto_sql_expr *e)
{
	struct sotto_arena *a = l->planner->arena;
	struct sotto_sql_window *w = sotto_arena_alloc(a, sizeof *w);

	SOTTO_NEED(w);
	*w = *e->window;
	w->parts = sotto_arena_alloc(a, (w->part_count + 1) * sizeof *w->parts);
	w->orders = sotto_arena_alloc(a, (w->order_count + 1) * sizeof *w->orders);
	SOTTO_NEED(w->parts && w->orders);
	for (size_t i = 0; i < w->part_count; i++) {
		w->parts[i] = e->window->parts[i];
		SOTTO_TRY(expand(l, &w->parts[i]));
	}
	for (size_t i = 0; i < w->order_count; i++) {
		w->orders[i] = e->window->orders[i];
		SOTTO_TRY(expand(l, &w->orders[i].expr));
	}
	e->window = w;
	return SOTTO_OK;
}

/* Parts are shared with the outputs that they come from, and counted as often as they stand. */
static enum sotto_status expand(struct lateral *l, struct sotto_sql_expr **e)
{
	struct sotto_sql_expr *found = NULL, *copy;

	if (!*e)
		return SOTTO_OK;
	if ((*e)->kind == SOTTO_SQL_COLUMN && !(*e)->qualifier)
		found = find_output(l, *e);
	if (found)
		*e = found;
	if (found || ((*e)->count == 0 && !(*e)->window && !(*e)->filter))
		return SOTTO_OK;
	copy = sotto_sql_expr_copy(l->planner->arena, *e);
	SOTTO_NEED(copy);
	copy->size = 1;
	for (size_t i = 0; i < copy->count; i++) {
		SOTTO_TRY(expand(l, &copy->args[i]));
		copy->size += sotto_sql_expr_size(copy->args[i]);
	}
	SOTTO_TRY(expand(l, &copy->filter));
	if (copy->filter)
		copy->size += sotto_sql_expr_size(copy->filter);
	if (copy->window)
		SOTTO_TRY(expand_window(l, copy));
	*e = copy;
	return copy->size <= SOTTO_NODES_MAX ? SOTTO_OK
					     : sotto_load_refuse(l->planner, copy->at);
}

enum sotto_status sotto_lateral_expand(struct sotto_planner *p, const struct sotto_ctes *ctes,
				       struct sotto_sql_select *s)
{
	struct lateral l = {.planner = p, .ctes = ctes, .select = s};
	bool named = false;

	for (size_t i = 0; i < s->output_count; i++)
		named = named || s->outputs[i].name;
	if (!named)
		return SOTTO_OK;
	for (; l.count < s->output_count; l.count++)
		SOTTO_TRY(expand(&l, &s->outputs[l.count].expr));
	SOTTO_TRY(expand(&l, &s->having));
	l.rows = true;
	SOTTO_TRY(expand(&l, &s->where));
	for (size_t i = 0; i < s->group_count; i++)
		if (s->groups[i]->count)
			SOTTO_TRY(expand(&l, &s->groups[i]));
	return SOTTO_OK;
}
