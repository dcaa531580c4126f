/*
 * A SELECT over public tables and finished queries alone: it is free.
 */

#include "central/aggregate/plan_shape.h"
#include "central/emit/engine_query.h"
#include "central/plan/plan.h"
#include "central/plan/plan_inside.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/picked_count.h"
#include "central/relation/public_select.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

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

enum sotto_status sotto_shape_public(struct sotto_plan_shape *s)
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
			   (s->from.finished && sotto_expr_has_aggregate(s->outputs[i].expr) &&
			    !sotto_picked_is_count(s->outputs[i].expr));
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
	plan->over_groups = s->from.finished && sotto_select_is_grouped(s->select);
	return sotto_plan_compose_public(plan,
					 sotto_rowset_select(&plan->arena, &select, NULL));
}
