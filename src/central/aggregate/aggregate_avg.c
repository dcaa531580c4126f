/*
 * AVG: two sums from the ends of the bounds; beside other aggregates a sum counted from the
 * middle, over a count.
 */
#include <math.h>

#include "central/aggregate/measure/centred_moments.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/*
 * Alone, an average is read off two sums: how far the values lie above the lowest, and below
 * the highest.  A row moves both together by as much as the bounds lie apart, so the two have
 * one share, where a sum and a count would have half of it each (src/central/price/average.md).
 */
static enum sotto_status
plan_by_ends(struct sotto_plan *plan, const struct sotto_summand *s, struct sotto_moments *m)
{
	m->by_ends = true;
	SOTTO_TRY(sotto_centre_value(plan, s, s->lo, &m->centre));
	SOTTO_TRY(sotto_sum_measure(plan, s, s->lo, &m->sum));
	SOTTO_TRY(sotto_sum_measure(plan, s, s->hi, &m->count));
	plan->measures[m->sum].label = "sum above the lowest";
	plan->measures[m->count].label = "sum below the highest";
	plan->measures[m->count].is_second = m->count == m->sum + 1;
	return SOTTO_OK;
}

/* The count of the values is paid for anyway: private keys are shown by it. */
static bool is_count_there(const struct sotto_plan *plan, const struct sotto_sql_expr *call,
			   const struct sotto_bound *x)
{
	return !plan->public_keys && plan->max_rows == 1 && sotto_has_all_values(x) &&
	       !call->filter;
}

static enum sotto_status plan_average(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *call,
				      struct sotto_aggregate *a)
{
	struct sotto_moments *m = &a->moments;
	struct sotto_summand s = {0};
	int64_t centre;

	SOTTO_TRY(sotto_moments_bind(plan, b, call, a, &s));
	if (plan->is_single && plan->measure_count == 0 && !s.distinct && s.lo < s.hi &&
	    !is_count_there(plan, call, &s.x))
		return plan_by_ends(plan, &s, m);
	return sotto_moments_count_and_sum(plan, b, call, &s, m, &centre);
}

/* How far the values lie from the lowest, of how far the bounds lie apart for each of them. */
static double estimate_by_ends(const struct sotto_plan *plan, const struct sotto_aggregate *a,
			       const struct sotto_group_values *g)
{
	const struct sotto_measure *m = &plan->measures[a->moments.sum];
	double width = (double)m->addend.hi * sotto_nearest_double(m->step->q);
	double above = sotto_group_measure(plan, g, a->moments.sum);
	double below = -sotto_group_measure(plan, g, a->moments.count);

	return sotto_nearest_double(a->moments.centre->q) +
	       width * above / fmax(above + below, width);
}

/* Within the declared bounds, whatever the noise was. */
static double estimate(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		       const struct sotto_group_values *g)
{
	double lo = sotto_nearest_double(a->range.lo->q);
	double hi = sotto_nearest_double(a->range.hi->q);
	double x;

	if (a->moments.by_ends)
		x = estimate_by_ends(plan, a, g);
	else
		x = sotto_nearest_double(a->moments.centre->q) +
		    sotto_group_measure(plan, g, a->moments.sum) /
			    sotto_group_count(plan, g, a->moments.count);
	return x < lo ? lo : x > hi ? hi : x;
}

/*
 * An error of the count moves the average towards the centre, the further the mean is from
 * it: one half-way between the middle of the bounds and a bound is taken.  By the ends it is
 * three quarters of the way from the one, and a quarter from the other.
 */
static double error_times_count(const struct sotto_plan *plan, const struct sotto_aggregate *a)
{
	const struct sotto_measure *sum = &plan->measures[a->moments.sum];
	const struct sotto_measure *count = &plan->measures[a->moments.count];
	double lo = sotto_nearest_double(a->range.lo->q);
	double hi = sotto_nearest_double(a->range.hi->q);
	double step = sotto_nearest_double(sum->step->q);
	double middle = (lo + hi) / 2, quarter = (hi - lo) / 4, centre, offset;

	if (a->moments.by_ends)
		return sotto_added_noise_joint_size(sum->noise, 0.25 * step, count->noise,
						    0.75 * step);
	centre = sotto_nearest_double(a->moments.centre->q);
	offset = fmax(fabs(middle + quarter - centre), fabs(middle - quarter - centre));
	return sotto_added_noise_joint_size(sum->noise, step, count->noise, offset);
}

/* The mean stays within its bounds: an error is at most as large as they are wide. */
static const char *
predict(struct sotto_arena *arena, const struct sotto_aggregate *a, double error, double units)
{
	double most =
		sotto_nearest_double(a->range.hi->q) - sotto_nearest_double(a->range.lo->q);
	char each[SOTTO_ERROR_TEXT], all[SOTTO_ERROR_TEXT];

	return sotto_arena_textf(arena,
				 "about +- %s for %.10g values%s, +- %s / n for n of them",
				 sotto_error_text(fmin(error / units, most), 3, each), units,
				 error / units > most ? " (all that the bounds allow)" : "",
				 sotto_error_text(error, 4, all));
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
