/*
 * Subqueries inside expressions.  Those that read nothing of the query around them
 * read public tables: whatever they do depends on public data alone.  The others
 * are in correlated_subquery.c, and so is IN about the privacy unit.
 */
#include "central/relation/subquery/correlated_subquery.h"

#include <string.h>

#include "central/expression/bind.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/number/decimal.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "central/relation/join_fanout.h"
#include "central/relation/relation.h"
#include "central/relation/subquery/outer_row.h"
#include "core/base/failure.h"

static bool is_public(const struct sotto_relation *r)
{
	return !r->owner && !r->finished;
}

static const struct sotto_sql_select *below(const struct sotto_ctes *ctes,
					    const struct sotto_sql_from *from,
					    const struct sotto_ctes **inner)
{
	*inner = ctes;
	if (!from || from->kind == SOTTO_SQL_JOIN)
		return NULL;
	if (from->kind == SOTTO_SQL_SUBQUERY)
		return from->select;
	for (const struct sotto_ctes *c = ctes; c; c = c->outer)
		if (strcmp(c->cte->name, from->table) == 0) {
			*inner = c->outer;
			return c->cte->select;
		}
	return NULL;
}

/* Is it one row, whatever the rows below are: an aggregate of all, or all of a SELECT that is? */
static bool is_one_row(const struct sotto_ctes *ctes, const struct sotto_sql_select *s)
{
	const struct sotto_ctes *inner;
	const struct sotto_sql_select *from;

	if (s->group_count || s->set_count || s->having || s->unite || s->limit == 0 ||
	    s->offset != 0)
		return false;
	for (size_t i = 0; i < s->output_count; i++)
		if (sotto_expr_has_aggregate(s->outputs[i].expr))
			return true;
	from = s->where || s->cte_count ? NULL : below(ctes, s->from, &inner);
	return from && is_one_row(inner, from);
}

/*
 * What is finished with noise may be read by whatever is finished or public, and be compared
 * with private rows by the outermost query: a value that is one row, or a set of values.
 */
static bool takes_finished(const struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	return (b->finished || (b->planner->takes_values && b->owned)) &&
	       (e->kind != SOTTO_SQL_SCALAR || is_one_row(b->ctes, e->select));
}

static enum sotto_status
bind_relation(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_relation *r)
{
	struct sotto_planner *p = b->planner, outer = *p;
	enum sotto_status st;

	p->err = b->err;
	p->outer = b->scope;
	p->where = NULL;
	st = sotto_subquery_bind(p, b->ctes, e->select, "", NULL, 0, r);
	p->err = outer.err;
	p->outer = outer.outer;
	p->where = outer.where;
	SOTTO_TRY(st);
	if (r->finished && !takes_finished(b, e)) { /* what is refused is not a part */
		p->part_count = outer.part_count;
		p->subquery_count = outer.subquery_count;
	}
	return SOTTO_OK;
}

/*
 * One subquery is bound once, so that an output and the key that it is stay the same.  One that
 * was only looked at, where its answer is not taken, is no part of the plan: it is bound again.
 */
static enum sotto_status
find_relation(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_relation **r)
{
	struct sotto_planner *p = b->planner;
	struct sotto_bound_subquery *slot;

	for (size_t i = 0; i < p->subquery_count; i++)
		if (p->subqueries[i].select == e->select && p->subqueries[i].relation) {
			*r = p->subqueries[i].relation;
			return SOTTO_OK;
		}
	*r = sotto_arena_alloc(p->arena, sizeof **r);
	SOTTO_NEED(*r);
	SOTTO_TRY(bind_relation(b, e, *r));
	if ((*r)->finished && !takes_finished(b, e))
		return SOTTO_OK;
	if (e->kind == SOTTO_SQL_SCALAR && is_public(*r))
		SOTTO_TRY(sotto_planner_check(
			p, sotto_rowset_counted(p->arena, (*r)->tree, 2), 1,
			"a subquery that stands for one value has more than one row"));
	slot = SOTTO_PUSH(p->arena, p->subqueries, p->subquery_count);
	SOTTO_NEED(slot);
	*slot = (struct sotto_bound_subquery){.select = e->select, .relation = *r};
	return SOTTO_OK;
}

/* min() of the one value: a scalar subquery of several rows would be an error to the engine. */
static const struct sotto_expression *one_value(struct sotto_binder *b,
						const struct sotto_relation *r,
						const struct sotto_expression *x)
{
	return sotto_expression_query(b->arena, SOTTO_OP_SCALAR, NULL,
				      sotto_rowset_one(b->arena,
						       SOTTO_APPLY(b->arena, SOTTO_OP_MIN, x),
						       NULL, r->tree));
}

static enum sotto_status
bind_scalar(struct sotto_binder *b, const struct sotto_relation *r, struct sotto_bound *out)
{
	const struct sotto_bound *c = &r->scope.columns[0]->bound;

	*out = (struct sotto_bound){.type = c->type,
				    .is_double = c->is_double,
				    .nullable = true,
				    .noisy = c->noisy,
				    .range = c->range,
				    .load.length = c->load.length};
	sotto_decimal_take(out, c);
	if (c->low) {
		SOTTO_TRY(sotto_bind_made(b, &out->low, one_value(b, r, c->low)));
		SOTTO_TRY(sotto_bind_made(b, &out->high, one_value(b, r, c->high)));
	}
	return sotto_bind_made(b, &out->value, one_value(b, r, c->value));
}

static enum sotto_status bind_membership(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 const struct sotto_relation *r,
					 struct sotto_bound *out)
{
	const struct sotto_bound *item = &r->scope.columns[0]->bound;
	const struct sotto_expression *args[2];
	enum sotto_sql_type type;
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_common(b, e, &x, item, &type));
	SOTTO_TRY(sotto_bind_as(b, e, &x, type, &args[0]));
	SOTTO_TRY(sotto_bind_as(b, e, item, type, &args[1]));
	*out = (struct sotto_bound){.nullable = true};
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	return sotto_bind_made(
		b, &out->value,
		sotto_expression_query(b->arena, SOTTO_OP_IN, args[0],
				       sotto_rowset_one(b->arena, args[1], NULL, r->tree)));
}

enum sotto_status sotto_bind_subquery(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      struct sotto_bound *out)
{
	struct sotto_relation *r;
	bool known = false;

	if (!b->planner)
		return sotto_bind_refuse(b, e, "a subquery is not supported here");
	if (e->kind != SOTTO_SQL_IN)
		SOTTO_TRY(sotto_correlated_bind(b, e, out, &known));
	if (known)
		return SOTTO_OK;
	SOTTO_TRY(find_relation(b, e, &r));
	if (e->kind == SOTTO_SQL_IN && r->owner && r->scope.count == 1)
		return sotto_correlated_in(b, e, r, out);
	if (r->finished && takes_finished(b, e) && b->finished)
		*b->finished = true;
	if (!is_public(r) && !(r->finished && takes_finished(b, e)))
		return sotto_bind_refuse(
			b, e,
			"a subquery in an expression may read public tables, private rows "
			"of "
			"the row's own unit, or be one aggregate that gets its noise first: "
			"write unit IN (SELECT unit ...), EXISTS (... WHERE a.unit = "
			"b.unit) or (SELECT AVG(x) ...), or ask it on its own");
	if (e->kind != SOTTO_SQL_EXISTS && r->scope.count != 1)
		return sotto_bind_refuse(b, e, "the subquery must have one column");
	if (e->kind == SOTTO_SQL_SCALAR) {
		SOTTO_TRY(bind_scalar(b, r, out));
		return r->finished ? sotto_bind_noisy(b, out) : SOTTO_OK;
	}
	if (e->kind == SOTTO_SQL_IN) {
		SOTTO_TRY(bind_membership(b, e, r, out));
	} else {
		*out = (struct sotto_bound){0};
		SOTTO_TRY(sotto_bind_made(
			b, &out->value,
			sotto_expression_query(
				b->arena, SOTTO_OP_EXISTS, NULL,
				sotto_rowset_one(b->arena, sotto_expression_whole(b->arena, 1),
						 NULL, r->tree))));
	}
	if (r->finished)
		SOTTO_TRY(sotto_bind_noisy(b, out));
	out->type = SOTTO_TYPE_BOOLEAN;
	return sotto_domain_boolean(b->arena, out->nullable, &out->domain);
}
