/*
 * GROUP BY the privacy unit, or a key that leads to it: each group is made of rows of one
 * unit, because the unit is always among the keys, so it is a row that belongs to that unit,
 * and nothing has to be noisy yet.
 */
#include "central/relation/group_by_unit.h"

#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/expression/bind.h"
#include "central/expression/domain/expression_domain.h"
#include "central/expression/output_alias.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/work/row_work.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/relation.h"
#include "central/relation/unit_aggregate.h"
#include "central/relation/unit_key.h"
#include "core/base/failure.h"

/* What GROUP BY names: an output by its number or its name, or an expression. */
static const struct sotto_sql_expr *
target(struct sotto_binder *b, const struct sotto_sql_select *s, const struct sotto_sql_expr *e,
       struct sotto_bound *out)
{
	struct sotto_error *err = b->err;
	bool bound;

	b->err = NULL;
	bound = sotto_bind(b, e, out) == SOTTO_OK;
	b->err = err;
	return e->kind == SOTTO_SQL_NUMBER || !bound
		       ? sotto_group_target(s, (struct sotto_sql_expr *)e)
		       : e;
}

bool sotto_select_is_by_unit(struct sotto_planner *p, const struct sotto_sql_select *s,
			     const struct sotto_relation *from)
{
	struct sotto_binder b = sotto_planner_binder(p, &from->scope);
	struct sotto_bound x;

	b.err = NULL;
	for (size_t i = 0; i < s->group_count; i++)
		if (sotto_bind(&b, target(&b, s, s->groups[i], &x), &x) == SOTTO_OK &&
		    from->unit && sotto_bound_says_unit(p->policy, &x))
			return true;
	return false;
}

/* ---- the groups ------------------------------------------------------------------------- */

/* Keys and aggregates of the groups, as columns k0, k1, ..., a0, a1, ... of one alias. */
struct groups {
	struct sotto_planner *planner;
	struct sotto_binder rows; /* binds over the rows below */
	const char *alias;
	int64_t most; /* rows of a unit that count */
	struct sotto_scope scope;
	struct sotto_rowset_select select; /* the unit u, then them */
	const struct sotto_sql_expr **calls; /* of the aggregates */
	size_t key_count, call_count;
};

static enum sotto_status
add_column(struct groups *g, const char *name, const struct sotto_bound *from, bool key)
{
	struct sotto_arena *a = g->planner->arena;
	struct sotto_scope_column *c = sotto_arena_alloc(a, sizeof *c);
	struct sotto_bound *inner = sotto_arena_alloc(a, sizeof *inner);

	SOTTO_NEED(c && inner && name);
	*inner = *from;
	*c = (struct sotto_scope_column){.table = g->alias,
					 .name = name,
					 .alias = g->alias,
					 .field = name,
					 .bound = *from};
	c->inner = key ? inner : NULL;
	c->bound.value = sotto_expression_made(a, g->alias, name, sotto_load_making(from, 0));
	c->bound.whole = NULL;
	c->bound.is_place = false;
	c->bound.places = 0;
	c->bound.literal = NULL;
	c->bound.number = NULL;
	c->bound.column_count = 0;
	SOTTO_NEED(c->bound.value && sotto_scope_add(a, &g->scope, c));
	return SOTTO_OK;
}

/* Zero is added to numbers: which of -0.0 and 0.0 stands for the group must not matter. */
static enum sotto_status add_key(struct groups *g, const struct sotto_sql_expr *e)
{
	struct sotto_arena *a = g->planner->arena;
	struct sotto_bound x;
	const char *name = sotto_arena_textf(a, "k%zu", g->key_count);
	bool number;

	SOTTO_TRY(sotto_bind(&g->rows, e, &x));
	number = x.is_double || x.type == SOTTO_TYPE_NUMBER;
	if (!x.domain)
		SOTTO_TRY(sotto_expression_domain(a, &x, NULL, &x.domain));
	SOTTO_TRY(add_column(g, name, &x, true));
	g->scope.columns[g->scope.count - 1]->bound.is_double = number;
	g->key_count++;
	SOTTO_NEED(sotto_rowset_output(
		a, &g->select, number ? SOTTO_APPLY(a, SOTTO_OP_PLUS_ZERO, x.value) : x.value,
		name));
	return SOTTO_OK;
}

static enum sotto_status
find_aggregate(struct groups *g, const struct sotto_sql_expr *call, size_t *index)
{
	struct sotto_arena *a = g->planner->arena;
	const struct sotto_sql_expr **slot;
	struct sotto_bound x;
	const char *name;

	for (*index = 0; *index < g->call_count; ++*index)
		if (sotto_sql_expr_equal(g->calls[*index], call))
			return SOTTO_OK;
	SOTTO_TRY(sotto_unit_aggregate(&g->rows, call, g->most, NULL, &x));
	name = sotto_arena_textf(a, "a%zu", *index);
	SOTTO_TRY(add_column(g, name, &x, false));
	slot = SOTTO_PUSH(a, g->calls, g->call_count);
	SOTTO_NEED(slot && sotto_rowset_output(a, &g->select, x.value, name));
	*slot = call;
	return SOTTO_OK;
}

/* ---- expressions over them ---------------------------------------------------------------- */

static struct sotto_sql_expr *leaf(struct groups *g, char letter, size_t index, int at)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(g->planner->arena, SOTTO_SQL_COLUMN, at);

	if (!e)
		return NULL;
	e->qualifier = g->alias;
	e->text = sotto_arena_textf(g->planner->arena, "%c%zu", letter, index);
	return e->text ? e : NULL;
}

static bool find_key(struct groups *g, const struct sotto_sql_expr *e, size_t *index)
{
	struct sotto_error *err = g->rows.err;
	struct sotto_bound x;
	enum sotto_status st;

	g->rows.err = NULL;
	st = sotto_bind(&g->rows, e, &x);
	g->rows.err = err;
	for (size_t i = 0; st == SOTTO_OK && i < g->scope.count; i++)
		if (g->scope.columns[i]->inner &&
		    sotto_expression_equal(g->scope.columns[i]->inner->value, x.value)) {
			*index = i;
			return true;
		}
	return false;
}

static enum sotto_status
rewrite(struct groups *g, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *copy;
	size_t index;

	if (e->kind == SOTTO_SQL_CALL && sotto_aggregate_find(e->text) && !e->over) {
		SOTTO_TRY(find_aggregate(g, e, &index));
		*out = leaf(g, 'a', index, e->at);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (!sotto_expr_has_aggregate(e) && find_key(g, e, &index)) {
		*out = leaf(g, 'k', index, e->at);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (e->kind == SOTTO_SQL_COLUMN)
		return sotto_bind_refuse(
			&g->rows, e,
			"the column %.60s is not a key of the subquery; put it "
			"into its GROUP BY or inside an aggregate",
			e->text);
	copy = sotto_sql_expr_copy(g->planner->arena, e);
	SOTTO_NEED(copy);
	for (size_t i = 0; i < e->count; i++)
		SOTTO_TRY(rewrite(g, e->args[i], &copy->args[i]));
	*out = copy;
	return SOTTO_OK;
}

static enum sotto_status
bind_over(struct groups *g, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_binder b = sotto_planner_binder(g->planner, &g->scope);
	struct sotto_sql_expr *over;

	SOTTO_TRY(rewrite(g, e, &over));
	return sotto_bind(&b, over, out);
}

static enum sotto_status bind_having(struct groups *g, const struct sotto_sql_expr *e,
				     const struct sotto_expression **out)
{
	struct sotto_binder b = sotto_planner_binder(g->planner, &g->scope);
	struct sotto_sql_expr *over;
	struct sotto_bound x;

	*out = sotto_expression_word(g->planner->arena, SOTTO_OP_TRUE);
	SOTTO_NEED(*out);
	if (!e)
		return SOTTO_OK;
	SOTTO_TRY(rewrite(g, e, &over));
	SOTTO_TRY(sotto_bind_condition(&b, over, &x));
	*out = x.value;
	return SOTTO_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static enum sotto_status
bind_keys(struct groups *g, const struct sotto_sql_select *s, bool *only_unit)
{
	*only_unit = true;
	for (size_t i = 0; i < s->group_count; i++) {
		struct sotto_bound x;
		size_t before = g->scope.count;

		SOTTO_TRY(add_key(g, target(&g->rows, s, s->groups[i], &x)));
		*only_unit = *only_unit && g->scope.columns[before]->bound.is_unit;
	}
	return SOTTO_OK;
}

/* Groups go by position: a column of the rows below may have any name, also u or k0. */
static enum sotto_status compose_groups(struct groups *g, const struct sotto_sql_select *s,
					const struct sotto_relation *from,
					const struct sotto_rowset **out)
{
	struct sotto_arena *a = g->planner->arena;
	struct sotto_bound where = {.value = sotto_expression_word(a, SOTTO_OP_TRUE)};
	const struct sotto_expression **places =
		sotto_arena_alloc(a, (g->key_count + 1) * sizeof(struct sotto_expression *));

	SOTTO_NEED(places);
	if (s->where)
		SOTTO_TRY(sotto_bind_condition(&g->rows, s->where, &where));
	for (size_t i = 0; i <= g->key_count; i++)
		places[i] = sotto_expression_whole(a, (long long)i + 1);
	g->select.where = SOTTO_APPLY(a, SOTTO_OP_BOTH, where.value,
				      SOTTO_APPLY(a, SOTTO_OP_PRESENT, from->unit));
	g->select.groups = sotto_expression_list(a, places, g->key_count + 1);
	SOTTO_NEED(g->select.where && g->select.groups &&
		   sotto_rowset_from(a, &g->select, from->tree));
	*out = sotto_rowset_select(a, &g->select, g->alias);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_by_unit_select(struct sotto_planner *p, const struct sotto_sql_select *s,
		     struct sotto_relation *from, const struct sotto_sql_output *outputs,
		     size_t count, struct sotto_bound *bounds, const struct sotto_rowset **rows)
{
	struct sotto_arena *a = p->arena;
	struct groups g = {.planner = p,
			   .rows = sotto_relation_binder(p, from),
			   .alias = sotto_planner_alias(p),
			   .most = sotto_policy_unit_rows(from->owner)};
	struct sotto_rowset_select select = {0};
	struct sotto_sql_expr *having;
	const struct sotto_rowset *groups;
	bool only_unit;

	SOTTO_NEED(g.alias && sotto_rowset_output(a, &g.select, from->unit, "u"));
	SOTTO_TRY(bind_keys(&g, s, &only_unit));
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(bind_over(&g, outputs[i].expr, &bounds[i]));
	SOTTO_TRY(sotto_aliases_expand(&g.rows, outputs, count, s->having, &having));
	SOTTO_TRY(bind_having(&g, having, &select.where));
	SOTTO_TRY(compose_groups(&g, s, from, &groups));
	SOTTO_TRY(sotto_outputs_add(p, bounds, count, &select));
	SOTTO_NEED(sotto_rowset_output(a, &select, sotto_expression_column(a, g.alias, "u"),
				       "u") &&
		   sotto_rowset_from(a, &select, groups));
	*rows = sotto_rowset_select(a, &select, NULL);
	from->unit_rows = only_unit ? 1 : 0;
	return *rows ? SOTTO_OK : SOTTO_ENOMEM;
}
