/*
 * Aggregates from noisy measures.  Nothing here depends on whether a group was
 * empty: a count of less than one divides as one, and records keep their estimates
 * within the declared bounds.
 */
#include <math.h>
#include <stdio.h>

#include "central/aggregate/aggregate.h"
#include "central/plan/plan.h"
#include "core/number/nearest.h"

double
sotto_group_measure(const struct sotto_plan *plan, const struct sotto_group_values *g, size_t i)
{
	return ((double)g->measures[i].value + g->shift[i]) *
	       sotto_nearest_double(plan->measures[i].step->q);
}

double
sotto_group_count(const struct sotto_plan *plan, const struct sotto_group_values *g, size_t i)
{
	double n = sotto_group_measure(plan, g, i);

	return n < 1 ? 1 : n;
}

size_t sotto_rank_outcome(const struct sotto_plan *plan, const struct sotto_chosen_rank *r)
{
	return plan->choices[r->choice].first + 3 * r->rank;
}

/* Ends of an interval that crossed what they are ends of, are at it. */
static double quantile(const struct sotto_plan *plan, const struct sotto_chosen_rank *r,
		       const struct sotto_group_values *g)
{
	size_t at = sotto_rank_outcome(plan, r);
	double shift = g->shift[plan->measure_count + at];
	double x = g->outcomes[at].number, end = x;

	if (shift < 0)
		end = fmin(x, g->outcomes[at + 1].number);
	if (shift > 0)
		end = fmax(x, g->outcomes[at + 2].number);
	return end * sotto_nearest_double(plan->choices[r->choice].quantiles.step->q);
}

static double compute(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		      const struct sotto_group_values *g)
{
	switch (a->form) {
	case SOTTO_FORM_MEASURE:
		return sotto_group_measure(plan, g, a->measure);
	case SOTTO_FORM_MOMENTS:
		return a->record->estimate(plan, a, g);
	case SOTTO_FORM_RANK:
		return quantile(plan, &a->rank, g);
	case SOTTO_FORM_MODE:
		break;
	}
	return NAN;
}

void sotto_aggregates_compute(const struct sotto_plan *plan, const struct sotto_group_values *g,
			      struct sotto_value *out)
{
	for (size_t i = 0; i < plan->aggregate_count; i++) {
		const struct sotto_aggregate *a = &plan->aggregates[i];

		if (a->form == SOTTO_FORM_MODE) {
			out[i] = g->outcomes[plan->choices[a->mode].first];
			continue;
		}
		out[i] = (struct sotto_value){.kind = SOTTO_VALUE_NUMBER,
					      .number = compute(plan, a, g)};
		if (a->type == SOTTO_TYPE_INTEGER && fabs(out[i].number) < 9e15) {
			out[i].kind = SOTTO_VALUE_INTEGER;
			out[i].integer = (int64_t)out[i].number;
		}
	}
}

static bool
aggregate_reads(const struct sotto_plan *plan, const struct sotto_aggregate *a, size_t i)
{
	switch (a->form) {
	case SOTTO_FORM_MEASURE:
		return i == a->measure;
	case SOTTO_FORM_MOMENTS:
		return i == a->moments.count || i == a->moments.sum || i == a->moments.squares;
	case SOTTO_FORM_RANK:
		return i == plan->measure_count + sotto_rank_outcome(plan, &a->rank);
	case SOTTO_FORM_MODE:
		break;
	}
	return false;
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

const char *sotto_error_text(double error, int digits, char out[SOTTO_ERROR_TEXT])
{
	int before = error >= 1 ? (int)floor(log10(error)) + 1 : 0;

	if (!isfinite(error) || before > 15 || error < 1)
		(void)snprintf(out, SOTTO_ERROR_TEXT, "%.*g", digits, error);
	else
		(void)snprintf(out, SOTTO_ERROR_TEXT, "%.*f",
			       digits > before ? digits - before : 0, error);
	return out;
}
