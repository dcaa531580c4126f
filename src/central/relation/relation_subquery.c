/*
 * SELECT inside FROM.  Over private rows it may rename, compute and filter:
 * each of its rows is one row of below, so it belongs to the same unit.
 */
#include "central/relation/relation.h"

#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/expression/bind.h"
#include "central/expression/domain/expression_domain.h"
#include "central/expression/domain/met_condition.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/number/decimal.h"
#include "central/expression/range/condition_range.h"
#include "central/expression/range/value_range.h"
#include "central/expression/work/row_work.h"
#include "central/relation/finished/finished_table.h"
#include "central/relation/finished/grouping_sets.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/finished/united_select.h"
#include "central/relation/finished/windowed_select.h"
#include "central/relation/group_by_unit.h"
#include "central/relation/join_fanout.h"
#include "central/relation/private_join.h"
#include "central/relation/public_select.h"
#include "central/relation/unit_key.h"
#include "central/relation/unit_row_number.h"
#include "core/base/failure.h"

/* What would break "one row, one unit" inside a subquery over private rows. */
static enum sotto_status
check_private(struct sotto_planner *p, const struct sotto_sql_select *s)
{
	const char *why = NULL;

	if (s->limit >= 0 || s->offset > 0)
		why = "LIMIT inside a subquery would depend on the order of private rows; put "
		      "it at the end of the query, or keep rows by a condition, like WHERE x > "
		      "100";
	else if (s->order_count)
		why = "ORDER BY inside a subquery has no effect; leave it out, or put it at "
		      "the "
		      "end of the query";
	return why ? sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, s->at, "%s", why)
		   : SOTTO_OK;
}

/*
 * SELECT DISTINCT with the unit among its outputs: the different rows of each unit.
 * Without the unit, equal rows of two units would become one row of nobody.
 */
static enum sotto_status
check_distinct(struct sotto_planner *p, const struct sotto_sql_select *s,
	       struct sotto_bound *bounds, size_t count, struct sotto_relation *from)
{
	bool has_unit = false, only_unit = true;

	for (size_t i = 0; i < count; i++) {
		has_unit = has_unit ||
			   (from->unit && sotto_bound_says_unit(p->policy, &bounds[i]));
		only_unit = only_unit && bounds[i].is_unit;
		if (!bounds[i].is_double && bounds[i].type != SOTTO_TYPE_NUMBER)
			continue;
		bounds[i].value = sotto_bind_alike(p->arena, &bounds[i]);
		bounds[i].is_double = true;
		SOTTO_NEED(bounds[i].value);
	}
	if (!has_unit)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, s->at,
				      "DISTINCT inside a subquery over private rows needs the "
				      "privacy unit, or a key that leads to it, among its "
				      "columns; or use COUNT(DISTINCT ...) "
				      "or GROUP BY in the outermost SELECT");
	from->unit_rows = only_unit ? 1 : 0;
	return SOTTO_OK;
}

/*
 * A window may put rows of a unit in any order that are alike in all that counts of their columns
 * (bind_window.c), and which order that is depends on rows of others: beside one, nothing else of
 * a text is read.
 */
static enum sotto_status bind_list(struct sotto_planner *p, const struct sotto_sql_select *s,
				   struct sotto_relation *from,
				   const struct sotto_sql_output *outputs, size_t count,
				   struct sotto_bound *bounds, struct sotto_rowset_select *out)
{
	struct sotto_binder b = sotto_relation_binder(p, from);

	b.unit = from->unit;
	b.most_rows = sotto_policy_unit_rows(from->owner);
	b.windows = from->unit != NULL;
	b.lazy = !s->distinct;
	for (size_t i = 0; i < count; i++)
		b.cut = b.cut || sotto_expr_has_window(outputs[i].expr);
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(sotto_bind(&b, outputs[i].expr, &bounds[i]));
	if (s->distinct)
		SOTTO_TRY(check_distinct(p, s, bounds, count, from));
	out->distinct = s->distinct;
	SOTTO_TRY(sotto_outputs_add(p, bounds, count, out));
	if (from->unit)
		SOTTO_NEED(sotto_rowset_output(p->arena, out, from->unit, "u"));
	return SOTTO_OK;
}

/* What the rows of a subquery meet holds for the values that its columns have. */
static enum sotto_status note_conditions(struct sotto_planner *p,
					 const struct sotto_sql_select *s,
					 struct sotto_binder *b, struct sotto_relation *from)
{
	struct sotto_conditions *met = sotto_arena_alloc(p->arena, sizeof *met);

	SOTTO_NEED(met);
	SOTTO_TRY(sotto_conditions_add(b, s->where, met));
	SOTTO_TRY(sotto_conditions_of_joins(b, s->from, met));
	from->met = met->count ? met : NULL;
	return SOTTO_OK;
}

static enum sotto_status
private_select(struct sotto_planner *p, const struct sotto_sql_select *s,
	       struct sotto_relation *from, const struct sotto_sql_output *outputs,
	       size_t count, struct sotto_bound *bounds, const struct sotto_rowset **rows)
{
	struct sotto_binder b = sotto_relation_binder(p, from);
	struct sotto_bound where = {.value = sotto_expression_word(p->arena, SOTTO_OP_TRUE)};
	struct sotto_rowset_select select = {0};

	SOTTO_TRY(check_private(p, s));
	SOTTO_TRY(sotto_condition_range_apply(&b, s->where, NULL));
	if (sotto_select_is_grouped(s))
		return sotto_by_unit_select(p, s, from, outputs, count, bounds, rows);
	SOTTO_TRY(note_conditions(p, s, &b, from));
	SOTTO_TRY(bind_list(p, s, from, outputs, count, bounds, &select));
	sotto_unit_row_number_apply(&b, s->where, from);
	if (s->where)
		SOTTO_TRY(sotto_bind_condition(&b, s->where, &where));
	select.where = where.value;
	SOTTO_NEED(select.where && sotto_rowset_from(p->arena, &select, from->tree));
	*rows = sotto_rowset_select(p->arena, &select, NULL);
	return *rows ? SOTTO_OK : SOTTO_ENOMEM;
}

/* FROM of a SELECT, with the conditions and WITH queries it sees. */
static enum sotto_status bind_from(struct sotto_planner *p, const struct sotto_ctes *ctes,
				   const struct sotto_sql_select *s,
				   struct sotto_relation *from)
{
	const struct sotto_sql_expr *where = p->where;
	const struct sotto_sql_from *whole = p->from;
	const struct sotto_ctes *outer = p->ctes;
	enum sotto_status st;

	p->where = s->where;
	p->from = s->from;
	p->ctes = ctes;
	st = sotto_relation_bind(p, ctes, s->from, from);
	p->where = where;
	p->from = whole;
	p->ctes = outer;
	return st;
}

/* The SELECTs over private groups that are not units: noise is added below them. */
static enum sotto_status bind_layers(struct sotto_planner *p, const struct sotto_sql_select *s,
				     const struct sotto_layers *l, struct sotto_relation *from,
				     struct sotto_sql_output **outputs, size_t *count,
				     struct sotto_bound **bounds,
				     const struct sotto_rowset **rows)
{
	*outputs = l->outputs;
	*count = l->output_count;
	*bounds = sotto_arena_alloc(p->arena, (*count + 1) * sizeof **bounds);
	SOTTO_NEED(*bounds);
	return sotto_finished_table_bind(p, s, l, from, *bounds, rows);
}

static enum sotto_status
bind_select(struct sotto_planner *p, const struct sotto_ctes *ctes,
	    const struct sotto_sql_select *s, struct sotto_relation *from,
	    struct sotto_sql_output **outputs, size_t *count, struct sotto_bound **bounds,
	    const struct sotto_rowset **rows)
{
	struct sotto_layers l;

	SOTTO_TRY(sotto_layers_peel(p, s, ctes, &l));
	if (sotto_select_is_grouped(l.select)) {
		SOTTO_TRY(bind_from(p, l.ctes, l.select, from));
		if (from->owner && !sotto_select_is_by_unit(p, l.select, from))
			return bind_layers(p, s, &l, from, outputs, count, bounds, rows);
	}
	if (l.flattened || !sotto_select_is_grouped(s))
		SOTTO_TRY(bind_from(p, ctes, s, from));
	SOTTO_TRY(sotto_outputs_expand(p, s, &from->scope, outputs, count));
	*bounds = sotto_arena_alloc(p->arena, (*count + 1) * sizeof **bounds);
	SOTTO_NEED(*bounds);
	return (from->owner ? private_select : sotto_public_select)(p, s, from, *outputs,
								    *count, *bounds, rows);
}

enum sotto_status sotto_arm_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
				 const struct sotto_sql_select *s, struct sotto_relation *from,
				 struct sotto_arm *out)
{
	const struct sotto_ctes *outer = p->ctes;
	enum sotto_status st;

	p->ctes = ctes;
	st = bind_select(p, ctes, s, from, &out->outputs, &out->count, &out->bounds,
			 &out->rows);
	p->ctes = outer;
	return st;
}

static enum sotto_status add_output(struct sotto_planner *p, struct sotto_relation *r,
				    const char *table, const char *name, const char *alias,
				    size_t i, const struct sotto_bound *from)
{
	struct sotto_scope_column *c = sotto_arena_alloc(p->arena, sizeof *c);

	SOTTO_NEED(c);
	*c = (struct sotto_scope_column){
		.table = table, .name = name, .place = i + 1, .alias = alias, .bound = *from};
	c->field = sotto_output_field(p, i);
	c->bound.value =
		sotto_expression_made(p->arena, alias, c->field, sotto_load_making(from, 0));
	SOTTO_NEED(c->bound.value);
	if (from->low) {
		c->bound.low = sotto_expression_column(p->arena, alias, sotto_low_field(p, i));
		c->bound.high =
			sotto_expression_column(p->arena, alias, sotto_high_field(p, i));
		SOTTO_NEED(c->bound.low && c->bound.high);
	}
	c->rows = r->rows;
	if (!r->rows) {
		c->inner = from;
		c->met = r->met;
	}
	if (!c->bound.domain && !r->rows)
		SOTTO_TRY(sotto_expression_domain(p->arena, from, NULL, &c->bound.domain));
	if (from->literal && c->bound.type == SOTTO_TYPE_LOOSE)
		c->bound.type = SOTTO_TYPE_TEXT;
	c->bound.whole = NULL;
	c->bound.sure = c->bound.possible = NULL;
	c->bound.literal = NULL;
	c->bound.number = NULL;
	c->bound.column_count = 0;
	SOTTO_NEED(sotto_scope_add(p->arena, &r->scope, c));
	return SOTTO_OK;
}

enum sotto_status sotto_subquery_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
				      const struct sotto_sql_select *s, const char *table,
				      const char *const *names, size_t name_count,
				      struct sotto_relation *out)
{
	struct sotto_relation from;
	struct sotto_arm arm;
	const char *alias;

	SOTTO_TRY(sotto_united_wrap(p, &s));
	if (sotto_select_is_windowed(p->policy, s))
		SOTTO_TRY(sotto_windowed_expand(p, s, &s));
	if (s->set_count)
		SOTTO_TRY(sotto_grouping_expand(p, ctes, s, &s));
	SOTTO_TRY(sotto_ctes_push(p, s, &ctes));
	if (s->unite && (s->order_count || s->limit >= 0 || s->offset > 0))
		SOTTO_TRY(sotto_united_around(p->arena, &s));
	SOTTO_TRY(sotto_arm_bind(p, ctes, s, &from, &arm));
	if (s->unite)
		SOTTO_TRY(sotto_united_bind(p, ctes, s, &from, &arm));
	alias = sotto_planner_alias(p);
	SOTTO_NEED(alias);
	*out = (struct sotto_relation){.owner = from.owner,
				       .fanout = from.fanout,
				       .unit_rows = from.unit_rows,
				       .unit_column = from.unit_column,
				       .met = s->unite ? NULL : from.met,
				       .alias = alias,
				       .finished = from.finished,
				       .picked = from.picked,
				       .selected = from.selected};
	out->tree = sotto_rowset_named(p->arena, arm.rows, alias);
	SOTTO_NEED(out->tree);
	if (!from.owner) {
		SOTTO_TRY(sotto_public_rows_new(p->arena, &out->rows));
		out->rows->tree = out->tree;
	}
	for (size_t i = 0; i < arm.count; i++)
		SOTTO_TRY(add_output(p, out, table,
				     i < name_count ? names[i]
						    : sotto_output_name(&arm.outputs[i]),
				     alias, i, &arm.bounds[i]));
	if (s->unite)
		sotto_unit_row_number_forget(out);
	if (from.unit)
		out->unit = sotto_expression_column(p->arena, alias, "u");
	return out->unit || !from.unit ? SOTTO_OK : SOTTO_ENOMEM;
}
