/*
 * The outputs of a SELECT: * written out, their names, and their columns for the engine.
 */
#include "central/relation/select_output.h"

#include <string.h>
#include <strings.h>

#include "central/aggregate/aggregate.h"
#include "core/base/failure.h"

bool sotto_expr_has_aggregate(const struct sotto_sql_expr *e)
{
	if (!e)
		return false;
	if (e->kind == SOTTO_SQL_CALL && sotto_aggregate_find(e->text) && !e->over)
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (sotto_expr_has_aggregate(e->args[i]))
			return true;
	return false;
}

bool sotto_expr_has_window(const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_CALL && e->over)
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (sotto_expr_has_window(e->args[i]))
			return true;
	return false;
}

const char *sotto_output_name(const struct sotto_sql_output *o)
{
	const struct sotto_sql_expr *e = o->expr;

	if (o->name)
		return o->name;
	/* numeric(6, 2) is a call around a cast, at the same place. */
	while (e->kind == SOTTO_SQL_CAST ||
	       (e->kind == SOTTO_SQL_CALL && e->count == 2 &&
		e->args[0]->kind == SOTTO_SQL_CAST && e->args[0]->at == e->at))
		e = e->args[0];
	if (e->kind == SOTTO_SQL_COLUMN || e->kind == SOTTO_SQL_CALL)
		return e->text;
	return e->kind == SOTTO_SQL_CASE ? "case" : "?column?";
}

static enum sotto_status push_output(struct sotto_planner *p, struct sotto_sql_output o,
				     struct sotto_sql_output **out, size_t *count)
{
	struct sotto_sql_output *slot = SOTTO_PUSH(p->arena, *out, *count);

	SOTTO_NEED(slot);
	*slot = o;
	return SOTTO_OK;
}

bool sotto_star_leaves_away(const struct sotto_sql_expr *star, const char *name)
{
	for (size_t i = 0; i < star->count; i++)
		if (strcasecmp(star->args[i]->text, name) == 0)
			return true;
	return false;
}

enum sotto_status sotto_star_check(struct sotto_planner *p, const struct sotto_sql_expr *star,
				   const char *const *names, size_t count)
{
	for (size_t i = 0; i < star->count; i++) {
		size_t j = 0;

		while (j < count && strcasecmp(star->args[i]->text, names[j]) != 0)
			j++;
		if (j == count)
			return sotto_sql_fail(
				p->err, SOTTO_EREFUSED, p->text, star->args[i]->at,
				"there is no column %.40s that EXCLUDE could leave out",
				star->args[i]->text);
	}
	return SOTTO_OK;
}

static enum sotto_status check_scope(struct sotto_planner *p, const struct sotto_sql_expr *star,
				     const struct sotto_scope *scope)
{
	const char **names = sotto_arena_alloc(p->arena, (scope->count + 1) * sizeof *names);

	SOTTO_NEED(names);
	for (size_t i = 0; i < scope->count; i++)
		names[i] = scope->columns[i]->name;
	return sotto_star_check(p, star, names, scope->count);
}

/* SELECT AVG(x), AVG(y) has two columns of one name, which its reader's * stands for all the same. */
static bool is_one_of_two(const struct sotto_scope *scope, const struct sotto_scope_column *c)
{
	for (size_t i = sotto_scope_first(scope, c->name); i < scope->count;
	     i = sotto_scope_after(scope, i))
		if (scope->columns[i] != c &&
		    strcasecmp(scope->columns[i]->table, c->table) == 0)
			return true;
	return false;
}

static enum sotto_status expand_star(struct sotto_planner *p, const struct sotto_sql_expr *star,
				     const struct sotto_scope *scope,
				     struct sotto_sql_output **out, size_t *count)
{
	size_t before = *count;

	SOTTO_TRY(check_scope(p, star, scope));
	for (size_t i = 0; i < scope->count; i++) {
		const struct sotto_scope_column *c = scope->columns[i];
		struct sotto_sql_expr *e;

		if ((star->qualifier ? strcmp(c->table, star->qualifier) != 0 : c->hidden) ||
		    sotto_star_leaves_away(star, c->name))
			continue;
		e = sotto_sql_expr_new(p->arena, SOTTO_SQL_COLUMN, star->at);
		SOTTO_NEED(e);
		e->qualifier = c->table;
		e->text = c->name;
		e->index = is_one_of_two(scope, c) ? c->place : 0;
		SOTTO_TRY(push_output(p, (struct sotto_sql_output){.expr = e}, out, count));
	}
	if (*count == before)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, star->at,
				      "* stands for no columns here");
	return SOTTO_OK;
}

enum sotto_status sotto_outputs_expand(struct sotto_planner *p,
				       const struct sotto_sql_select *select,
				       const struct sotto_scope *scope,
				       struct sotto_sql_output **out, size_t *count)
{
	*out = NULL;
	*count = 0;
	for (size_t i = 0; i < select->output_count; i++) {
		const struct sotto_sql_output *o = &select->outputs[i];

		if (o->expr->kind == SOTTO_SQL_STAR)
			SOTTO_TRY(expand_star(p, o->expr, scope, out, count));
		else
			SOTTO_TRY(push_output(p, *o, out, count));
	}
	if (*count == 0)
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, select->at,
			"a SELECT without columns is not supported; write SELECT 1");
	return SOTTO_OK;
}

const char *sotto_output_field(struct sotto_planner *p, size_t i)
{
	return sotto_arena_textf(p->arena, "c%zu", i);
}

const char *sotto_low_field(struct sotto_planner *p, size_t i)
{
	return sotto_arena_textf(p->arena, "low%zu", i);
}

const char *sotto_high_field(struct sotto_planner *p, size_t i)
{
	return sotto_arena_textf(p->arena, "high%zu", i);
}

enum sotto_status sotto_outputs_add(struct sotto_planner *p, const struct sotto_bound *bounds,
				    size_t count, struct sotto_rowset_select *out)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = sotto_output_field(p, i);

		SOTTO_NEED(name && sotto_rowset_output(p->arena, out, bounds[i].value, name));
	}
	for (size_t i = 0; i < count; i++)
		if (bounds[i].low)
			SOTTO_NEED(sotto_rowset_output(p->arena, out, bounds[i].low,
						       sotto_low_field(p, i)) &&
				   sotto_rowset_output(p->arena, out, bounds[i].high,
						       sotto_high_field(p, i)));
	return SOTTO_OK;
}
