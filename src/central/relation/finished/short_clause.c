/*
 * Clauses that are short for longer ones:
 *
 *	GROUP BY ALL    the outputs without an aggregate, by their numbers
 *	ORDER BY ALL    all outputs, by their numbers
 *	QUALIFY c       SELECT * EXCLUDE (q) FROM (SELECT ..., c AS q ...) WHERE q
 *	DISTINCT ON     QUALIFY ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...) = 1
 */
#include "central/relation/finished/short_clause.h"

#include <string.h>

#include "central/parse/dialect/sql_clause.h"
#include "central/aggregate/aggregate.h"
#include "central/relation/finished/lateral_alias.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

static bool is_all(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_CALL && e->count == 0 &&
	       strcmp(e->text, SOTTO_SQL_ALL) == 0;
}

/* The number of an output, as GROUP BY and ORDER BY take it. */
static struct sotto_sql_expr *number_of(struct sotto_arena *a, size_t output, int at)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(a, SOTTO_SQL_NUMBER, at);

	if (e)
		e->text = sotto_arena_textf(a, "%zu", output + 1);
	return e && e->text ? e : NULL;
}

static enum sotto_status check_star(struct sotto_planner *p, const struct sotto_sql_select *s,
				    const char *clause, int at)
{
	for (size_t i = 0; i < s->output_count; i++)
		if (s->outputs[i].expr->kind == SOTTO_SQL_STAR)
			return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at,
					      "%s BY ALL beside * is not supported; name the "
					      "columns",
					      clause);
	return SOTTO_OK;
}

static enum sotto_status expand_groups(struct sotto_planner *p, struct sotto_sql_select *s)
{
	size_t count = 0;
	int at;

	if (s->group_count != 1 || !is_all(s->groups[0]))
		return SOTTO_OK;
	at = s->groups[0]->at;
	SOTTO_TRY(check_star(p, s, "GROUP", at));
	s->groups = sotto_arena_alloc(p->arena, (s->output_count + 1) * sizeof *s->groups);
	SOTTO_NEED(s->groups);
	for (size_t i = 0; i < s->output_count; i++) {
		if (sotto_expr_has_aggregate(s->outputs[i].expr) ||
		    sotto_expr_has_window(s->outputs[i].expr))
			continue;
		s->groups[count] = number_of(p->arena, i, at);
		SOTTO_NEED(s->groups[count++]);
	}
	s->group_count = count;
	return SOTTO_OK;
}

static enum sotto_status expand_orders(struct sotto_planner *p, struct sotto_sql_select *s)
{
	struct sotto_sql_order all;

	if (s->order_count != 1 || !is_all(s->orders[0].expr))
		return SOTTO_OK;
	all = s->orders[0];
	SOTTO_TRY(check_star(p, s, "ORDER", all.expr->at));
	s->orders = sotto_arena_alloc(p->arena, (s->output_count + 1) * sizeof *s->orders);
	SOTTO_NEED(s->orders);
	s->order_count = s->output_count;
	for (size_t i = 0; i < s->output_count; i++) {
		s->orders[i] = all;
		s->orders[i].expr = number_of(p->arena, i, all.expr->at);
		SOTTO_NEED(s->orders[i].expr);
	}
	return SOTTO_OK;
}

/* ---- QUALIFY ------------------------------------------------------------------------------ */

static enum sotto_status aliases_out(struct sotto_planner *p, const struct sotto_sql_select *s,
				     struct sotto_sql_expr *e, struct sotto_sql_expr **out);

static enum sotto_status
window_out(struct sotto_planner *p, const struct sotto_sql_select *s, struct sotto_sql_expr *e)
{
	struct sotto_sql_window *w = sotto_arena_alloc(p->arena, sizeof *w);

	SOTTO_NEED(w);
	*w = *e->window;
	w->parts = sotto_arena_alloc(p->arena, (w->part_count + 1) * sizeof *w->parts);
	w->orders = sotto_arena_alloc(p->arena, (w->order_count + 1) * sizeof *w->orders);
	SOTTO_NEED(w->parts && w->orders);
	for (size_t i = 0; i < w->part_count; i++)
		SOTTO_TRY(aliases_out(p, s, e->window->parts[i], &w->parts[i]));
	for (size_t i = 0; i < w->order_count; i++) {
		w->orders[i] = e->window->orders[i];
		SOTTO_TRY(aliases_out(p, s, e->window->orders[i].expr, &w->orders[i].expr));
	}
	e->window = w;
	return SOTTO_OK;
}

/* A copy with what aliases of outputs stand for; inside an aggregate a column is meant. */
static enum sotto_status aliases_out(struct sotto_planner *p, const struct sotto_sql_select *s,
				     struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *copy;

	*out = e;
	for (size_t i = 0; e->kind == SOTTO_SQL_COLUMN && !e->qualifier && i < s->output_count;
	     i++)
		if (s->outputs[i].name && strcmp(s->outputs[i].name, e->text) == 0) {
			*out = s->outputs[i].expr;
			return SOTTO_OK;
		}
	if ((e->count == 0 && !e->window) ||
	    (e->kind == SOTTO_SQL_CALL && !e->over && sotto_aggregate_find(e->text)))
		return SOTTO_OK;
	copy = sotto_sql_expr_copy(p->arena, e);
	SOTTO_NEED(copy);
	copy->size = 0;
	for (size_t i = 0; i < e->count; i++)
		SOTTO_TRY(aliases_out(p, s, e->args[i], &copy->args[i]));
	*out = copy;
	return copy->window ? window_out(p, s, copy) : SOTTO_OK;
}

/* Further outputs of the SELECT inside, which the one around leaves out. */
static enum sotto_status hide_output(struct sotto_planner *p, struct sotto_sql_select *inner,
				     struct sotto_sql_expr *star, struct sotto_sql_expr *value,
				     struct sotto_sql_expr **column)
{
	struct sotto_sql_output *o = SOTTO_PUSH(p->arena, inner->outputs, inner->output_count);
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_COLUMN, value->at);
	struct sotto_sql_expr **slot = SOTTO_PUSH(p->arena, star->args, star->count);

	SOTTO_NEED(o && e && slot);
	e->text = sotto_arena_textf(p->arena, SOTTO_SQL_QUALIFY " %zu", star->count);
	SOTTO_NEED(e->text);
	*o = (struct sotto_sql_output){.expr = value, .name = e->text};
	*slot = *column = e;
	return SOTTO_OK;
}

/* Is it a number or a name of an output, which it also is for the SELECT around? */
static bool is_output(const struct sotto_sql_select *s, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; e->kind == SOTTO_SQL_COLUMN && !e->qualifier && i < s->output_count;
	     i++)
		if (strcmp(sotto_output_name(&s->outputs[i]), e->text) == 0)
			return true;
	return e->kind == SOTTO_SQL_NUMBER;
}

/* ORDER BY and LIMIT are done to what is left; of several SELECTs put together, to the whole. */
static enum sotto_status move_orders(struct sotto_planner *p, const struct sotto_sql_select *s,
				     struct sotto_sql_select *inner,
				     struct sotto_sql_select *outer)
{
	struct sotto_sql_expr *star = outer->outputs[0].expr;
	struct sotto_sql_expr *e;

	outer->orders = sotto_arena_alloc(p->arena, (s->order_count + 1) * sizeof *s->orders);
	SOTTO_NEED(outer->orders);
	outer->order_count = s->order_count;
	outer->limit = s->limit;
	outer->offset = s->offset;
	outer->distinct = s->distinct;
	for (size_t i = 0; i < s->order_count; i++) {
		outer->orders[i] = s->orders[i];
		if (s->unite || is_output(s, s->orders[i].expr))
			continue;
		SOTTO_TRY(aliases_out(p, s, s->orders[i].expr, &e));
		SOTTO_TRY(hide_output(p, inner, star, e, &outer->orders[i].expr));
	}
	return SOTTO_OK;
}

static enum sotto_status expand_qualify(struct sotto_planner *p, struct sotto_sql_select *s)
{
	struct sotto_sql_select *inner, *outer;
	struct sotto_sql_expr *condition;

	if (!s->qualify)
		return SOTTO_OK;
	inner = sotto_arena_alloc(p->arena, sizeof *inner);
	SOTTO_NEED(inner);
	*inner = *s;
	inner->ctes = NULL;
	inner->unite = NULL;
	inner->qualify = NULL;
	inner->cte_count = inner->order_count = 0;
	inner->limit = -1;
	inner->offset = 0;
	inner->distinct = false;
	inner->outputs =
		sotto_arena_alloc(p->arena, (s->output_count + 1) * sizeof *s->outputs);
	SOTTO_NEED(inner->outputs);
	memcpy(inner->outputs, s->outputs, s->output_count * sizeof *s->outputs);
	outer = sotto_sql_select_around(p->arena, inner);
	SOTTO_NEED(outer);
	outer->ctes = s->ctes;
	outer->cte_count = s->cte_count;
	outer->unite = s->unite;
	outer->how = s->how;
	outer->all = s->all;
	SOTTO_TRY(aliases_out(p, s, s->qualify, &condition));
	SOTTO_TRY(hide_output(p, inner, outer->outputs[0].expr, condition, &outer->where));
	SOTTO_TRY(move_orders(p, s, inner, outer));
	*s = *outer;
	return SOTTO_OK;
}

/*
 * DISTINCT beside windows is that of a SELECT around them: equal rows get the hull of their
 * intervals by a window, and there is none over windows.
 */
static enum sotto_status distinct_windows(struct sotto_planner *p, struct sotto_sql_select *s)
{
	bool windowed = false;

	for (size_t i = 0; i < s->output_count; i++)
		windowed = windowed || sotto_expr_has_window(s->outputs[i].expr);
	if (!s->distinct || !windowed || s->qualify)
		return SOTTO_OK;
	s->qualify = sotto_sql_expr_new(p->arena, SOTTO_SQL_BOOL, s->at);
	SOTTO_NEED(s->qualify);
	s->qualify->truth = true;
	return SOTTO_OK;
}

/* ---- DISTINCT ON ---------------------------------------------------------------------------- */

/* The first keys of ORDER BY are those of DISTINCT ON, in any order; the others choose the row. */
static bool
is_among(const struct sotto_sql_expr *e, struct sotto_sql_expr *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sotto_sql_expr_equal(e, keys[i]))
			return true;
	return false;
}

static enum sotto_status
key_out(struct sotto_planner *p, const struct sotto_sql_select *s, struct sotto_sql_expr **e)
{
	if ((*e)->kind == SOTTO_SQL_NUMBER) {
		*e = sotto_group_target(s, *e);
		return SOTTO_OK;
	}
	return aliases_out(p, s, *e, e);
}

static enum sotto_status first_row_window(struct sotto_planner *p, struct sotto_sql_select *s,
					  struct sotto_sql_window *w)
{
	w->orders = sotto_arena_alloc(p->arena, (s->order_count + 1) * sizeof *w->orders);
	SOTTO_NEED(w->orders);
	w->parts = s->distinct_on;
	w->part_count = s->distinct_on_count;
	for (size_t i = 0; i < w->part_count; i++)
		SOTTO_TRY(key_out(p, s, &w->parts[i]));
	for (size_t i = 0; i < s->order_count; i++) {
		struct sotto_sql_order o = s->orders[i];

		SOTTO_TRY(key_out(p, s, &o.expr));
		if (is_among(o.expr, w->parts, w->part_count))
			continue;
		if (i < w->part_count)
			return sotto_sql_fail(
				p->err, SOTTO_EREFUSED, p->text, o.expr->at,
				"ORDER BY begins with the columns of DISTINCT ON; "
				"what follows them chooses the row");
		w->orders[w->order_count++] = o;
	}
	return SOTTO_OK;
}

/* DISTINCT ON (k) ... ORDER BY k, o is QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY o) = 1. */
static enum sotto_status
expand_distinct(struct sotto_planner *p, struct sotto_sql_select *s, bool inside)
{
	struct sotto_sql_expr *number, *one;
	int at = s->distinct_on_count ? s->distinct_on[0]->at : 0;

	if (s->distinct_on_count == 0)
		return SOTTO_OK;
	number = sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, at);
	one = sotto_sql_expr_new(p->arena, SOTTO_SQL_NUMBER, at);
	SOTTO_NEED(number && one);
	number->text = "row_number";
	number->over = true;
	number->window = sotto_arena_alloc(p->arena, sizeof *number->window);
	SOTTO_NEED(number->window);
	SOTTO_TRY(first_row_window(p, s, number->window));
	one->text = "1";
	s->qualify = sotto_sql_op_new(p->arena, SOTTO_SQL_EQ, number, one);
	SOTTO_NEED(s->qualify);
	s->distinct_on_count = 0;
	if (inside && s->limit < 0 && s->offset == 0) /* rows of a table have no order */
		s->order_count = 0;
	return SOTTO_OK;
}

/* ---- SELECTs inside -------------------------------------------------------------------------- */

/* Where a SELECT stands: in an expression, names may also be columns of the rows around it. */
enum place { OUTERMOST, IN_FROM, IN_EXPRESSION };

static enum sotto_status expand_select(struct sotto_planner *p, const struct sotto_ctes *ctes,
				       struct sotto_sql_select *s, enum place place);

static enum sotto_status
expand_inside(struct sotto_planner *p, const struct sotto_ctes *ctes, struct sotto_sql_expr *e)
{
	if (!e)
		return SOTTO_OK;
	if (e->select)
		SOTTO_TRY(expand_select(p, ctes, e->select, IN_EXPRESSION));
	SOTTO_TRY(expand_inside(p, ctes, e->filter));
	for (size_t i = 0; i < e->count; i++)
		SOTTO_TRY(expand_inside(p, ctes, e->args[i]));
	return SOTTO_OK;
}

static enum sotto_status
expand_from(struct sotto_planner *p, const struct sotto_ctes *ctes, struct sotto_sql_from *f)
{
	if (!f)
		return SOTTO_OK;
	if (f->select)
		SOTTO_TRY(expand_select(p, ctes, f->select, IN_FROM));
	SOTTO_TRY(expand_inside(p, ctes, f->on));
	SOTTO_TRY(expand_from(p, ctes, f->left));
	return expand_from(p, ctes, f->right);
}

/* A WITH query sees those before it; the rest sees them all. */
static enum sotto_status expand_with(struct sotto_planner *p, const struct sotto_ctes **ctes,
				     const struct sotto_sql_select *s)
{
	for (size_t i = 0; i < s->cte_count; i++) {
		struct sotto_sql_select one = {.ctes = &s->ctes[i], .cte_count = 1};

		SOTTO_TRY(expand_select(p, *ctes, s->ctes[i].select, IN_FROM));
		SOTTO_TRY(sotto_ctes_push(p, &one, ctes));
	}
	return SOTTO_OK;
}

static enum sotto_status
expand_parts(struct sotto_planner *p, const struct sotto_ctes *ctes, struct sotto_sql_select *s)
{
	SOTTO_TRY(expand_from(p, ctes, s->from));
	SOTTO_TRY(expand_inside(p, ctes, s->where));
	SOTTO_TRY(expand_inside(p, ctes, s->having));
	for (size_t i = 0; i < s->output_count; i++)
		SOTTO_TRY(expand_inside(p, ctes, s->outputs[i].expr));
	return SOTTO_OK;
}

static enum sotto_status expand_select(struct sotto_planner *p, const struct sotto_ctes *ctes,
				       struct sotto_sql_select *s, enum place place)
{
	SOTTO_TRY(expand_with(p, &ctes, s));
	SOTTO_TRY(expand_parts(p, ctes, s));
	if (s->unite)
		SOTTO_TRY(expand_select(p, ctes, s->unite, place));
	if (place != IN_EXPRESSION)
		SOTTO_TRY(sotto_lateral_expand(p, ctes, s));
	SOTTO_TRY(expand_groups(p, s));
	SOTTO_TRY(expand_orders(p, s));
	SOTTO_TRY(expand_distinct(p, s, place != OUTERMOST));
	SOTTO_TRY(distinct_windows(p, s));
	return expand_qualify(p, s);
}

enum sotto_status sotto_short_expand(struct sotto_planner *p, struct sotto_sql_select *s)
{
	return expand_select(p, NULL, s, OUTERMOST);
}
