/*
 * Binds the subquery's rows with the outer columns in scope, ties private rows to the unit of
 * the row around them, and limits how many public rows one row can find.
 */
#include "central/relation/subquery/correlated_subquery.h"

#include <string.h>

#include "central/expression/bind.h"
#include "central/expression/domain/met_condition.h"
#include "central/expression/domain/public_domain.h"
#include "central/relation/join_fanout.h"
#include "central/relation/subquery/noisy_lookup.h"
#include "central/relation/subquery/outer_row.h"
#include "central/relation/private_join.h"
#include "central/relation/relation.h"
#include "central/relation/unit_aggregate.h"
#include "central/relation/unit_key.h"
#include "core/base/failure.h"

enum { ROW = 50 }; /* nanoseconds for a row that is found */

static enum sotto_status refuse_private(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const struct sotto_relation *inner)
{
	const struct sotto_policy_table *outer = b->from ? b->from->owner : NULL;

	if (outer && inner->owner && outer->root != inner->owner->root)
		return sotto_bind_refuse(b, e,
					 "a subquery over private rows of %.40s can be asked "
					 "for each row of %.40s "
					 "only if both have the same privacy unit, which the "
					 "policy says with unit: "
					 "{ column: ..., via: ... }; ask about each on its own",
					 inner->owner->name, outer->name);
	if (inner->owner && sotto_unit_is_unnamed(inner))
		return sotto_bind_refuse(
			b, e,
			"private rows cannot be looked up by their privacy unit, %.40s, which "
			"the sources hold in a type that is not compared, like bytes or a "
			"list; "
			"ask about each table on its own, or ask the owner to store %.40s as a "
			"text or a whole number",
			inner->owner->root->unit, inner->owner->root->unit);
	return sotto_bind_refuse(
		b, e,
		"a subquery in an expression that refers to the outer row may read "
		"private rows of that row's own unit, or be one aggregate with conditions "
		"x = outer.y: write unit IN (SELECT unit ...), EXISTS (... WHERE a.unit = "
		"b.unit) or (SELECT AVG(x) ... WHERE k = outer.k), or ask it on its own");
}

/* ---- what it depends on --------------------------------------------------------------------- */

static bool in_scope(const struct sotto_scope *scope, const struct sotto_scope_column *c)
{
	for (size_t i = 0; i < scope->count; i++)
		if (scope->columns[i] == c)
			return true;
	return false;
}

/* On those columns of x that belong to the query around. */
static enum sotto_status
depend_on_outer(struct sotto_binder *b, const struct sotto_bound *x, struct sotto_bound *out)
{
	for (size_t i = 0; i < x->column_count; i++) {
		struct sotto_bound one = {.columns = &x->columns[i], .column_count = 1};

		if (in_scope(b->scope, x->columns[i]))
			SOTTO_TRY(sotto_bind_depend(b, out, &one));
	}
	return SOTTO_OK;
}

/* ---- does it look at the row around it? --------------------------------------------------- */

/* Nothing but one output, FROM and WHERE. */
static bool is_simple(const struct sotto_sql_select *s)
{
	return s->from && !s->unite && !s->cte_count && !s->group_count && !s->set_count &&
	       !s->having && s->limit != 0 && s->offset == 0 && s->output_count >= 1;
}

static enum sotto_status
bind_from(struct sotto_binder *b, const struct sotto_sql_select *s, struct sotto_relation *out)
{
	struct sotto_planner *p = b->planner, before = *p;
	enum sotto_status st;

	p->err = b->err;
	p->outer = b->scope;
	p->where = s->where;
	p->from = s->from;
	st = sotto_relation_bind(p, b->ctes, s->from, out);
	p->err = before.err;
	p->outer = before.outer;
	p->where = before.where;
	p->from = before.from;
	return st;
}

/* ---- private rows -------------------------------------------------------------------------- */

/* Does a condition beside unit = unit compare rows of the unit with each other? */
static bool compares_rows(struct sotto_binder *b, const struct sotto_relation *inner,
			  const struct sotto_sql_expr *e)
{
	if (!e)
		return false;
	if (e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_AND)
		return compares_rows(b, inner, e->args[0]) ||
		       compares_rows(b, inner, e->args[1]);
	return sotto_reads_outer(&inner->scope, b->scope, e) &&
	       !sotto_units_equated(b->planner, b->from, inner, e);
}

static enum sotto_status tie_units(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_relation *inner,
				   const struct sotto_expression **tie, int *rows)
{
	const struct sotto_relation *outer = b->from;

	if (!outer || !sotto_units_shared(outer, inner) ||
	    !sotto_units_equated(b->planner, outer, inner, e->select->where))
		return refuse_private(b, e, inner);
	*rows = 1;
	if (compares_rows(b, inner, e->select->where)) {
		*rows = SOTTO_UNIT_ROWS;
		if (!inner->alias)
			return sotto_bind_refuse(b, e,
						 "a subquery that compares private rows with "
						 "each other may read one table or subquery, "
						 "not a join");
		SOTTO_TRY(sotto_units_cut(b->planner, inner));
	}
	SOTTO_TRY(sotto_fanout_check(b->planner, inner));
	*tie = SOTTO_APPLY(b->arena, SOTTO_OP_SAME, inner->unit, outer->unit);
	return *tie ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- public rows --------------------------------------------------------------------------- */

/* A row of the query around finds at most so many of the public rows, each of which is work. */
static enum sotto_status limit_public(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_relation *inner, bool one, double work)
{
	struct sotto_sql_from join = {.join = SOTTO_SQL_INNER, .on = e->select->where};
	struct sotto_relation outer = {.scope = *b->scope}, joined = {0}, found = *inner;
	struct sotto_planner *p = b->planner;
	const struct sotto_sql_expr *where = p->where;
	struct sotto_binder rows = sotto_planner_binder(p, &inner->scope);
	struct sotto_conditions met = {0};
	enum sotto_status st;

	SOTTO_TRY(sotto_conditions_add(&rows, e->select->where, &met));
	found.met = &met;
	p->where = NULL;
	st = sotto_fanout_join(p, &join, &outer, &found, &joined);
	p->where = where;
	SOTTO_TRY(st);
	SOTTO_TRY(sotto_fanout_work(p, joined.fanout, work));
	if (!one)
		return sotto_fanout_check(p, &joined);
	return sotto_fanout_limit(p, joined.fanout, 1,
				  "a subquery that stands for one value has more than one row");
}

/* ---- the value ----------------------------------------------------------------------------- */

/* What the subquery computes from the rows it finds, as an aggregate of one row. */
static enum sotto_status
bind_value(struct sotto_binder *b, struct sotto_binder *rows, const struct sotto_sql_expr *e,
	   const struct sotto_relation *inner, double work, struct sotto_bound *out)
{
	const struct sotto_sql_expr *value = e->select->outputs[0].expr;
	bool aggregate = sotto_expr_has_aggregate(value);

	if (e->select->output_count != 1 || value->kind == SOTTO_SQL_STAR)
		return sotto_bind_refuse(b, e, "the subquery must have one column");
	if (inner->owner) {
		if (value->kind != SOTTO_SQL_CALL || !aggregate)
			return sotto_bind_refuse(
				b, e,
				"a subquery over private rows that stands for one value "
				"must be one aggregate, like (SELECT COUNT(*) ...)");
		return sotto_unit_aggregate(rows, value, sotto_policy_unit_rows(inner->owner),
					    NULL, out);
	}
	rows->aggregates = true;
	SOTTO_TRY(sotto_bind(rows, value, out));
	SOTTO_TRY(limit_public(b, e, inner, !aggregate, work + out->load.work));
	out->nullable = true;
	return aggregate ? SOTTO_OK
			 : sotto_bind_made(b, &out->value,
					   SOTTO_APPLY(b->arena, SOTTO_OP_MIN, out->value));
}

/* SELECT value FROM from WHERE where */
static const struct sotto_rowset *
rows_where(struct sotto_binder *b, const struct sotto_expression *value,
	   const struct sotto_rowset *from, const struct sotto_expression *where)
{
	struct sotto_rowset_select s = {.where = where};

	return where && sotto_rowset_output(b->arena, &s, value, NULL) &&
			       sotto_rowset_from(b->arena, &s, from)
		       ? sotto_rowset_select(b->arena, &s, NULL)
		       : NULL;
}

static enum sotto_status bind_rows(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_relation *inner, struct sotto_bound *out)
{
	struct sotto_binder rows = sotto_planner_binder(b->planner, &inner->scope);
	const struct sotto_expression *yes = sotto_expression_word(b->arena, SOTTO_OP_TRUE),
				      *tie = yes;
	struct sotto_bound where = {.value = yes},
			   value = {.value = sotto_expression_whole(b->arena, 1)};
	bool exists = e->kind == SOTTO_SQL_EXISTS;
	double work = ROW;
	int found = 1;

	rows.err = b->err;
	rows.correlated = b->scope;
	rows.cut = b->cut;
	if (inner->owner)
		SOTTO_TRY(tie_units(b, e, inner, &tie, &found));
	if (e->select->where)
		SOTTO_TRY(sotto_bind_condition(&rows, e->select->where, &where));
	work += where.load.work;
	if (!exists)
		SOTTO_TRY(bind_value(b, &rows, e, inner, work, &value));
	else if (!inner->owner)
		SOTTO_TRY(limit_public(b, e, inner, false, work));
	if (inner->owner)
		SOTTO_TRY(sotto_fanout_work(b->planner, sotto_expression_whole(b->arena, found),
					    work + value.load.work));
	*out = value;
	out->whole = NULL;
	out->literal = NULL;
	out->number = NULL;
	out->domain = NULL;
	out->step = NULL;
	out->is_unit = false;
	out->columns = NULL;
	out->column_count = 0;
	if (inner->owner)
		SOTTO_TRY(sotto_depend_on_rows(b, out));
	SOTTO_TRY(depend_on_outer(b, &where, out));
	SOTTO_TRY(depend_on_outer(b, &value, out));
	out->nullable = !exists;
	SOTTO_TRY(sotto_bind_made(
		b, &out->value,
		sotto_expression_query(
			b->arena, exists ? SOTTO_OP_EXISTS : SOTTO_OP_SCALAR, NULL,
			rows_where(b, value.value, inner->tree,
				   SOTTO_APPLY(b->arena, SOTTO_OP_BOTH, tie, where.value)))));
	if (!exists)
		return SOTTO_OK;
	out->type = SOTTO_TYPE_BOOLEAN;
	return sotto_domain_boolean(b->arena, false, &out->domain);
}

/* One subquery over the rows of one relation is bound once: its text is its name. */
static const struct sotto_bound *
find_bound(const struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	const struct sotto_planner *p = b->planner;

	for (size_t i = 0; i < p->subquery_count; i++)
		if (p->subqueries[i].select == e->select &&
		    p->subqueries[i].scope == b->scope->columns &&
		    p->subqueries[i].cut == b->cut)
			return p->subqueries[i].bound;
	return NULL;
}

static enum sotto_status remember(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  const struct sotto_bound *bound)
{
	struct sotto_planner *p = b->planner;
	struct sotto_bound_subquery *slot =
		SOTTO_PUSH(p->arena, p->subqueries, p->subquery_count);
	struct sotto_bound *copy = sotto_arena_alloc(p->arena, sizeof *copy);

	SOTTO_NEED(slot && copy);
	*copy = *bound;
	*slot = (struct sotto_bound_subquery){
		.select = e->select, .scope = b->scope->columns, .cut = b->cut, .bound = copy};
	return SOTTO_OK;
}

enum sotto_status sotto_correlated_bind(struct sotto_binder *b, const struct sotto_sql_expr *e,
					struct sotto_bound *out, bool *known)
{
	struct sotto_planner *p = b->planner;
	size_t parts = p->part_count, checks = p->check_count, bound = p->subquery_count;
	const struct sotto_bound *found = find_bound(b, e);
	struct sotto_relation inner;

	*known = found != NULL;
	if (found)
		*out = *found;
	if (found || !is_simple(e->select))
		return SOTTO_OK;
	SOTTO_TRY(bind_from(b, e->select, &inner));
	*known = !inner.finished &&
		 (sotto_reads_outer(&inner.scope, b->scope, e->select->where) ||
		  sotto_reads_outer(&inner.scope, b->scope, e->select->outputs[0].expr));
	if (!*known) {
		p->part_count = parts;
		p->check_count = checks;
		p->subquery_count = bound; /* they name parts that are no more */
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_is_lookup(b, e, &inner) ? sotto_lookup_bind(b, e, &inner, out)
						: bind_rows(b, e, &inner, out));
	return remember(b, e, out);
}

/* ---- IN ------------------------------------------------------------------------------------- */

static bool tied(const struct sotto_binder *b, const struct sotto_bound *x,
		 const struct sotto_scope_column *y)
{
	if (x->is_unit && y->bound.is_unit)
		return true;
	return sotto_bound_is_column(x) &&
	       sotto_keys_of_one(b->planner->policy, x->columns[0], y);
}

/*
 * NULLs among the values of the subquery are left out: those of other units must
 * not decide, as they would in x NOT IN (...).
 */
enum sotto_status sotto_correlated_in(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_relation *r, struct sotto_bound *out)
{
	const struct sotto_bound *y = &r->scope.columns[0]->bound;
	const struct sotto_expression *pair[2];
	enum sotto_sql_type type;
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	if (!b->from || r->finished || !sotto_units_shared(b->from, r) ||
	    !tied(b, &x, r->scope.columns[0]))
		return refuse_private(b, e, r);
	SOTTO_TRY(sotto_bind_common(b, e, &x, y, &type));
	SOTTO_TRY(sotto_bind_as(b, e, &x, type, &pair[0]));
	SOTTO_TRY(sotto_bind_as(b, e, y, type, &pair[1]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_BOOLEAN, .nullable = x.nullable};
	SOTTO_TRY(sotto_depend_on_rows(b, out));
	SOTTO_TRY(sotto_bind_made(
		b, &out->value,
		sotto_expression_query(
			b->arena, SOTTO_OP_PRESENT_EXISTS, pair[0],
			rows_where(b, sotto_expression_whole(b->arena, 1), r->tree,
				   SOTTO_APPLY(b->arena, SOTTO_OP_BOTH,
					       SOTTO_APPLY(b->arena, SOTTO_OP_SAME, r->unit,
							   b->from->unit),
					       SOTTO_APPLY(b->arena, SOTTO_OP_SAME, pair[1],
							   pair[0]))))));
	return sotto_domain_boolean(b->arena, out->nullable, &out->domain);
}
