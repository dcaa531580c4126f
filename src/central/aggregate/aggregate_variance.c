/*
 * VAR_POP, VAR_SAMP and their roots: sums of values and of squares, counted from the
 * middle of the bounds, over a count.
 */
#include <math.h>

#include "central/aggregate/measure/centred_moments.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

struct spread {
	bool sample; /* divided by n - 1 */
	bool root;
};

static enum sotto_status plan_spread(struct sotto_plan *plan, struct sotto_binder *b,
				     const struct sotto_sql_expr *call,
				     struct sotto_aggregate *a)
{
	struct sotto_moments *m = &a->moments;
	struct sotto_summand s = {0};
	int64_t centre;

	SOTTO_TRY(sotto_moments_bind(plan, b, call, a, &s));
	SOTTO_TRY(sotto_moments_count_and_sum(plan, b, call, &s, m, &centre));
	return sotto_square_measure(plan, &s, centre, &m->squares);
}

/* Between 0 and what the bounds allow: a quarter of the square of their distance. */
static double estimate(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		       const struct sotto_group_values *g)
{
	const struct spread *spread = a->record->detail;
	double n = sotto_group_count(plan, g, a->moments.count);
	double s = sotto_group_measure(plan, g, a->moments.sum);
	double q = sotto_group_measure(plan, g, a->moments.squares);
	double width =
		sotto_nearest_double(a->range.hi->q) - sotto_nearest_double(a->range.lo->q);
	double v = q / n - (s / n) * (s / n);
	double most = width * width / 4;

	if (spread->sample) {
		v = v * n / (n - 1 < 1 ? 1 : n - 1);
		most *= 2;
	}
	v = v < 0 ? 0 : v > most ? most : v;
	return spread->root ? sqrt(v) : v;
}

/* The error of the variance, also where its root is asked for. */
static double error_times_count(const struct sotto_plan *plan, const struct sotto_aggregate *a)
{
	return sotto_measure_error(&plan->measures[a->moments.squares]);
}

static const char *predict(struct sotto_arena *arena, const struct sotto_plan *plan,
			   const struct sotto_aggregate *a, double typical)
{
	double error = error_times_count(plan, a), units = (double)plan->typical_group;
	char each[SOTTO_ERROR_TEXT], all[SOTTO_ERROR_TEXT];

	(void)typical;
	return sotto_arena_textf(arena,
				 "its variance errs by about %s for %.10g values, %s / n "
				 "for n of them",
				 sotto_error_text(error / units, 3, each), units,
				 sotto_error_text(error, 4, all));
}

#define SPREAD(is_sample, is_root)                                                             \
	.detail = &(const struct spread){.sample = is_sample, .root = is_root},                \
	.is_usual = true, .plan = plan_spread, .estimate = estimate,                           \
	.error_times_count = error_times_count, .predict = predict, .public_number = true

const struct sotto_aggregate_record sotto_aggregate_variance[] = {
	{.names = (const char *const[]){"var_pop", NULL},
	 .syntax = "VAR_POP(x)",
	 .manual = "The variance, divided by the number of values.",
	 .example = "VAR_POP(x)",
	 .engine = SOTTO_OP_VAR_POP,
	 .is_public = true,
	 SPREAD(false, false)},
	{.names = (const char *const[]){"var_samp", "variance", NULL},
	 .syntax = "VAR_SAMP(x), VARIANCE(x)",
	 .manual = "The variance, divided by one less than the number of values.",
	 .example = "VARIANCE(x)",
	 .engine = SOTTO_OP_VAR_SAMP,
	 .is_public = true,
	 SPREAD(true, false)},
	{.names = (const char *const[]){"stddev_pop", NULL},
	 .syntax = "STDDEV_POP(x)",
	 .manual = "The square root of VAR_POP.",
	 .example = "STDDEV_POP(x)",
	 .engine = SOTTO_OP_STDDEV_POP,
	 .is_public = true,
	 SPREAD(false, true)},
	{.names = (const char *const[]){"stddev_samp", "stddev", NULL},
	 .syntax = "STDDEV_SAMP(x), STDDEV(x)",
	 .manual = "The square root of VAR_SAMP.",
	 .example = "STDDEV(x)",
	 .engine = SOTTO_OP_STDDEV_SAMP,
	 .is_public = true,
	 SPREAD(true, true)},
	{0}};
