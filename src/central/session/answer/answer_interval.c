/*
 * Extremes over the box of a few measures, or the root of the sum of squares of single moves if
 * there are many; dates are computed as numbers and converted back.
 */
#include "central/session/answer/answer_interval.h"

#include <math.h>

#include "central/session/answer/answer_quotient.h"
#include "central/session/answer/noise_region.h"
#include "central/session/answer/answer_range.h"

/*
 * Few measures: each is moved to both ends of an interval that holds for all of
 * them together, and the extremes over all corners are taken (answer.md).
 */
static bool joint_interval(struct sotto_answer_work *w, const struct sotto_noise_region *region,
			   const struct sotto_sql_expr *e, double *low, double *high)
{
	struct sotto_noise_range r = sotto_noise_region_has_extremes_at_corners(region, w, e)
					     ? sotto_noise_region_survey(region, w, e)
					     : sotto_noise_range_of(region, w, e);

	*low = fmin(*low, r.low);
	*high = fmax(*high, r.high);
	return r.low <= r.high;
}

/* Many measures: moved one at a time, distances added as independent errors are. */
static void spread_interval(struct sotto_answer_work *w,
			    const struct sotto_noise_region *region,
			    const struct sotto_sql_expr *e, double *low, double *high)
{
	double value = *low, below = 0, above = 0, shifts[SOTTO_NOISE_POINTS];

	for (size_t i = 0; i < sotto_cell_movable(w->plan); i++) {
		double least = 0, most = 0;
		size_t count;

		if (!sotto_output_reads(w->plan, e, i))
			continue;
		count = sotto_noise_region_points(region, w, i, shifts);
		for (size_t k = 0; k < count; k++) {
			double x;

			w->shift[i] = shifts[k];
			x = sotto_noise_region_value(w, region->row, e) - value;
			least = fmin(least, x);
			most = fmax(most, x);
		}
		w->shift[i] = 0;
		above += most * most;
		below += least * least;
	}
	*low = value - sqrt(below);
	*high = value + sqrt(above);
}

void sotto_interval_of_number(struct sotto_answer_work *w, size_t row,
			      const struct sotto_sql_expr *e, double value,
			      struct sotto_value *low, struct sotto_value *high)
{
	double lo = value, hi = value;
	struct sotto_noise_region region;

	sotto_noise_region_find(&region, w, row, e);
	if (region.count == 0) /* MODE has nothing to be moved */
		return;
	if (sotto_quotient_interval(w, &region, e, &lo, &hi)) {
		lo = fmin(lo, value);
		hi = fmax(hi, value);
	} else if (region.count <= SOTTO_JOINT_MAX) {
		if (!joint_interval(w, &region, e, &lo, &hi))
			return;
	} else {
		if (!sotto_noise_region_has_extremes_at_corners(&region, w, e))
			return;
		spread_interval(w, &region, e, &lo, &hi);
	}
	*low = sotto_value_of_number(lo);
	*high = sotto_value_of_number(hi);
	sotto_cell_drop_dust(low);
	sotto_cell_drop_dust(high);
}

void sotto_interval_of_moment(struct sotto_answer_work *w, size_t row,
			      const struct sotto_sql_expr *e, struct sotto_value *low,
			      struct sotto_value *high)
{
	struct sotto_sql_expr number = *e;
	const struct sotto_value *x = &w->aggregates[e->index];
	struct sotto_value ends[2] = {{.kind = SOTTO_VALUE_NULL}, {.kind = SOTTO_VALUE_NULL}};

	number.type = SOTTO_TYPE_NUMBER;
	sotto_interval_of_number(w, row, &number, x->number, &ends[0], &ends[1]);
	if (ends[0].kind == SOTTO_VALUE_NULL)
		return;
	*low = sotto_value_of_moment(&w->owned->arena, ends[0].number, e->type);
	*high = sotto_value_of_moment(&w->owned->arena, ceil(ends[1].number), e->type);
}
