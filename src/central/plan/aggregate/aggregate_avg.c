/*
 * AVG: a sum counted from the middle of the bounds, over a count.
 */
#include <math.h>

#include "central/plan/aggregate/summand.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

static enum sotto_status plan_average(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *call,
				      struct sotto_aggregate *a)
{
	struct sotto_moments *m = &a->moments;
	struct sotto_summand s = {0};
	int64_t centre;

	a->form = SOTTO_FORM_MOMENTS;
	a->type = SOTTO_TYPE_NUMBER;
	SOTTO_TRY(sotto_summand_bind_only(plan, b, call, &s));
	a->range = s.x.range;
	centre = sotto_summand_centre(plan, &s);
	m->squares = SIZE_MAX;
	SOTTO_TRY(sotto_centre_value(plan, &s, centre, &m->centre));
	SOTTO_TRY(sotto_count_summands(plan, b, call, &s, &m->count));
	return sotto_sum_measure(plan, &s, centre, &m->sum);
}

/* Within the declared bounds, whatever the noise was. */
static double estimate(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		       const struct sotto_group_values *g)
{
	double lo = sotto_nearest_double(a->range.lo->q);
	double hi = sotto_nearest_double(a->range.hi->q);
	double x = sotto_nearest_double(a->moments.centre->q) +
		   sotto_group_measure(plan, g, a->moments.sum) /
			   sotto_group_count(plan, g, a->moments.count);

	return x < lo ? lo : x > hi ? hi : x;
}

/*
 * An error of the count moves the average towards the centre, the further the mean is from
 * it: one half-way between the middle of the bounds and a bound is taken.
 */
static double error_times_count(const struct sotto_plan *plan, const struct sotto_aggregate *a)
{
	const struct sotto_measure *sum = &plan->measures[a->moments.sum];
	const struct sotto_measure *count = &plan->measures[a->moments.count];
	double lo = sotto_nearest_double(a->range.lo->q);
	double hi = sotto_nearest_double(a->range.hi->q);
	double centre = sotto_nearest_double(a->moments.centre->q);
	double middle = (lo + hi) / 2, quarter = (hi - lo) / 4;
	double offset = fmax(fabs(middle + quarter - centre), fabs(middle - quarter - centre));

	return sotto_added_noise_joint_size(sum->noise, sotto_nearest_double(sum->step->q),
					    count->noise, offset);
}

static const char *predict(struct sotto_arena *arena, double error, double units)
{
	return sotto_arena_textf(arena,
				 "about +- %.3g for %.10g values, +- %.4g / n for n of them",
				 error / units, units, error);
}

const struct sotto_aggregate_record sotto_aggregate_avg[] = {
	{.names = (const char *const[]){"avg", NULL},
	 .syntax = "AVG(x), AVG(DISTINCT x)",
	 .manual = "The mean, which stays within the bounds of x.",
	 .example = "AVG(x)",
	 .is_usual = true,
	 .plan = plan_average,
	 .estimate = estimate,
	 .error_times_count = error_times_count,
	 .predict = predict,
	 .unit = SOTTO_UNIT_AVG,
	 .engine = SOTTO_OP_AVG,
	 .is_public = true,
	 .public_number = true,
	 .public_window = true},
	{0}};
