/*
 * Adds to the error of the noise what rounding adds up to over all rows, whose number it looks for beside
 * the sum.
 */
#include "central/session/answer/noise_reach.h"

#include <math.h>

static double noisy(const struct sotto_answer_work *w, size_t row, size_t i)
{
	return (double)w->release->values[row * w->release->measure_count + i].value;
}

static double own_error(const struct sotto_plan *plan, size_t i)
{
	return (double)plan->measures[i].noise->errors[0];
}

/* An average by ends has no count: its two sums lie the width of the bounds apart for each row. */
static double rows_by_ends(const struct sotto_answer_work *w, size_t row, size_t i)
{
	const struct sotto_plan *plan = w->plan;

	for (size_t k = 0; k < plan->aggregate_count; k++) {
		const struct sotto_aggregate *a = &plan->aggregates[k];
		const struct sotto_moments *m = &a->moments;

		if (a->form == SOTTO_FORM_MOMENTS && m->by_ends &&
		    (i == m->sum || i == m->count))
			return (noisy(w, row, m->sum) - noisy(w, row, m->count) +
				own_error(plan, m->sum) + own_error(plan, m->count)) /
			       (double)plan->measures[m->sum].addend.hi;
	}
	return 0;
}

/* How many rows a sum has at most, as far as noisy values tell; 0 if none does. */
static double most_rows(const struct sotto_answer_work *w, size_t row, size_t i)
{
	const struct sotto_plan *plan = w->plan;
	const struct sotto_measure *m = &plan->measures[i];

	for (size_t k = 0; k < plan->measure_count; k++) {
		const struct sotto_measure *n = &plan->measures[k];

		if (n->kind == SOTTO_MEASURE_ROWS &&
		    (n->column == m->column || n->column == SIZE_MAX))
			return fmax(noisy(w, row, k) + own_error(plan, k), 0);
	}
	return fmax(rows_by_ends(w, row, i), 0);
}

/*
 * Squares of x + d with |d| <= 1/2 differ by at most |x| + 1/4 from those of x, and the |x| of n rows add up to
 * the root of n times their squares (Cauchy, Schwarz).  A square that is divided loses less than one step.
 */
static double square_rounding(const struct sotto_answer_work *w, size_t row, size_t i)
{
	const struct sotto_addend *a = &w->plan->measures[i].addend;
	double n = most_rows(w, row, i), unit = ldexp(1, (int)a->square_shift);
	double squares = fmax(noisy(w, row, i) + own_error(w->plan, i) + n, 0) * unit;
	double moved = w->plan->columns[w->plan->measures[i].column].can_round
			       ? (sqrt(n * squares) + n / 4) / unit
			       : 0;

	return moved + (a->square_shift ? n : 0);
}

double sotto_noise_reach_rounding(const struct sotto_answer_work *w, size_t row, size_t i)
{
	const struct sotto_measure *m = &w->plan->measures[i];

	if (m->kind != SOTTO_MEASURE_SUM)
		return 0;
	if (m->addend.square)
		return square_rounding(w, row, i);
	return w->plan->columns[m->column].can_round ? most_rows(w, row, i) / 2 : 0;
}

double
sotto_noise_reach(const struct sotto_answer_work *w, size_t row, size_t i, size_t together)
{
	const struct sotto_plan *plan = w->plan;

	if (i >= plan->measure_count)
		return 1;
	return (double)plan->measures[i].noise->errors[together - 1] +
	       sotto_noise_reach_rounding(w, row, i);
}
