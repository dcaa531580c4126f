/*
 * Takes the WHERE apart into equalities between inner and outer columns and the rest, plans the
 * subquery grouped by the inner ones, and matches the finished groups by key.
 */
#include "central/relation/subquery/noisy_lookup.h"

#include "central/expression/bind.h"
#include "central/expression/number/decimal.h"
#include "central/relation/private_join.h"
#include "central/relation/subquery/outer_row.h"
#include "core/base/failure.h"

bool sotto_is_lookup(struct sotto_binder *b, const struct sotto_sql_expr *e,
		     const struct sotto_relation *inner)
{
	const struct sotto_sql_select *s = e->select;
	bool tied = b->from && inner->owner && sotto_units_shared(b->from, inner) &&
		    sotto_units_equated(b->planner, b->from, inner, s->where);

	return inner->owner && !tied && e->kind == SOTTO_SQL_SCALAR && s->output_count == 1 &&
	       sotto_expr_has_aggregate(s->outputs[0].expr) &&
	       (b->finished || (b->planner->takes_values && b->owned));
}

/* The conditions of the subquery: keys with what they equal outside, and the rest. */
struct lookup {
	struct sotto_binder *binder;
	const struct sotto_relation *inner;
	struct sotto_sql_expr **keys, **equals;
	size_t key_count, equal_count;
	struct sotto_sql_expr *rest;
};

/* Does it read columns of the subquery's own rows? */
static bool reads_inner(const struct sotto_scope *inner, const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_COLUMN)
		return sotto_scope_has(inner, e);
	for (size_t i = 0; i < e->count; i++)
		if (reads_inner(inner, e->args[i]))
			return true;
	return false;
}

static enum sotto_status
add_key(struct lookup *l, struct sotto_sql_expr *key, struct sotto_sql_expr *equal)
{
	struct sotto_sql_expr **k = SOTTO_PUSH(l->binder->arena, l->keys, l->key_count);
	struct sotto_sql_expr **o = SOTTO_PUSH(l->binder->arena, l->equals, l->equal_count);

	SOTTO_NEED(k && o);
	*k = key;
	*o = equal;
	return SOTTO_OK;
}

static enum sotto_status take_apart(struct lookup *l, struct sotto_sql_expr *e)
{
	const struct sotto_scope *inner = &l->inner->scope, *outer = l->binder->scope;

	if (e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_AND) {
		SOTTO_TRY(take_apart(l, e->args[0]));
		return take_apart(l, e->args[1]);
	}
	if (!sotto_reads_outer(inner, outer, e)) {
		l->rest =
			l->rest ? sotto_sql_op_new(l->binder->arena, SOTTO_SQL_AND, l->rest, e)
				: e;
		return l->rest ? SOTTO_OK : SOTTO_ENOMEM;
	}
	for (int i = 0; e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_EQ && i < 2; i++)
		if (!sotto_reads_outer(inner, outer, e->args[i]) &&
		    reads_inner(inner, e->args[i]) && !reads_inner(inner, e->args[1 - i]))
			return add_key(l, e->args[i], e->args[1 - i]);
	return sotto_bind_refuse(
		l->binder, e,
		"a subquery over private rows may refer to the outer row only in conditions "
		"like x = outer.y; remove this one, or ask the subquery on its own");
}

/* For people: the groups are read by their places. */
static const char *key_name(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_COLUMN ? e->text : "the key";
}

/* SELECT keys, value FROM ... WHERE rest GROUP BY keys */
static enum sotto_status write_select(struct lookup *l, const struct sotto_sql_select *from,
				      struct sotto_sql_select **out)
{
	struct sotto_arena *a = l->binder->arena;
	struct sotto_sql_select *s = sotto_arena_alloc(a, sizeof *s);

	SOTTO_NEED(s);
	*s = *from;
	s->where = l->rest;
	s->order_count = 0;
	s->limit = -1;
	s->groups = l->keys;
	s->group_count = l->key_count;
	s->output_count = l->key_count + 1;
	s->outputs = sotto_arena_alloc(a, s->output_count * sizeof *s->outputs);
	SOTTO_NEED(s->outputs);
	for (size_t i = 0; i < l->key_count; i++) {
		s->outputs[i].expr = l->keys[i];
		s->outputs[i].name = key_name(l->keys[i]);
	}
	s->outputs[l->key_count] = (struct sotto_sql_output){from->outputs[0].expr, "v"};
	*out = s;
	return SOTTO_OK;
}

/* Each key of the finished groups equals what stands for it outside. */
static enum sotto_status match_keys(struct lookup *l, const struct sotto_sql_expr *e,
				    const struct sotto_relation *groups,
				    struct sotto_bound *out,
				    const struct sotto_expression **where)
{
	struct sotto_binder *b = l->binder;

	*where = NULL;
	for (size_t i = 0; i < l->key_count; i++) {
		const struct sotto_bound *key = &groups->scope.columns[i]->bound;
		const struct sotto_expression *pair[2], *same;
		enum sotto_sql_type type;
		struct sotto_bound x;

		SOTTO_TRY(sotto_bind(b, l->equals[i], &x));
		SOTTO_TRY(sotto_bind_depend(b, out, &x));
		SOTTO_TRY(sotto_bind_common(b, e, key, &x, &type));
		SOTTO_TRY(sotto_bind_as(b, e, key, type, &pair[0]));
		SOTTO_TRY(sotto_bind_as(b, e, &x, type, &pair[1]));
		same = SOTTO_APPLY(b->arena, SOTTO_OP_SAME, pair[0], pair[1]);
		*where = *where ? SOTTO_APPLY(b->arena, SOTTO_OP_BOTH, *where, same) : same;
		SOTTO_NEED(*where);
	}
	return SOTTO_OK;
}

/* min() of the values of the one group that matches: NULL if there is none. */
static const struct sotto_expression *
look_up(struct sotto_arena *a, const struct sotto_relation *groups,
	const struct sotto_expression *where, const struct sotto_expression *x)
{
	struct sotto_rowset_select s = {.where = where};

	if (!sotto_rowset_output(a, &s, SOTTO_APPLY(a, SOTTO_OP_MIN, x), NULL) ||
	    !sotto_rowset_from(a, &s, groups->tree))
		return NULL;
	return sotto_expression_query(a, SOTTO_OP_SCALAR, NULL,
				      sotto_rowset_select(a, &s, NULL));
}

static enum sotto_status find_value(struct lookup *l, const struct sotto_sql_expr *e,
				    const struct sotto_relation *groups,
				    struct sotto_bound *out)
{
	struct sotto_binder *b = l->binder;
	const struct sotto_bound *v = &groups->scope.columns[l->key_count]->bound;
	const struct sotto_expression *where;

	*out = (struct sotto_bound){.type = v->type,
				    .is_double = v->is_double,
				    .range = v->range,
				    .load.length = v->load.length};
	sotto_decimal_take(out, v);
	SOTTO_TRY(match_keys(l, e, groups, out, &where));
	out->nullable = true;
	SOTTO_TRY(sotto_bind_made(b, &out->value, look_up(b->arena, groups, where, v->value)));
	if (v->low) {
		SOTTO_TRY(sotto_bind_made(b, &out->low,
					  look_up(b->arena, groups, where, v->low)));
		SOTTO_TRY(sotto_bind_made(b, &out->high,
					  look_up(b->arena, groups, where, v->high)));
	}
	return sotto_bind_noisy(b, out);
}

enum sotto_status sotto_lookup_bind(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const struct sotto_relation *inner, struct sotto_bound *out)
{
	struct lookup l = {.binder = b, .inner = inner};
	struct sotto_planner *p = b->planner, before = *p;
	struct sotto_sql_select *select;
	struct sotto_relation groups;
	enum sotto_status st;

	SOTTO_TRY(take_apart(&l, e->select->where));
	SOTTO_TRY(write_select(&l, e->select, &select));
	p->err = b->err;
	p->where = NULL;
	st = sotto_subquery_bind(p, b->ctes, select, "", NULL, 0, &groups);
	p->err = before.err;
	p->where = before.where;
	SOTTO_TRY(st);
	if (!groups.finished)
		return sotto_bind_refuse(
			b, e,
			"the key that selects the subquery's result determines the unit; "
			"compare the units too, with a.unit = b.unit");
	if (b->finished)
		*b->finished = true;
	return find_value(&l, e, &groups, out);
}
