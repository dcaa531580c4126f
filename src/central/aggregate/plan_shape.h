/*
 * plan_shape.h - a SELECT while it is being planned
 */
#ifndef SOTTO_PLAN_SHAPE_H
#define SOTTO_PLAN_SHAPE_H

#include "central/aggregate/plan_shape.h"
#include "central/expression/binder.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/relation.h"

struct sotto_plan_shape {
	struct sotto_planner planner;
	struct sotto_plan *plan;
	const struct sotto_sql_select *select; /* that groups */
	struct sotto_layers layers;
	struct sotto_relation from;
	struct sotto_binder binder;
	struct sotto_sql_output *inner; /* of select: what GROUP BY may name */
	size_t inner_count;
	struct sotto_sql_output *outputs; /* of the whole */
	size_t output_count;
	struct sotto_conditions met; /* by every row */
	int64_t group_count; /* of public keys; -1: that depends on public tables */
};

/* GROUP BY 2 and GROUP BY alias mean an output; a column of the table goes before an alias. */
const struct sotto_sql_expr *
sotto_shape_by_output(struct sotto_plan_shape *s, const struct sotto_sql_expr *e);

/* The keys, whether they are public, and how many groups a unit reaches. */
SOTTO_MUST_CHECK enum sotto_status sotto_shape_keys(struct sotto_plan_shape *s);

/* Whether the number of groups was counted in public tables. */
bool sotto_shape_is_counted(const struct sotto_plan *plan);

/* Once outputs are known: groups times values of each stay within limits. */
SOTTO_MUST_CHECK enum sotto_status sotto_shape_check_size(struct sotto_plan_shape *s);

/* And the texts of an answer with public keys; what is longer could be charged and never sent. */
SOTTO_MUST_CHECK enum sotto_status sotto_shape_check_texts(struct sotto_plan_shape *s);

#endif
