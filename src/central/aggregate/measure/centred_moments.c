/*
 * Adds the measurements of a count and of a sum around a centre: that of a sum of the same
 * column if there is one, which is then shared, else the middle of the bounds.
 */
#include "central/aggregate/measure/centred_moments.h"

#include "core/base/failure.h"

enum sotto_status sotto_moments_bind(struct sotto_plan *plan, struct sotto_binder *b,
				     const struct sotto_sql_expr *call,
				     struct sotto_aggregate *a, struct sotto_summand *s)
{
	a->form = SOTTO_FORM_MOMENTS;
	a->type = SOTTO_TYPE_NUMBER;
	SOTTO_TRY(sotto_summand_bind_only(plan, b, call, s));
	a->range = s->x.range;
	a->moments.squares = SIZE_MAX;
	return SOTTO_OK;
}

enum sotto_status sotto_moments_count_and_sum(struct sotto_plan *plan, struct sotto_binder *b,
					      const struct sotto_sql_expr *call,
					      const struct sotto_summand *s,
					      struct sotto_moments *m, int64_t *centre)
{
	*centre = sotto_summand_centre(plan, s);
	SOTTO_TRY(sotto_centre_value(plan, s, *centre, &m->centre));
	SOTTO_TRY(sotto_count_summands(plan, b, call, s, &m->count));
	return sotto_sum_measure(plan, s, *centre, &m->sum);
}
