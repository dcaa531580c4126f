/*
 * Aggregates from noisy measures.  Nothing here depends on whether a group was
 * empty: a count of less than one divides as one, and an average stays within
 * the declared bounds.
 */
#include "query/answer.h"

#include <math.h>

#include "number/nearest.h"

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

static double into(struct sotto_range r, double x)
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

static double compute(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		      const struct sotto_noisy *values, const double *shift)
{
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
	}
	return NAN;
}

static bool aggregate_reads(const struct sotto_aggregate *a, size_t i)
{
	return a->count == i || a->sum == i || a->squares == i;
}

bool sotto_output_reads(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
			size_t measure)
{
	if (e->kind == SOTTO_SQL_VALUE)
		return aggregate_reads(&plan->aggregates[e->index], measure);
	for (size_t i = 0; i < e->count; i++)
		if (sotto_output_reads(plan, e->args[i], measure))
			return true;
	return false;
}

const char *sotto_plan_mechanism(const struct sotto_plan *plan)
{
	switch (plan->noise) {
	case SOTTO_NOISE_LAPLACE:
		return "discrete Laplace";
	case SOTTO_NOISE_GAUSSIAN:
		return "discrete Gaussian";
	case SOTTO_NOISE_NONE:
		break;
	}
	return "exact";
}

void sotto_aggregates_compute(const struct sotto_plan *plan, const struct sotto_noisy *values,
			      const double *shift, struct sotto_value *out)
{
	for (size_t i = 0; i < plan->aggregate_count; i++) {
		const struct sotto_aggregate *a = &plan->aggregates[i];

		out[i] = (struct sotto_value){.kind = SOTTO_VALUE_NUMBER,
					      .number = compute(plan, a, values, shift)};
		if (a->type == SOTTO_TYPE_INTEGER && fabs(out[i].number) < 9e15) {
			out[i].kind = SOTTO_VALUE_INTEGER;
			out[i].integer = (int64_t)out[i].number;
		}
	}
}
