/*
 * aggregate_measure.h - measures of a plan, and the grids their values lie on
 */
#ifndef SOTTO_AGGREGATE_MEASURE_H
#define SOTTO_AGGREGATE_MEASURE_H

#include "central/plan/plan.h"

/* A row's value stays below 2^this many steps, so that its square fits an int64. */
enum { SOTTO_STEPS_BITS = 31 };

/* A measure, shared with an equal one that is there already. */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_add(struct sotto_plan *plan, const struct sotto_measure *m, size_t *index);
SOTTO_MUST_CHECK enum sotto_status sotto_row_column_add(struct sotto_plan *plan,
							const struct sotto_expression *value,
							size_t *index);

/* The declared step; 1 for whole numbers; else chosen from the range, which is closed. */
void sotto_step_choose(const struct sotto_bound *x, struct sotto_rational *step);

/* The nearest whole number of steps; false if it is beyond 2^SOTTO_STEPS_BITS. */
bool sotto_step_count(const struct sotto_rational *x, const struct sotto_rational *step,
		      int64_t *out);

/* A value of one row on a grid: what sums and quantiles of one expression share. */
struct sotto_summand {
	struct sotto_bound x;
	struct sotto_rational *step;
	int64_t lo, hi; /* in steps */
	size_t column;
	bool distinct; /* each value once */
};

/*
 * Binds an argument of the aggregate `call`, whose FILTER applies.  Fails:
 * SOTTO_EREFUSED if it is no number, has no bounds or too many steps.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_summand_bind(struct sotto_plan *plan, struct sotto_binder *b,
		   const struct sotto_sql_expr *call, const struct sotto_sql_expr *arg,
		   struct sotto_summand *s);

/* A value that is NULL exactly where the row does not count. */
SOTTO_MUST_CHECK enum sotto_status
sotto_presence_bind(struct sotto_binder *b, const struct sotto_sql_expr *call,
		    const struct sotto_expression *value, const struct sotto_expression **out);

#endif
