/*
 * The outermost SELECT: keys, aggregates, outputs, and what is done with the
 * noisy result.
 */
#include "central/plan/name_hint.h"
#include "central/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "central/plan/aggregate/aggregate.h"
#include "central/plan/aggregate/measure/measure_add.h"
#include "central/plan/aggregate/output_expression.h"
#include "central/plan/aggregate/measure/pick_add.h"
#include "central/plan/aggregate/plan_shape.h"
#include "central/plan/aggregate/group/top_groups.h"
#include "central/plan/emit/engine_query.h"
#include "central/plan/expression/bind.h"
#include "central/plan/expression/domain/met_condition.h"
#include "central/plan/expression/output_alias.h"
#include "central/plan/expression/range/range_narrow.h"
#include "central/plan/relation/free_guard.h"
#include "central/plan/relation/finished/grouping_sets.h"
#include "central/plan/relation/join_fanout.h"
#include "central/plan/relation/public_select.h"
#include "central/plan/relation/finished/query_layers.h"
#include "central/plan/relation/relation.h"
#include "central/plan/relation/finished/united_select.h"
#include "central/plan/relation/finished/windowed_select.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

/* ---- joins anywhere ------------------------------------------------------------------ */

static bool select_has_join(const struct sotto_sql_select *s);

static bool from_has_join(const struct sotto_sql_from *f)
{
	return f && (f->kind == SOTTO_SQL_JOIN ||
		     (f->kind == SOTTO_SQL_SUBQUERY && select_has_join(f->select)));
}

static bool select_has_join(const struct sotto_sql_select *s)
{
	if (from_has_join(s->from) || s->unite)
		return true;
	for (size_t i = 0; i < s->cte_count; i++)
		if (select_has_join(s->ctes[i].select))
			return true;
	return false;
}

/* ---- outputs ------------------------------------------------------------------------------ */

/* Calls of aggregates, each once. */
struct calls {
	const struct sotto_sql_expr **list;
	size_t count;
};

static enum sotto_status
find_calls(struct sotto_plan_shape *s, const struct sotto_sql_expr *e, struct calls *out)
{
	const struct sotto_sql_expr **slot;

	if (!e)
		return SOTTO_OK;
	if (e->kind != SOTTO_SQL_CALL || e->over || !sotto_aggregate_find(e->text)) {
		for (size_t i = 0; i < e->count; i++)
			SOTTO_TRY(find_calls(s, e->args[i], out));
		return SOTTO_OK;
	}
	slot = SOTTO_PUSH(&s->plan->arena, out->list, out->count);
	SOTTO_NEED(slot);
	*slot = e;
	return SOTTO_OK;
}

/* Those whose measures others can share go first. */
static int compare_calls(const void *x, const void *y)
{
	const struct sotto_sql_expr *a = *(const struct sotto_sql_expr *const *)x,
				    *b = *(const struct sotto_sql_expr *const *)y;
	bool first = sotto_aggregate_find(a->text)->plan_first,
	     second = sotto_aggregate_find(b->text)->plan_first;

	return first != second ? second - first : sotto_sql_expr_compare(a, b);
}

/* Whether one aggregate is all that is asked for, in HAVING and ORDER BY too. */
static enum sotto_status find_single(struct sotto_plan_shape *s, const struct calls *shown)
{
	struct calls calls = {0};

	for (size_t i = 0; i < shown->count; i++)
		SOTTO_TRY(find_calls(s, shown->list[i], &calls));
	SOTTO_TRY(find_calls(s, s->layers.having, &calls));
	for (size_t i = 0; i < s->layers.order_count; i++)
		SOTTO_TRY(find_calls(s, s->layers.orders[i].expr, &calls));
	s->plan->is_single = true;
	for (size_t i = 1; i < calls.count; i++)
		if (sotto_sql_expr_compare(calls.list[0], calls.list[i]) != 0)
			s->plan->is_single = false;
	return SOTTO_OK;
}

/*
 * Measures come in an order of their own, wherever the aggregates stand in the list of
 * outputs: outputs in another order are the same question.
 */
static enum sotto_status add_aggregates(struct sotto_plan_shape *s)
{
	struct calls calls = {0};
	size_t index;

	for (size_t i = 0; i < s->output_count; i++)
		SOTTO_TRY(find_calls(s, s->outputs[i].expr, &calls));
	if (calls.count)
		qsort(calls.list, calls.count, sizeof(struct sotto_sql_expr *), compare_calls);
	SOTTO_TRY(find_single(s, &calls));
	for (size_t i = 0; i < calls.count; i++)
		if (!sotto_aggregate_find(calls.list[i]->text)->expand)
			SOTTO_TRY(sotto_aggregate_add(s->plan, &s->binder, calls.list[i],
						      &index));
	return SOTTO_OK;
}

static enum sotto_status add_outputs(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;

	SOTTO_TRY(add_aggregates(s));
	for (size_t i = 0; i < s->output_count; i++) {
		struct sotto_plan_output o = {0}, *slot;

		SOTTO_TRY(sotto_output_rewrite(plan, &s->binder, s->outputs[i].expr, &o.expr));
		o.name = sotto_arena_text(&plan->arena, sotto_output_name(&s->outputs[i]));
		o.type = sotto_output_type(plan, o.expr);
		o.noisy = sotto_output_is_noisy(o.expr);
		slot = SOTTO_PUSH(&plan->arena, plan->outputs, plan->output_count);
		SOTTO_NEED(slot && o.name);
		*slot = o;
	}
	return SOTTO_OK;
}

/* ORDER BY looks at the names of outputs first, then at columns. */
static const struct sotto_sql_expr *
order_target(struct sotto_plan_shape *s, const struct sotto_sql_expr *e)
{
	size_t n = e->kind == SOTTO_SQL_NUMBER ? strtoul(e->text, NULL, 10) : 0;

	if (n >= 1 && n <= s->output_count)
		return s->outputs[n - 1].expr;
	if (e->kind == SOTTO_SQL_COLUMN && !e->qualifier)
		for (size_t i = 0; i < s->output_count; i++)
			if (strcmp(sotto_output_name(&s->outputs[i]), e->text) == 0)
				return s->outputs[i].expr;
	return s->layers.flattened ? e : sotto_shape_by_output(s, e);
}

static enum sotto_status add_having(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_sql_expr *having;

	SOTTO_TRY(sotto_aliases_expand(&s->binder, s->inner, s->inner_count, s->layers.having,
				       &having));
	if (having)
		SOTTO_TRY(sotto_output_rewrite(plan, &s->binder, having, &plan->having));
	if (plan->having && !sotto_output_is_condition(plan, plan->having))
		return sotto_output_refuse_condition(&s->binder, s->layers.having);
	return SOTTO_OK;
}

static enum sotto_status
add_order(struct sotto_plan_shape *s, const struct sotto_sql_order *from)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_plan_order o = {.descending = from->descending,
				     .nulls_first = from->nulls_first},
				*slot;
	struct sotto_sql_expr *e;

	SOTTO_TRY(sotto_aliases_expand(&s->binder, s->outputs, s->output_count,
				       order_target(s, from->expr), &e));
	SOTTO_TRY(sotto_output_rewrite(plan, &s->binder, e, &o.expr));
	slot = SOTTO_PUSH(&plan->arena, plan->orders, plan->order_count);
	SOTTO_NEED(slot);
	*slot = o;
	return SOTTO_OK;
}

static enum sotto_status add_result_clauses(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;

	SOTTO_TRY(add_having(s));
	for (size_t i = 0; i < s->layers.order_count; i++)
		SOTTO_TRY(add_order(s, &s->layers.orders[i]));
	plan->limit = s->layers.limit;
	plan->offset = s->layers.offset;
	plan->distinct = s->layers.distinct;
	return SOTTO_OK;
}

/* Private keys are shown by a noisy count of units. */
static enum sotto_status add_threshold(struct sotto_plan *plan)
{
	struct sotto_rational *step;

	plan->threshold.measure = SIZE_MAX;
	if (plan->public_keys)
		return SOTTO_OK;
	step = sotto_arena_rational(&plan->arena);
	SOTTO_NEED(step);
	mpq_set_ui(step->q, 1, 1);
	return sotto_measure_add(plan,
				 &(struct sotto_measure){.kind = plan->units
									 ? SOTTO_MEASURE_UNITS
									 : SOTTO_MEASURE_ROWS,
							 .column = SIZE_MAX,
							 .step = step,
							 .label = "units"},
				 &plan->threshold.measure);
}

/* Nanoseconds for a row that only has to be counted and put into its group. */
static double row_work(const struct sotto_plan *plan)
{
	return 30 + 10 * (double)(plan->key_count + plan->column_count + plan->measure_count +
				  10 * plan->pick_count);
}

static void shape_loss(struct sotto_plan *plan)
{
	sotto_loss_shape(&plan->loss,
			 &(struct sotto_loss_limits){.units = plan->units,
						     .rows = sotto_plan_limits_rows(plan),
						     .groups = sotto_plan_limits_groups(plan),
						     .values = sotto_plan_limits_values(plan),
						     .reads_rows = plan->reads_rows,
						     .max_rows = plan->max_rows,
						     .max_groups = plan->groups});
	if (sotto_plan_is_free(plan)) {
		plan->loss.count = 0;
		plan->spread.is_pending = false;
	}
}

/*
 * Conditions over public keys leave none: the answer is empty, whatever the rows are.  A
 * count of what is in tables is not relied on: they may have changed when it runs.
 */
static void drop_what_cannot_be_shown(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;

	if (!plan->public_keys || s->group_count != 0 || sotto_shape_is_counted(plan))
		return;
	plan->is_empty = true;
	plan->measure_count = plan->pick_count = plan->outcome_count = 0;
	for (size_t i = 0; i < plan->output_count; i++)
		plan->outputs[i].noisy = false;
}

static enum sotto_status shape_private(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_bound where = {0};

	plan->owner = s->from.owner;
	plan->units = s->from.unit != NULL;
	SOTTO_TRY(sotto_narrow(&s->binder, s->select->where, NULL));
	SOTTO_TRY(sotto_conditions_add(&s->binder, s->select->where, &s->met));
	SOTTO_TRY(sotto_conditions_of_joins(&s->binder, s->select->from, &s->met));
	SOTTO_TRY(sotto_shape_keys(s));
	if (s->select->where)
		SOTTO_TRY(sotto_bind_condition(&s->binder, s->select->where, &where));
	SOTTO_TRY(add_outputs(s));
	SOTTO_TRY(add_result_clauses(s));
	SOTTO_TRY(add_threshold(plan));
	sotto_picks_place(plan);
	SOTTO_TRY(sotto_shape_check_size(s));
	drop_what_cannot_be_shown(s);
	SOTTO_TRY(sotto_top_recognise(plan));
	SOTTO_TRY(sotto_fanout_finish(&s->planner, &s->from, row_work(plan)));
	plan->work = s->planner.work + row_work(plan) + s->planner.work_once;
	shape_loss(plan);
	return sotto_plan_compose(plan, &s->from, where.value, s->planner.salt);
}

/* ---- public tables only ---------------------------------------------------------------------- */

bool sotto_output_has_interval(const struct sotto_plan_output *o)
{
	return o->noisy && (o->type == SOTTO_TYPE_INTEGER || o->type == SOTTO_TYPE_NUMBER);
}

/* After the outputs, the ends of their intervals: low and high of each that has one. */
static enum sotto_status add_ends(struct sotto_plan_shape *s, const struct sotto_bound *bounds,
				  struct sotto_rowset_select *select)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_arena *a = &plan->arena;

	for (size_t i = 0; i < plan->output_count; i++) {
		const char *const fields[] = {sotto_low_field(&s->planner, i),
					      sotto_high_field(&s->planner, i)};

		plan->outputs[i].has_ends =
			bounds[i].low && sotto_output_has_interval(&plan->outputs[i]);
		for (int end = 0; plan->outputs[i].has_ends && end < 2; end++)
			SOTTO_NEED(sotto_rowset_output(
				a, select,
				sotto_expression_cast(
					a, SOTTO_OP_TRY_CAST,
					sotto_expression_column(a, NULL, fields[end]),
					SOTTO_TYPE_NUMBER),
				NULL));
	}
	return SOTTO_OK;
}

static enum sotto_status shape_public(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_bound *bounds =
		sotto_arena_alloc(&plan->arena, (s->output_count + 1) * sizeof *bounds);
	struct sotto_rowset_select select = {0};
	const struct sotto_rowset *rows;

	SOTTO_NEED(bounds);
	SOTTO_TRY(sotto_public_select(&s->planner, s->select, &s->from, s->outputs,
				      s->output_count, bounds, &rows));
	for (size_t i = 0; i < s->output_count; i++) {
		struct sotto_plan_output *o =
			SOTTO_PUSH(&plan->arena, plan->outputs, plan->output_count);
		enum sotto_sql_type t = bounds[i].type;

		SOTTO_NEED(o);
		o->name = sotto_arena_text(&plan->arena, sotto_output_name(&s->outputs[i]));
		o->type = t == SOTTO_TYPE_LOOSE ? SOTTO_TYPE_TEXT : t;
		o->noisy = bounds[i].noisy ||
			   (s->from.finished && sotto_expr_has_aggregate(s->outputs[i].expr));
		SOTTO_NEED(
			o->name &&
			sotto_rowset_output(&plan->arena, &select,
					    sotto_expression_cast(
						    &plan->arena, SOTTO_OP_TRY_CAST,
						    sotto_expression_column(
							    &plan->arena, NULL,
							    sotto_output_field(&s->planner, i)),
						    sotto_plan_shown_type(t)),
					    NULL));
	}
	SOTTO_NEED(sotto_rowset_from(&plan->arena, &select,
				     sotto_rowset_named(&plan->arena, rows, "x")));
	SOTTO_TRY(add_ends(s, bounds, &select));
	plan->priced = true;
	return sotto_plan_compose_public(plan,
					 sotto_rowset_select(&plan->arena, &select, NULL));
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* What layers make of groups is over outputs that are written out already. */
static enum sotto_status set_outputs(struct sotto_plan_shape *s)
{
	SOTTO_TRY(sotto_outputs_expand(&s->planner, s->select, &s->from.scope, &s->inner,
				       &s->inner_count));
	s->outputs = s->layers.flattened ? s->layers.outputs : s->inner;
	s->output_count = s->layers.flattened ? s->layers.output_count : s->inner_count;
	return SOTTO_OK;
}

static enum sotto_status bind_from(struct sotto_plan_shape *s)
{
	s->planner.where = s->layers.select->where;
	s->planner.ctes = s->layers.ctes;
	return sotto_relation_bind(&s->planner, s->layers.ctes, s->layers.select->from,
				   &s->from);
}

static enum sotto_status shape_bound(struct sotto_plan_shape *s)
{
	s->select = s->layers.select;
	SOTTO_TRY(set_outputs(s));
	s->binder = sotto_relation_binder(&s->planner, &s->from);
	SOTTO_TRY(s->from.owner ? shape_private(s) : shape_public(s));
	s->plan->parts = s->planner.parts;
	/* Public keys are shown whichever rows there are: nothing is compared with the parts. */
	s->plan->part_count =
		s->plan->owner && sotto_plan_is_free(s->plan) ? 0 : s->planner.part_count;
	s->plan->checks = s->planner.checks;
	s->plan->check_count = s->planner.check_count;
	return SOTTO_OK;
}

static enum sotto_status shape_select(struct sotto_plan_shape *s,
				      const struct sotto_sql_select *select,
				      const struct sotto_ctes *ctes)
{
	if (sotto_select_is_windowed(select))
		SOTTO_TRY(sotto_windowed_expand(&s->planner, select, &select));
	if (select->set_count)
		SOTTO_TRY(sotto_grouping_expand(&s->planner, ctes, select, &select));
	if (select->unite)
		SOTTO_TRY(sotto_united_around(s->planner.arena, &select));
	SOTTO_TRY(sotto_ctes_push(&s->planner, select, &ctes));
	SOTTO_TRY(sotto_layers_peel(&s->planner, select, ctes, &s->layers));
	SOTTO_TRY(bind_from(s));
	if (s->layers.flattened && !s->from.owner) {
		s->layers = (struct sotto_layers){.select = select, .ctes = ctes};
		SOTTO_TRY(bind_from(s));
	}
	return shape_bound(s);
}

static enum sotto_status init_plan(struct sotto_plan *plan)
{
	*plan = (struct sotto_plan){
		.limit = -1, .threshold = {.measure = SIZE_MAX}, .typical_group = 100};
	sotto_arena_init(&plan->arena, (size_t)256 << 20);
	sotto_cost_init(&plan->cost);
	sotto_cost_init(&plan->own_cost);
	sotto_cost_init(&plan->most_cost);
	sotto_cost_init(&plan->spread_cost);
	plan->epsilon = sotto_arena_rational(&plan->arena);
	plan->delta = sotto_arena_rational(&plan->arena);
	return plan->epsilon && plan->delta ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status make(struct sotto_plan *plan, const struct sotto_plan_request *request,
			      const struct sotto_sql_query *query, struct sotto_error *err)
{
	struct sotto_plan_shape s = {.plan = plan};

	s.planner = (struct sotto_planner){.arena = &plan->arena,
					   .text = query->text,
					   .err = err,
					   .policy = request->policy,
					   .schema = request->schema,
					   .schema_context = request->schema_context,
					   .count = request->count,
					   .count_context = request->count_context,
					   .salt = request->salt,
					   .takes_values = true,
					   .limits = request->limits,
					   .finds_limits = request->finds_limits,
					   .row_ids = select_has_join(query->select)};
	return shape_select(&s, query->select, NULL);
}

/* The plan points into the parsed query, which therefore lives in the plan's arena. */
static void release_query(void *query)
{
	sotto_sql_query_release(query);
}

enum sotto_status sotto_plan_make(struct sotto_plan *plan,
				  const struct sotto_plan_request *request, const char *sql,
				  struct sotto_error *err)
{
	struct sotto_sql_query *query;
	enum sotto_status st = init_plan(plan);

	query = st == SOTTO_OK ? sotto_arena_alloc(&plan->arena, sizeof *query) : NULL;
	st = query ? sotto_sql_query_bind(query, sql, request->parameters,
					  request->parameter_count, err)
		   : SOTTO_ENOMEM;
	if (st == SOTTO_EPARSE)
		sotto_name_hint(request, sql, err);
	if (st == SOTTO_OK && !sotto_arena_defer(&plan->arena, release_query, query)) {
		sotto_sql_query_release(query);
		st = SOTTO_ENOMEM;
	}
	if (st == SOTTO_OK)
		st = make(plan, request, query, err);
	if (st == SOTTO_OK)
		st = sotto_plan_guard(plan, err);
	if (st == SOTTO_ENOMEM)
		st = sotto_fail(err, st, "the query is too large to plan, or memory ran out");
	if (st != SOTTO_OK)
		sotto_plan_release(plan);
	return st;
}

static void release_part(void *part)
{
	sotto_plan_release(part);
}

enum sotto_status sotto_plan_finish(struct sotto_planner *p, const struct sotto_layers *layers,
				    const struct sotto_relation *from, struct sotto_plan **out)
{
	struct sotto_plan *part = sotto_arena_alloc(p->arena, sizeof *part);
	struct sotto_plan_shape s = {
		.plan = part, .planner = *p, .layers = *layers, .from = *from};
	enum sotto_status st = part ? init_plan(part) : SOTTO_ENOMEM;

	SOTTO_TRY(st);
	if (!sotto_arena_defer(p->arena, release_part, part)) {
		sotto_plan_release(part);
		return SOTTO_ENOMEM;
	}
	s.planner.arena = &part->arena;
	s.planner.ctes = layers->ctes;
	s.planner.where = layers->select->where;
	s.planner.work = from->work;
	s.planner.checks = NULL;
	s.planner.check_count = 0;
	s.planner.parts = NULL;
	s.planner.part_count = 0;
	s.planner.part_selects = NULL;
	s.planner.takes_values = false;
	*out = part;
	return shape_bound(&s);
}

bool sotto_plan_limits_rows(const struct sotto_plan *plan)
{
	return plan->owner && plan->units && plan->reads_rows && !plan->few_rows &&
	       !plan->one_row;
}

bool sotto_plan_limits_groups(const struct sotto_plan *plan)
{
	return plan->owner && plan->window && !plan->one_row;
}

bool sotto_plan_limits_values(const struct sotto_plan *plan)
{
	for (size_t i = 0; plan->owner && i < plan->column_count; i++)
		if (plan->columns[i].can_clip)
			return true;
	return false;
}

bool sotto_plan_is_pending(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (sotto_plan_is_pending(plan->parts[i]))
			return true;
	return plan->spread.is_pending;
}

const char *sotto_plan_sql(const struct sotto_plan *plan)
{
	return sotto_loss_is_run(&plan->loss) ? plan->loss.engine_sql : plan->engine_sql;
}

const char *sotto_plan_partial_sql(const struct sotto_plan *plan)
{
	const char *sql =
		sotto_loss_is_run(&plan->loss) ? plan->loss.partial_sql : plan->partial_sql;

	return sql ? sql : sotto_plan_sql(plan);
}

bool sotto_plan_names(const struct sotto_plan *plan, const char *scan)
{
	for (size_t i = 0; i < plan->scan_count; i++)
		if (strcmp(plan->scans[i], scan) == 0)
			return true;
	return false;
}

bool sotto_plan_is_free(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (!sotto_plan_is_free(plan->parts[i]))
			return false;
	return !plan->owner || plan->measure_count + plan->pick_count == 0;
}

bool sotto_plan_needs_delta(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (sotto_plan_needs_delta(plan->parts[i]))
			return true;
	return plan->owner && !plan->public_keys;
}

void sotto_plan_release(struct sotto_plan *plan)
{
	sotto_cost_release(&plan->cost);
	sotto_cost_release(&plan->own_cost);
	sotto_cost_release(&plan->most_cost);
	sotto_cost_release(&plan->spread_cost);
	sotto_arena_release(&plan->arena);
}
