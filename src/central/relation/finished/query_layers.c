/*
 * SELECTs over a grouped one.  A SELECT that only computes with, filters, orders
 * or cuts the groups that the SELECT in its FROM makes is that SELECT with other
 * outputs and more HAVING: what it does is done to noisy values, and is free.
 */
#include "central/relation/finished/query_layers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/expression/work/row_work.h"
#include "central/relation/finished/shown_subquery.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

/* A SELECT that stands in FROM, and the names that its outputs have there. */
struct inner {
	const struct sotto_sql_select *select;
	const struct sotto_ctes *ctes;
	const char *alias;
	const char **names, **more_names;
	size_t name_count, more_name_count;
};

bool sotto_select_is_grouped(const struct sotto_sql_select *s)
{
	bool grouped = s->group_count > 0 || s->set_count > 0 || s->having;

	for (size_t i = 0; i < s->output_count; i++)
		grouped = grouped || sotto_expr_has_aggregate(s->outputs[i].expr);
	return grouped;
}

struct sotto_sql_expr *
sotto_group_target(const struct sotto_sql_select *s, struct sotto_sql_expr *e)
{
	size_t n = e->kind == SOTTO_SQL_NUMBER ? strtoul(e->text, NULL, 10) : 0;

	if (n >= 1 && n <= s->output_count)
		return s->outputs[n - 1].expr;
	for (size_t i = 0; e->kind == SOTTO_SQL_COLUMN && !e->qualifier && i < s->output_count;
	     i++)
		if (s->outputs[i].name && strcmp(s->outputs[i].name, e->text) == 0)
			return s->outputs[i].expr;
	return e;
}

static bool
find_inner(const struct sotto_sql_select *s, const struct sotto_ctes *ctes, struct inner *out)
{
	const struct sotto_sql_from *from = s->from;

	if (!from || from->kind == SOTTO_SQL_JOIN)
		return false;
	*out = (struct inner){.select = from->select,
			      .ctes = ctes,
			      .alias = from->alias ? from->alias : from->table,
			      .names = from->columns,
			      .name_count = from->column_count};
	if (from->kind == SOTTO_SQL_SUBQUERY)
		return true;
	for (const struct sotto_ctes *c = ctes; c; c = c->outer)
		if (strcmp(c->cte->name, from->table) == 0) {
			out->select = c->cte->select;
			out->ctes = c->outer;
			out->more_names = c->cte->columns;
			out->more_name_count = c->cte->column_count;
			return true;
		}
	return false;
}

static bool has_window(const struct sotto_sql_select *s)
{
	for (size_t i = 0; i < s->output_count; i++)
		if (sotto_expr_has_window(s->outputs[i].expr))
			return true;
	return false;
}

/* Nothing in it but outputs, FROM and WHERE, and clauses that the whole result takes. */
static bool is_layer(const struct sotto_sql_select *s)
{
	return !s->unite && !sotto_select_is_grouped(s) && !has_window(s);
}

/* What stands in FROM has all its groups: no two of them are made one, none is cut off. */
static bool is_whole(const struct sotto_sql_select *s)
{
	return !s->unite && !s->set_count && !s->distinct && s->limit < 0 && s->offset == 0;
}

static bool has_subquery(const struct sotto_sql_select *s)
{
	bool has = s->where && sotto_sql_expr_has_select(s->where);

	for (size_t i = 0; i < s->output_count; i++)
		has = has || sotto_sql_expr_has_select(s->outputs[i].expr);
	for (size_t i = 0; i < s->order_count; i++)
		has = has || sotto_sql_expr_has_select(s->orders[i].expr);
	return has;
}

/*
 * How many layers lie over a grouped SELECT; 0 if there is no such SELECT below, or
 * if a name in a subquery of a layer would mean another WITH there.
 */
static size_t count_layers(struct sotto_planner *p, const struct sotto_sql_select *s,
			   const struct sotto_ctes *ctes, size_t depth, bool names)
{
	struct inner in;
	size_t more;

	if (depth > 50 || !is_layer(s) || !find_inner(s, ctes, &in) || !is_whole(in.select) ||
	    (sotto_select_is_grouped(in.select) && has_window(in.select)) ||
	    sotto_outputs_show_subquery(p->policy, s) ||
	    sotto_outputs_show_subquery(p->policy, in.select) ||
	    sotto_ctes_push(p, in.select, &in.ctes) != SOTTO_OK)
		return 0;
	names = names || has_subquery(s);
	if (names && in.ctes != ctes)
		return 0;
	for (size_t i = 0; i < in.select->output_count; i++)
		if (in.select->outputs[i].expr->kind == SOTTO_SQL_STAR &&
		    sotto_select_is_grouped(in.select))
			return 0;
	if (sotto_select_is_grouped(in.select))
		return 1;
	more = count_layers(p, in.select, in.ctes, depth + 1, names);
	return more ? more + 1 : 0;
}

/* ---- names of below become what they stand for -------------------------------------------- */

struct below {
	struct sotto_planner *planner;
	const char *alias;
	const struct sotto_sql_output *outputs;
	const char **names;
	size_t count;
};

static enum sotto_status
find_output(const struct below *b, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	*out = NULL;
	for (size_t i = 0; i < b->count; i++) {
		if (strcasecmp(b->names[i], e->text) != 0 ||
		    (e->qualifier && (!b->alias || strcasecmp(b->alias, e->qualifier) != 0)))
			continue;
		if (*out)
			return sotto_sql_fail(
				b->planner->err, SOTTO_EREFUSED, b->planner->text, e->at,
				"the subquery has two columns %.40s; name them", e->text);
		*out = b->outputs[i].expr;
	}
	if (*out)
		return SOTTO_OK;
	return sotto_sql_fail(b->planner->err, SOTTO_EREFUSED, b->planner->text, e->at,
			      "there is no column %.40s in the subquery", e->text);
}

static enum sotto_status
replace(const struct below *b, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *copy;

	*out = NULL;
	if (!e)
		return SOTTO_OK;
	if (e->kind == SOTTO_SQL_COLUMN)
		return find_output(b, e, out);
	copy = sotto_sql_expr_copy(b->planner->arena, e);
	SOTTO_NEED(copy);
	copy->size = 1;
	for (size_t i = 0; i < e->count; i++) {
		SOTTO_TRY(replace(b, e->args[i], &copy->args[i]));
		copy->size += sotto_sql_expr_size(copy->args[i]);
	}
	*out = copy;
	return copy->size <= SOTTO_NODES_MAX ? SOTTO_OK : sotto_load_refuse(b->planner, e->at);
}

static enum sotto_status
name_outputs(struct sotto_planner *p, const struct inner *in, struct below *b)
{
	b->names = sotto_arena_alloc(p->arena, (b->count + 1) * sizeof *b->names);
	SOTTO_NEED(b->names);
	for (size_t i = 0; i < b->count; i++)
		b->names[i] = i < in->name_count        ? in->names[i]
			      : i < in->more_name_count ? in->more_names[i]
							: sotto_output_name(&b->outputs[i]);
	return SOTTO_OK;
}

static enum sotto_status
push(struct sotto_planner *p, struct sotto_layers *l, struct sotto_sql_output o)
{
	struct sotto_sql_output *slot = SOTTO_PUSH(p->arena, l->outputs, l->output_count);

	SOTTO_NEED(slot);
	*slot = o;
	return SOTTO_OK;
}

static enum sotto_status
layer_star(const struct below *b, const struct sotto_sql_expr *star, struct sotto_layers *l)
{
	SOTTO_TRY(sotto_star_check(b->planner, star, b->names, b->count));
	for (size_t j = 0; j < b->count; j++)
		if (!sotto_star_leaves_away(star, b->names[j]))
			SOTTO_TRY(push(
				b->planner, l,
				(struct sotto_sql_output){b->outputs[j].expr, b->names[j]}));
	return SOTTO_OK;
}

static enum sotto_status
layer_outputs(const struct below *b, const struct sotto_sql_select *s, struct sotto_layers *l)
{
	l->outputs = NULL;
	l->output_count = 0;
	for (size_t i = 0; i < s->output_count; i++) {
		struct sotto_sql_output o = {.name = sotto_output_name(&s->outputs[i])};

		if (s->outputs[i].expr->kind == SOTTO_SQL_STAR) {
			SOTTO_TRY(layer_star(b, s->outputs[i].expr, l));
			continue;
		}
		SOTTO_TRY(replace(b, s->outputs[i].expr, &o.expr));
		SOTTO_TRY(push(b->planner, l, o));
	}
	return SOTTO_OK;
}

static bool names_output(const struct sotto_layers *l, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < l->output_count; i++)
		if (e->kind == SOTTO_SQL_COLUMN && !e->qualifier &&
		    strcmp(l->outputs[i].name, e->text) == 0)
			return true;
	return e->kind == SOTTO_SQL_NUMBER;
}

/* ORDER BY looks at outputs first: those of the layer itself keep their names. */
static enum sotto_status
layer_orders(const struct below *b, const struct sotto_sql_select *s, struct sotto_layers *l)
{
	l->orders =
		sotto_arena_alloc(b->planner->arena, (s->order_count + 1) * sizeof *l->orders);
	SOTTO_NEED(l->orders);
	l->order_count = s->order_count;
	for (size_t i = 0; i < s->order_count; i++) {
		l->orders[i] = s->orders[i];
		if (!names_output(l, s->orders[i].expr))
			SOTTO_TRY(replace(b, s->orders[i].expr, &l->orders[i].expr));
	}
	return SOTTO_OK;
}

static enum sotto_status add_layer(struct sotto_planner *p, const struct sotto_sql_select *s,
				   const struct inner *in, struct sotto_layers *l)
{
	struct below b = {.planner = p,
			  .alias = in->alias,
			  .outputs = l->outputs,
			  .count = l->output_count};
	struct sotto_sql_expr *where;

	SOTTO_TRY(name_outputs(p, in, &b));
	SOTTO_TRY(layer_outputs(&b, s, l));
	SOTTO_TRY(layer_orders(&b, s, l));
	SOTTO_TRY(replace(&b, s->where, &where));
	if (where && l->having) {
		l->having = sotto_sql_op_new(p->arena, SOTTO_SQL_AND, l->having, where);
		SOTTO_NEED(l->having);
	} else if (where) {
		l->having = where;
	}
	l->limit = s->limit;
	l->offset = s->offset;
	l->distinct = s->distinct;
	return SOTTO_OK;
}

static enum sotto_status peel(struct sotto_planner *p, const struct sotto_sql_select *s,
			      const struct sotto_ctes *ctes, size_t layers,
			      struct sotto_layers *l)
{
	struct inner in;

	if (layers == 0) {
		*l = (struct sotto_layers){.select = s,
					   .ctes = ctes,
					   .outputs = s->outputs,
					   .output_count = s->output_count,
					   .having = s->having,
					   .orders = s->orders,
					   .order_count = s->order_count,
					   .limit = s->limit,
					   .offset = s->offset,
					   .distinct = s->distinct};
		return SOTTO_OK;
	}
	(void)find_inner(s, ctes, &in);
	SOTTO_TRY(sotto_ctes_push(p, in.select, &in.ctes));
	SOTTO_TRY(peel(p, in.select, in.ctes, layers - 1, l));
	return add_layer(p, s, &in, l);
}

enum sotto_status sotto_layers_peel(struct sotto_planner *p, const struct sotto_sql_select *s,
				    const struct sotto_ctes *ctes, struct sotto_layers *out)
{
	size_t layers = count_layers(p, s, ctes, 0, false);

	SOTTO_TRY(peel(p, s, ctes, layers, out));
	out->flattened = layers > 0;
	return SOTTO_OK;
}
