/*
 * Aggregates from noisy measures.  Nothing here depends on whether a group was
 * empty: a count of less than one divides as one, and an average stays within
 * the declared bounds.
 */
#include "central/session/answer/answer.h"

#include <math.h>

#include "core/number/nearest.h"

static double measure(const struct sotto_plan *plan, const struct sotto_noisy *values,
		      const double *shift, size_t i)
{
	return ((double)values[i].value + shift[i]) *
	       sotto_nearest_double(plan->measures[i].step->q);
}

static double at_least_one(double n)
{
	return n < 1 ? 1 : n;
}

static double into(struct sotto_value_range r, double x)
{
	double lo = sotto_nearest_double(r.lo->q), hi = sotto_nearest_double(r.hi->q);

	return x < lo ? lo : x > hi ? hi : x;
}

static double average(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		      const struct sotto_noisy *values, const double *shift)
{
	double n = at_least_one(measure(plan, values, shift, a->count));
	double s = measure(plan, values, shift, a->sum);

	return into(a->range, sotto_nearest_double(a->centre->q) + s / n);
}

/* Between 0 and what the bounds allow: a quarter of the square of their distance. */
static double variance(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		       const struct sotto_noisy *values, const double *shift, bool sample)
{
	double n = at_least_one(measure(plan, values, shift, a->count));
	double s = measure(plan, values, shift, a->sum);
	double q = measure(plan, values, shift, a->squares);
	double width =
		sotto_nearest_double(a->range.hi->q) - sotto_nearest_double(a->range.lo->q);
	double v = q / n - (s / n) * (s / n);
	double most = width * width / 4;

	if (sample) {
		v = v * n / at_least_one(n - 1);
		most *= 2;
	}
	return v < 0 ? 0 : v > most ? most : v;
}

size_t sotto_aggregate_outcome(const struct sotto_plan *plan, const struct sotto_aggregate *a)
{
	return plan->picks[a->pick].first + 3 * a->rank;
}

/* Ends of an interval that crossed what they are ends of, are at it. */
static double quantile(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		       const struct sotto_value *outcomes, const double *shift)
{
	size_t at = sotto_aggregate_outcome(plan, a);
	double x = outcomes[at].number, end = x;

	if (shift[plan->measure_count + at] < 0)
		end = fmin(x, outcomes[at + 1].number);
	if (shift[plan->measure_count + at] > 0)
		end = fmax(x, outcomes[at + 2].number);
	return end * sotto_nearest_double(plan->picks[a->pick].quantiles.step->q);
}

static double compute(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		      struct sotto_release_row row, const double *shift)
{
	const struct sotto_noisy *values = row.values;

	switch (a->kind) {
	case SOTTO_AGGREGATE_COUNT:
		return measure(plan, values, shift, a->count);
	case SOTTO_AGGREGATE_SUM:
		return measure(plan, values, shift, a->sum);
	case SOTTO_AGGREGATE_AVG:
		return average(plan, a, values, shift);
	case SOTTO_AGGREGATE_VAR_POP:
		return variance(plan, a, values, shift, false);
	case SOTTO_AGGREGATE_VAR_SAMP:
		return variance(plan, a, values, shift, true);
	case SOTTO_AGGREGATE_STDDEV_POP:
		return sqrt(variance(plan, a, values, shift, false));
	case SOTTO_AGGREGATE_STDDEV_SAMP:
		return sqrt(variance(plan, a, values, shift, true));
	case SOTTO_AGGREGATE_QUANTILE:
		return quantile(plan, a, row.outcomes, shift);
	case SOTTO_AGGREGATE_MODE:
		break;
	}
	return NAN;
}

static bool
aggregate_reads(const struct sotto_plan *plan, const struct sotto_aggregate *a, size_t i)
{
	if (i >= plan->measure_count)
		return a->kind == SOTTO_AGGREGATE_QUANTILE &&
		       sotto_aggregate_outcome(plan, a) == i - plan->measure_count;
	return a->count == i || a->sum == i || a->squares == i;
}

bool sotto_output_reads(const struct sotto_plan *plan, const struct sotto_sql_expr *e, size_t i)
{
	if (e->kind == SOTTO_SQL_VALUE)
		return aggregate_reads(plan, &plan->aggregates[e->index], i);
	for (size_t k = 0; k < e->count; k++)
		if (sotto_output_reads(plan, e->args[k], i))
			return true;
	return false;
}

void sotto_aggregates_compute(const struct sotto_plan *plan, struct sotto_release_row row,
			      const double *shift, struct sotto_value *out)
{
	for (size_t i = 0; i < plan->aggregate_count; i++) {
		const struct sotto_aggregate *a = &plan->aggregates[i];

		if (a->kind == SOTTO_AGGREGATE_MODE) {
			out[i] = row.outcomes[sotto_aggregate_outcome(plan, a)];
			continue;
		}
		out[i] = (struct sotto_value){.kind = SOTTO_VALUE_NUMBER,
					      .number = compute(plan, a, row, shift)};
		if (a->type == SOTTO_TYPE_INTEGER && fabs(out[i].number) < 9e15) {
			out[i].kind = SOTTO_VALUE_INTEGER;
			out[i].integer = (int64_t)out[i].number;
		}
	}
}
