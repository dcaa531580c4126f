/*
 * AVG: two sums from the ends of the bounds; beside other aggregates a sum counted from the
 * middle, over a count.
 */
#include <math.h>

#include "central/aggregate/measure/centred_moments.h"
#include "central/price/joint_noise.h"
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
 * An error of the count moves the average towards the centre, the further the mean is from it.
 * `place` is how far the mean lies from the middle of the bounds: 0 in the middle, 1 at a bound.
 */
static double
error_at(const struct sotto_plan *plan, const struct sotto_aggregate *a, double place)
{
	const struct sotto_measure *sum = &plan->measures[a->moments.sum];
	const struct sotto_measure *count = &plan->measures[a->moments.count];
	double lo = sotto_nearest_double(a->range.lo->q);
	double hi = sotto_nearest_double(a->range.hi->q);
	double step = sotto_nearest_double(sum->step->q);
	double middle = (lo + hi) / 2, away = place * (hi - lo) / 2, centre, offset;

	if (a->moments.by_ends)
		return sotto_joint_noise_size(
			(const struct sotto_noise_term[]){
				{sum->noise, (1 - place) / 2 * step},
				{count->noise, (1 + place) / 2 * step}},
			2);
	centre = sotto_nearest_double(a->moments.centre->q);
	offset = fmax(fabs(middle + away - centre), fabs(middle - away - centre));
	return sotto_joint_noise_size(
		(const struct sotto_noise_term[]){{sum->noise, step}, {count->noise, offset}},
		2);
}

/* Half-way between the middle of the bounds and a bound. */
static double error_times_count(const struct sotto_plan *plan, const struct sotto_aggregate *a)
{
	return error_at(plan, a, 0.5);
}

/* The mean stays within its bounds: an error is at most as large as they are wide. */
static const char *predict(struct sotto_arena *arena, const struct sotto_plan *plan,
			   const struct sotto_aggregate *a, double typical)
{
	double most =
		sotto_nearest_double(a->range.hi->q) - sotto_nearest_double(a->range.lo->q);
	double error = error_times_count(plan, a), units = (double)plan->typical_group;
	double shown = isnan(typical) ? fmin(error / units, most) : typical;
	char each[SOTTO_ERROR_TEXT], all[SOTTO_ERROR_TEXT];
	const char *text = sotto_arena_textf(
		arena, "about +- %s for %.10g values%s, +- %s / n for a large number n",
		sotto_error_text(shown, 3, each), units,
		error / units > most ? " (as far as the bounds allow)" : "",
		sotto_error_text(error, 4, all));

	if (!text || error == 0)
		return text;
	return sotto_arena_textf(arena,
				 "%s; %.0f %% less for a mean in the middle of its bounds, "
				 "%.0f %% more at a bound",
				 text, 100 - 100 * error_at(plan, a, 0) / error,
				 100 * error_at(plan, a, 1) / error - 100);
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
