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

static struct sotto_value value_of(const struct sotto_plan *plan,
				   const struct sotto_aggregate *a,
				   const struct sotto_group_values *g)
{
	struct sotto_value x = {.kind = SOTTO_VALUE_NUMBER};

	if (a->form == SOTTO_FORM_MODE)
		return g->outcomes[plan->choices[a->mode].first];
	x.number = compute(plan, a, g);
	if (a->type == SOTTO_TYPE_INTEGER && fabs(x.number) < 9e15) {
		x.kind = SOTTO_VALUE_INTEGER;
		x.integer = (int64_t)x.number;
	}
	return x;
}

void sotto_aggregates_compute(const struct sotto_plan *plan, const struct sotto_group_values *g,
			      struct sotto_value *out)
{
	for (size_t i = 0; i < plan->aggregate_count; i++)
		out[i] = value_of(plan, &plan->aggregates[i], g);
}

void sotto_aggregates_compute_read(const struct sotto_plan *plan,
				   const struct sotto_sql_expr *e,
				   const struct sotto_group_values *g, struct sotto_value *out)
{
	if (e->kind == SOTTO_SQL_VALUE)
		out[e->index] = value_of(plan, &plan->aggregates[e->index], g);
	for (size_t k = 0; k < e->count; k++)
		sotto_aggregates_compute_read(plan, e->args[k], g, out);
}

/* ---- what an expression reads ---------------------------------------------------------------- */

/* Of one aggregate, what shift moves: list[0 .. returned); SIZE_MAX where there is none. */
static size_t read_by(const struct sotto_plan *plan, const struct sotto_aggregate *a,
		      size_t list[SOTTO_AGGREGATE_READS])
{
	switch (a->form) {
	case SOTTO_FORM_MEASURE:
		list[0] = a->measure;
		return 1;
	case SOTTO_FORM_MOMENTS:
		list[0] = a->moments.count;
		list[1] = a->moments.sum;
		list[2] = a->moments.squares;
		return 3;
	case SOTTO_FORM_RANK:
		list[0] = plan->measure_count + sotto_rank_outcome(plan, &a->rank);
		return 1;
	case SOTTO_FORM_MODE:
		break;
	}
	return 0;
}

static bool
aggregate_reads(const struct sotto_plan *plan, const struct sotto_aggregate *a, size_t i)
{
	size_t list[SOTTO_AGGREGATE_READS], count = read_by(plan, a, list);

	for (size_t k = 0; k < count; k++)
		if (list[k] == i)
			return true;
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

/* Into the ascending list, if it is not there yet; past most, only counted. */
static void insert(size_t x, size_t *list, size_t most, size_t *count)
{
	size_t at = 0;

	if (x == SIZE_MAX || *count > most)
		return;
	while (at < *count && list[at] < x)
		at++;
	if (at < *count && list[at] == x)
		return;
	if (++*count > most)
		return;
	for (size_t k = *count - 1; k > at; k--)
		list[k] = list[k - 1];
	list[at] = x;
}

void sotto_output_list_reads(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
			     size_t *list, size_t most, size_t *count)
{
	size_t own[SOTTO_AGGREGATE_READS], n = 0;

	if (e->kind == SOTTO_SQL_VALUE)
		n = read_by(plan, &plan->aggregates[e->index], own);
	for (size_t k = 0; k < n; k++)
		insert(own[k], list, most, count);
	for (size_t k = 0; k < e->count; k++)
		sotto_output_list_reads(plan, e->args[k], list, most, count);
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
