/*
 * A SELECT over private tables: its aggregates, outputs and thresholds, and what is done with the
 * noisy result.
 */
#include <stdlib.h>
#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/aggregate/group/top_groups.h"
#include "central/aggregate/measure/measure_add.h"
#include "central/aggregate/measure/choice_add.h"
#include "central/aggregate/output_expression.h"
#include "central/aggregate/plan_shape.h"
#include "central/emit/engine_query.h"
#include "central/expression/bind.h"
#include "central/expression/domain/met_condition.h"
#include "central/expression/output_alias.h"
#include "central/expression/range/condition_range.h"
#include "central/plan/plan.h"
#include "central/plan/plan_inside.h"
#include "central/relation/join_fanout.h"
#include "central/relation/relation.h"
#include "central/relation/unit_row_number.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

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
		if (!sotto_aggregate_find(calls.list[i]->text)->expand &&
		    !sotto_output_is_key(s->plan, &s->binder, calls.list[i]))
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

/* Nanoseconds of each private row, however many it becomes: scans, and joins that find its unit. */
enum { REACHED = 70 };

/* Nanoseconds for a row that only has to be counted and put into its group. */
static double row_work(const struct sotto_plan *plan)
{
	return 30 + 10 * (double)(plan->key_count + plan->column_count + plan->measure_count +
				  10 * plan->choice_count);
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
	plan->measure_count = plan->choice_count = plan->outcome_count = 0;
	for (size_t i = 0; i < plan->output_count; i++)
		plan->outputs[i].noisy = false;
}

static enum sotto_status
compose(struct sotto_plan_shape *s, const struct sotto_expression *where)
{
	enum sotto_status st = sotto_plan_compose(s->plan, &s->from, where, s->planner.salt);

	return st == SOTTO_EREFUSED
		       ? sotto_sql_fail(s->planner.err, st, s->planner.text,
					s->select->from->at,
					"ON calls a function of two tables, beside a private "
					"table that it does not read; join the two in a "
					"subquery that has the function's value as a column")
		       : st;
}

enum sotto_status sotto_shape_private(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_bound where = {0};

	plan->owner = s->from.owner;
	plan->units = s->from.unit != NULL;
	SOTTO_TRY(sotto_condition_range_apply(&s->binder, s->select->where, NULL));
	SOTTO_TRY(sotto_conditions_add(&s->binder, s->select->where, &s->met));
	SOTTO_TRY(sotto_conditions_of_joins(&s->binder, s->select->from, &s->met));
	sotto_unit_row_number_apply(&s->binder, s->select->where, &s->from);
	SOTTO_TRY(sotto_shape_keys(s));
	if (s->select->where)
		SOTTO_TRY(sotto_bind_condition(&s->binder, s->select->where, &where));
	SOTTO_TRY(add_outputs(s));
	SOTTO_TRY(add_result_clauses(s));
	SOTTO_TRY(add_threshold(plan));
	sotto_choices_arrange(plan);
	SOTTO_TRY(sotto_shape_check_size(s));
	SOTTO_TRY(sotto_shape_check_texts(s));
	drop_what_cannot_be_shown(s);
	SOTTO_TRY(sotto_top_groups_recognise(plan));
	s->planner.work_once += REACHED;
	SOTTO_TRY(sotto_fanout_finish(&s->planner, &s->from, row_work(plan)));
	plan->work = s->planner.work + row_work(plan) + s->planner.work_once;
	shape_loss(plan);
	return compose(s, where.value);
}
