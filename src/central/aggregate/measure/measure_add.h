/*
 * measure_add.h - measures of a plan, and the grids their values lie on
 */
#ifndef SOTTO_MEASURE_ADD_H
#define SOTTO_MEASURE_ADD_H

#include "central/plan/plan.h"

/* A row's value stays below 2^this many steps, so that its square fits an int64. */
enum { SOTTO_STEPS_BITS = 31 };

/* A measure, shared with an equal one that is there already. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add(struct sotto_plan *plan, const struct sotto_measure *m, size_t *index);
SOTTO_MUST_CHECK enum sotto_status sotto_row_column_add(struct sotto_plan *plan,
							const struct sotto_expression *value,
							size_t *index);

/* What 95 % of its noises are within, as a value; the plan is priced. */
double sotto_measure_error(const struct sotto_measure *m);

/* The declared step; 1 for whole numbers; else chosen from the range, which is closed. */
void sotto_step_choose(const struct sotto_bound *x, struct sotto_rational *step);

/* The nearest whole number of steps; false if it is beyond 2^SOTTO_STEPS_BITS. */
bool sotto_step_count(const struct sotto_rational *x, const struct sotto_rational *step,
		      int64_t *out);

#endif
