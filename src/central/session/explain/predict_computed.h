/*
 * predict_computed.h - how wrong what is computed from noisy numbers will be: ratios, differences
 */
#ifndef SOTTO_PREDICT_COMPUTED_H
#define SOTTO_PREDICT_COMPUTED_H

#include "central/plan/plan.h"

/*
 * The 95 % error of the output e for a group of plan->typical_group units with one row each, whose
 * values lie half-way between the middle of their bounds and the upper one; half of the rows meet
 * each FILTER.  NaN if it cannot be told: e reads keys or what is chosen, or has no value there.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_predict_computed(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
		       struct sotto_arena *arena, double *error);

/* Does e read something that has a FILTER? */
bool sotto_predict_is_filtered(const struct sotto_plan *plan, const struct sotto_sql_expr *e);

#endif
