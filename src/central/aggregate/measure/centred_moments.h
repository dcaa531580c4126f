/*
 * centred_moments.h - what averages and variances are read off: a count, and sums counted from
 * a centre
 */
#ifndef SOTTO_CENTRED_MOMENTS_H
#define SOTTO_CENTRED_MOMENTS_H

#include "central/aggregate/measure/summand.h"

/* Binds the one argument of an aggregate of moments, and says what it will be. */
SOTTO_MUST_CHECK enum sotto_status
sotto_moments_bind(struct sotto_plan *plan, struct sotto_binder *b,
		   const struct sotto_sql_expr *call, struct sotto_aggregate *a,
		   struct sotto_summand *s);

/* Adds the count of the values and their sum; *centre is in steps. */
SOTTO_MUST_CHECK enum sotto_status
sotto_moments_count_and_sum(struct sotto_plan *plan, struct sotto_binder *b,
			    const struct sotto_sql_expr *call, const struct sotto_summand *s,
			    struct sotto_moments *m, int64_t *centre);

#endif
