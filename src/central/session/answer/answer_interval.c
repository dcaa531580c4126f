#include "central/session/answer/answer_interval.h"

#include <math.h>

/*
 * Half a step for each row of a sum, whose number is known where it is counted: with its own
 * noise it is at most so large.  0 where values lie on the grid, or nothing counts them.
 */
static double rounding(const struct sotto_answer_work *w, size_t row, size_t i)
{
	const struct sotto_plan *plan = w->plan;
	const struct sotto_measure *m = &plan->measures[i];
	const struct sotto_noisy *values = w->release->values + row * w->release->measure_count;

	if (m->kind != SOTTO_MEASURE_SUM || m->addend.square ||
	    !plan->columns[m->column].can_round)
		return 0;
	for (size_t k = 0; k < plan->measure_count; k++) {
		const struct sotto_measure *n = &plan->measures[k];

		if (n->kind == SOTTO_MEASURE_ROWS &&
		    (n->column == m->column || n->column == SIZE_MAX))
			return fmax((double)(values[k].value + n->noise->errors[0]), 0) / 2;
	}
	return 0;
}

/* How far it is moved so that `together` of them hold: steps, or to the end. */
static double reach(const struct sotto_answer_work *w, size_t row, size_t i, size_t together)
{
	const struct sotto_plan *plan = w->plan;

	if (i >= plan->measure_count)
		return 1;
	return (double)plan->measures[i].noise->errors[together - 1] + rounding(w, row, i);
}

/* The output with every measure moved by its shift. */
static double
moved_value(struct sotto_answer_work *w, size_t row, const struct sotto_sql_expr *e)
{
	const struct sotto_group_values g = sotto_cell_values(w, row);
	struct sotto_evaluation v = sotto_cell_row(w, row, w->moved);
	struct sotto_value x;

	sotto_aggregates_compute(w->plan, &g, w->moved);
	x = sotto_evaluate(&v, e);
	return x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER ? x.number : NAN;
}

/*
 * Few measures: each is moved to both ends of an interval that holds for all of
 * them together, and the extremes over all corners are taken (answer.md).
 */
static void corner_interval(struct sotto_answer_work *w, size_t row,
			    const struct sotto_sql_expr *e, const size_t *read, size_t count,
			    double *low, double *high)
{
	for (unsigned corner = 0; corner < 1u << count; corner++) {
		double x;

		for (size_t i = 0; i < count; i++) {
			double error = reach(w, row, read[i], count);

			w->shift[read[i]] = corner >> i & 1 ? error : -error;
		}
		x = moved_value(w, row, e);
		*low = fmin(*low, x);
		*high = fmax(*high, x);
	}
	for (size_t i = 0; i < count; i++)
		w->shift[read[i]] = 0;
}

/* Many measures: moved one at a time, distances added as independent errors are. */
static void spread_interval(struct sotto_answer_work *w, size_t row,
			    const struct sotto_sql_expr *e, double *low, double *high)
{
	double value = *low, below = 0, above = 0;

	for (size_t i = 0; i < sotto_cell_movable(w->plan); i++) {
		double error = reach(w, row, i, 1), x, y;

		if (!sotto_output_reads(w->plan, e, i))
			continue;
		w->shift[i] = error;
		x = moved_value(w, row, e) - value;
		w->shift[i] = -error;
		y = moved_value(w, row, e) - value;
		w->shift[i] = 0;
		above += pow(fmax(fmax(x, y), 0), 2);
		below += pow(fmin(fmin(x, y), 0), 2);
	}
	*low = value - sqrt(below);
	*high = value + sqrt(above);
}

void sotto_interval_of_number(struct sotto_answer_work *w, size_t row,
			      const struct sotto_sql_expr *e, double value,
			      struct sotto_value *low, struct sotto_value *high)
{
	size_t read[SOTTO_JOINT_MAX], count = 0;
	double lo = value, hi = value;

	for (size_t i = 0; i < sotto_cell_movable(w->plan); i++)
		if (sotto_output_reads(w->plan, e, i)) {
			if (count < SOTTO_JOINT_MAX)
				read[count] = i;
			count++;
		}
	if (count == 0) /* MODE has nothing that could be moved */
		return;
	if (count <= SOTTO_JOINT_MAX)
		corner_interval(w, row, e, read, count, &lo, &hi);
	else
		spread_interval(w, row, e, &lo, &hi);
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
