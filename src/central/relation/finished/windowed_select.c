/*
 * Window functions over groups: SELECT city, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER ()
 * ... GROUP BY city.  The groups become a SELECT of their own in FROM, which is
 * finished first; the windows are computed over its answer.  So is an order by something that
 * is not an output, where there are sets of keys, and so are noisy results of subqueries.
 */
#include "central/relation/finished/windowed_select.h"

#include <string.h>
#include <strings.h>

#include "central/aggregate/aggregate.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/finished/shown_subquery.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

static const char alias[] = "sotto groups";

struct windowed {
	struct sotto_planner *planner;
	const struct sotto_sql_select *select;
	struct sotto_sql_select *inner;
	bool in_order; /* of the whole SELECT, where names of outputs are understood */
};

static bool is_taken(const struct windowed *w, const char *name)
{
	for (size_t i = 0; i < w->inner->output_count; i++)
		if (strcasecmp(w->inner->outputs[i].name, name) == 0)
			return true;
	return false;
}

/* What the analyst calls e, for sentences about the groups; a name of our own if that is taken. */
static const char *inner_name(const struct windowed *w, const struct sotto_sql_expr *e)
{
	const struct sotto_sql_select *s = w->select;
	const char *name = e->kind == SOTTO_SQL_COLUMN ? e->text : NULL;

	for (size_t i = 0; i < s->output_count; i++)
		if (s->outputs[i].name && sotto_sql_expr_equal(s->outputs[i].expr, e))
			name = s->outputs[i].name;
	if (name && !is_taken(w, name))
		return name;
	return sotto_arena_textf(w->planner->arena, "group %zu", w->inner->output_count);
}

/* The column of the inner SELECT that is e; added if it is not there yet. */
static enum sotto_status
inner_column(struct windowed *w, struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_arena *a = w->planner->arena;
	struct sotto_sql_output *slot;
	size_t i;

	if (sotto_expr_has_window(e)) /* inner would have windows again, without end */
		return sotto_sql_fail(
			w->planner->err, SOTTO_EREFUSED, w->planner->text, e->at,
			"a window function cannot stand inside an aggregate; put it into a "
			"subquery, divide the window there by the privacy unit, and have the "
			"aggregate around it");
	for (i = 0; i < w->inner->output_count; i++)
		if (sotto_sql_expr_equal(w->inner->outputs[i].expr, e))
			break;
	if (i == w->inner->output_count) {
		const char *name = inner_name(w, e);

		slot = SOTTO_PUSH(a, w->inner->outputs, w->inner->output_count);
		SOTTO_NEED(slot && name);
		*slot = (struct sotto_sql_output){.expr = e, .name = name};
	}
	*out = sotto_sql_expr_new(a, SOTTO_SQL_COLUMN, e->at);
	SOTTO_NEED(*out);
	(*out)->qualifier = alias;
	(*out)->text = w->inner->outputs[i].name;
	return SOTTO_OK;
}

static bool is_among(struct sotto_sql_expr **keys, size_t count, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < count; i++)
		if (sotto_sql_expr_equal(keys[i], e))
			return true;
	return false;
}

static bool is_key(const struct windowed *w, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < w->inner->set_count; i++)
		if (is_among(w->inner->sets[i].keys, w->inner->sets[i].count, e))
			return true;
	return is_among(w->inner->groups, w->inner->group_count, e);
}

/* What one group has one of: a key, an aggregate, or which of the keys it has. */
static bool is_of_group(const struct windowed *w, const struct sotto_sql_expr *e)
{
	if (is_key(w, e))
		return true;
	return e->kind == SOTTO_SQL_CALL && !e->over &&
	       (sotto_aggregate_find(e->text) || strcmp(e->text, "grouping") == 0);
}

/* ORDER BY may name an output. */
static bool is_name(const struct windowed *w, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; !e->qualifier && i < w->select->output_count; i++)
		if (strcmp(sotto_output_name(&w->select->outputs[i]), e->text) == 0)
			return true;
	return false;
}

static enum sotto_status
rewrite(struct windowed *w, const struct sotto_sql_expr *e, struct sotto_sql_expr **out);

static enum sotto_status
rewrite_orders(struct windowed *w, struct sotto_sql_order **orders, size_t count)
{
	struct sotto_sql_order *copy =
		sotto_arena_alloc(w->planner->arena, (count + 1) * sizeof *copy);

	SOTTO_NEED(copy);
	for (size_t i = 0; i < count; i++) {
		copy[i] = (*orders)[i];
		SOTTO_TRY(rewrite(w, (*orders)[i].expr, &copy[i].expr));
	}
	*orders = copy;
	return SOTTO_OK;
}

static enum sotto_status rewrite_window(struct windowed *w, struct sotto_sql_expr *e)
{
	struct sotto_arena *a = w->planner->arena;
	struct sotto_sql_window *copy = sotto_arena_alloc(a, sizeof *copy);

	SOTTO_NEED(copy);
	*copy = *e->window;
	copy->parts = sotto_arena_alloc(a, (copy->part_count + 1) * sizeof *copy->parts);
	SOTTO_NEED(copy->parts);
	for (size_t i = 0; i < copy->part_count; i++)
		SOTTO_TRY(rewrite(w, e->window->parts[i], &copy->parts[i]));
	e->window = copy;
	return rewrite_orders(w, &copy->orders, copy->order_count);
}

/* The key that t.x means: itself, or x if GROUP BY names no table. */
static struct sotto_sql_expr *key_meant(const struct windowed *w, struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < w->inner->group_count; i++) {
		struct sotto_sql_expr *key = w->inner->groups[i];

		if (sotto_sql_expr_equal(key, e) ||
		    (key->kind == SOTTO_SQL_COLUMN && !key->qualifier && !key->prefix &&
		     !e->prefix && strcasecmp(key->text, e->text) == 0))
			return key;
	}
	return NULL;
}

/* What a subquery over `from` reads of the group around it: keys, by the names of their tables. */
static enum sotto_status
rewrite_around(struct windowed *w, const struct sotto_sql_from *from, struct sotto_sql_expr **e)
{
	struct sotto_sql_expr *copy, *key;

	if (!*e)
		return SOTTO_OK;
	key = sotto_column_is_around(from, *e) ? key_meant(w, *e) : NULL;
	if (key)
		return inner_column(w, key, e);
	copy = sotto_sql_expr_copy(w->planner->arena, *e);
	SOTTO_NEED(copy);
	for (size_t i = 0; i < copy->count; i++)
		SOTTO_TRY(rewrite_around(w, from, &copy->args[i]));
	*e = copy;
	return SOTTO_OK;
}

static enum sotto_status rewrite_subquery(struct windowed *w, struct sotto_sql_expr *e)
{
	struct sotto_sql_select *copy = sotto_arena_alloc(w->planner->arena, sizeof *copy);

	SOTTO_NEED(copy);
	*copy = *e->select;
	e->select = copy;
	return rewrite_around(w, copy->from, &copy->where);
}

static enum sotto_status
rewrite(struct windowed *w, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_arena *a = w->planner->arena;
	struct sotto_sql_expr *copy;

	if (is_of_group(w, e))
		return inner_column(w, (struct sotto_sql_expr *)e, out);
	if (e->kind == SOTTO_SQL_COLUMN && !(w->in_order && is_name(w, e)))
		return sotto_sql_fail(
			w->planner->err, SOTTO_EREFUSED, w->planner->text, e->at,
			"beside aggregates, window functions and subqueries work on groups: "
			"the "
			"column %.40s must be a key of GROUP BY or inside an aggregate",
			e->text);
	copy = sotto_sql_expr_copy(a, e);
	SOTTO_NEED(copy);
	for (size_t i = 0; i < e->count; i++)
		SOTTO_TRY(rewrite(w, e->args[i], &copy->args[i]));
	*out = copy;
	if (copy->select)
		SOTTO_TRY(rewrite_subquery(w, copy));
	return copy->window ? rewrite_window(w, copy) : SOTTO_OK;
}

/* Keys as what they stand for: the outputs that a number or a name means are not those of inner. */
static enum sotto_status
write_keys(struct windowed *w, struct sotto_sql_expr ***keys, size_t count)
{
	struct sotto_sql_expr **copy =
		sotto_arena_alloc(w->planner->arena, (count + 1) * sizeof *copy);

	SOTTO_NEED(copy);
	for (size_t i = 0; i < count; i++) {
		copy[i] = sotto_group_target(w->select, (*keys)[i]);
		if (sotto_expr_has_window(copy[i]))
			return sotto_sql_fail(
				w->planner->err, SOTTO_EREFUSED, w->planner->text, copy[i]->at,
				"windows are computed after the groups, so GROUP BY cannot go "
				"by one; group by width_bucket(x, lowest, highest, n) or "
				"another "
				"expression of the row");
	}
	*keys = copy;
	return SOTTO_OK;
}

static enum sotto_status write_groups(struct windowed *w)
{
	struct sotto_sql_select *s = w->inner;
	struct sotto_sql_grouping *sets =
		sotto_arena_alloc(w->planner->arena, (s->set_count + 1) * sizeof *sets);

	SOTTO_NEED(sets);
	for (size_t i = 0; i < s->set_count; i++) {
		sets[i] = s->sets[i];
		SOTTO_TRY(write_keys(w, &sets[i].keys, sets[i].count));
	}
	s->sets = sets;
	return write_keys(w, &s->groups, s->group_count);
}

static enum sotto_status make_inner(struct windowed *w)
{
	w->inner = sotto_arena_alloc(w->planner->arena, sizeof *w->inner);
	SOTTO_NEED(w->inner);
	*w->inner = *w->select;
	w->inner->cte_count = 0;
	w->inner->outputs = NULL;
	w->inner->output_count = 0;
	w->inner->order_count = 0;
	w->inner->limit = -1;
	w->inner->offset = 0;
	w->inner->distinct = false;
	return write_groups(w);
}

static enum sotto_status make_outer(struct windowed *w, struct sotto_sql_select *outer)
{
	struct sotto_arena *a = w->planner->arena;
	const struct sotto_sql_select *s = w->select;
	struct sotto_sql_from *from = sotto_arena_alloc(a, sizeof *from);

	SOTTO_NEED(from);
	*from = (struct sotto_sql_from){
		.kind = SOTTO_SQL_SUBQUERY, .at = s->at, .select = w->inner, .alias = alias};
	*outer = *s;
	outer->from = from;
	outer->where = outer->having = NULL;
	outer->group_count = outer->set_count = 0;
	outer->outputs = sotto_arena_alloc(a, (s->output_count + 1) * sizeof *outer->outputs);
	SOTTO_NEED(outer->outputs);
	for (size_t i = 0; i < s->output_count; i++) {
		outer->outputs[i].name = sotto_output_name(&s->outputs[i]);
		SOTTO_TRY(rewrite(w, s->outputs[i].expr, &outer->outputs[i].expr));
	}
	w->in_order = true;
	return rewrite_orders(w, &outer->orders, outer->order_count);
}

static bool has_grouping(const struct sotto_sql_expr *e)
{
	bool has = e->kind == SOTTO_SQL_CALL && strcmp(e->text, "grouping") == 0;

	for (size_t i = 0; !has && i < e->count; i++)
		has = e->args[i] && has_grouping(e->args[i]);
	return has;
}

/* Beside sets of keys, an order by something of the groups that is not an output. */
static bool orders_by_more(const struct sotto_sql_select *s)
{
	for (size_t i = 0; s->set_count && !s->unite && i < s->order_count; i++) {
		const struct sotto_sql_expr *e = s->orders[i].expr;
		bool is_output = false;

		for (size_t j = 0; j < s->output_count; j++)
			is_output = is_output || sotto_sql_expr_equal(e, s->outputs[j].expr);
		if (!is_output && (has_grouping(e) || sotto_expr_has_aggregate(e)))
			return true;
	}
	return false;
}

/* Private groups beside what a subquery gets with noise of its own; none of them goes by one. */
static bool shows_subquery(const struct sotto_policy *policy, const struct sotto_sql_select *s)
{
	if (!sotto_select_is_grouped(s) || !sotto_from_is_private(policy, s->from))
		return false;
	for (size_t i = 0; i < s->group_count; i++)
		if (sotto_sql_expr_has_select(sotto_group_target(s, s->groups[i])))
			return false;
	return sotto_outputs_show_subquery(policy, s);
}

bool sotto_select_is_windowed(const struct sotto_policy *policy,
			      const struct sotto_sql_select *s)
{
	for (size_t i = 0; sotto_select_is_grouped(s) && i < s->output_count; i++)
		if (sotto_expr_has_window(s->outputs[i].expr))
			return true;
	return orders_by_more(s) || shows_subquery(policy, s);
}

enum sotto_status sotto_windowed_expand(struct sotto_planner *p,
					const struct sotto_sql_select *s,
					const struct sotto_sql_select **out)
{
	struct windowed w = {.planner = p, .select = s};
	struct sotto_sql_select *outer = sotto_arena_alloc(p->arena, sizeof *outer);

	SOTTO_NEED(outer);
	SOTTO_TRY(make_inner(&w));
	SOTTO_TRY(make_outer(&w, outer));
	*out = outer;
	return SOTTO_OK;
}
