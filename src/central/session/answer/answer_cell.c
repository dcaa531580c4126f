/*
 * One cell of an answer: its value, its 95 % interval and its exact digits (answer.md).
 */
#include "central/session/answer/answer_cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"

/*
 * A noisy number without the digits that arithmetic on doubles adds at its end: 25493.85, and
 * not 25493.850000000002.
 */
static double without_dust(double x)
{
	char text[40];

	if (!isfinite(x) || (x == floor(x) && fabs(x) < 1e15))
		return x;
	(void)snprintf(text, sizeof text, "%.15g", x);
	return strtod(text, NULL);
}

void sotto_cell_drop_dust(struct sotto_value *v)
{
	if (v->kind == SOTTO_VALUE_NUMBER)
		v->number = without_dust(v->number);
}

/* ---- one cell ------------------------------------------------------------------------------- */

struct sotto_evaluation sotto_cell_row(const struct sotto_answer_work *w, size_t row,
				       const struct sotto_value *aggregates)
{
	return (struct sotto_evaluation){.keys = w->release->keys + row * w->release->key_count,
					 .aggregates = aggregates,
					 .arena = &w->owned->arena};
}

struct sotto_group_values sotto_cell_values(const struct sotto_answer_work *w, size_t row)
{
	const struct sotto_release *r = w->release;

	return (struct sotto_group_values){.measures = r->values + row * r->measure_count,
					   .outcomes = r->outcomes + row * r->outcome_count,
					   .shift = w->shift};
}

size_t sotto_cell_movable(const struct sotto_plan *plan)
{
	return plan->measure_count + plan->outcome_count;
}

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

static void interval(struct sotto_answer_work *w, size_t row, const struct sotto_sql_expr *e,
		     double value, struct sotto_value *low, struct sotto_value *high)
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
	*low = sotto_value_of_number(without_dust(lo));
	*high = sotto_value_of_number(without_dust(hi));
}

/* The grid value that an aggregate is: steps of the step; NULL if it is computed from several. */
static const struct sotto_rational *grid_value(const struct sotto_answer_work *w, size_t row,
					       const struct sotto_aggregate *a, int64_t *steps)
{
	const struct sotto_group_values g = sotto_cell_values(w, row);

	switch (a->form) {
	case SOTTO_FORM_MEASURE:
		*steps = g.measures[a->measure].value;
		return w->plan->measures[a->measure].step;
	case SOTTO_FORM_RANK:
		*steps = g.outcomes[sotto_rank_outcome(w->plan, &a->rank)].integer;
		return w->plan->picks[a->rank.pick].quantiles.step;
	case SOTTO_FORM_MOMENTS:
	case SOTTO_FORM_MODE:
		break;
	}
	return NULL;
}

/* A fraction of a power of two with few bits: a double is exactly it, in fewer digits. */
static bool is_double(const mpq_t q)
{
	mpz_srcptr den = mpq_denref(q);

	return mpz_cmp_ui(den, 1) > 0 && mpz_scan1(den, 0) + 1 == mpz_sizeinbase(den, 2) &&
	       mpz_sizeinbase(mpq_numref(q), 2) <= 53;
}

/* What lies on a decimal grid is shown with exactly its digits, where a double would lose some. */
static enum sotto_status exact_decimal(struct sotto_answer_work *w, size_t row,
				       const struct sotto_sql_expr *e, struct sotto_value *out)
{
	const struct sotto_rational *step;
	struct sotto_rational r;
	enum sotto_status st = SOTTO_OK;
	int64_t steps = 0;
	char *text = NULL;

	if (e->kind != SOTTO_SQL_VALUE || out->kind == SOTTO_VALUE_INTEGER)
		return SOTTO_OK;
	step = grid_value(w, row, &w->plan->aggregates[e->index], &steps);
	if (!step || (mpq_cmp_ui(step->q, 1, 1) == 0 && fabs(out->number) < 1e15))
		return SOTTO_OK;
	sotto_rational_init(&r);
	mpq_set_si(r.q, steps, 1);
	mpq_mul(r.q, r.q, step->q);
	if (!is_double(r.q))
		st = sotto_rational_format(&r, &text);
	sotto_rational_release(&r);
	if (st != SOTTO_OK || !text)
		return st;
	out->text = sotto_arena_text(&w->owned->arena, text);
	free(text);
	if (!out->text)
		return SOTTO_ENOMEM;
	return SOTTO_OK;
}

static bool is_moment(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_VALUE &&
	       (e->type == SOTTO_TYPE_DATE || e->type == SOTTO_TYPE_TIMESTAMP);
}

/* The interval of a date: its ends are dates. */
static void moment_interval(struct sotto_answer_work *w, size_t row,
			    const struct sotto_sql_expr *e, struct sotto_value *low,
			    struct sotto_value *high)
{
	struct sotto_sql_expr number = *e;
	const struct sotto_value *x = &w->aggregates[e->index];
	struct sotto_value ends[2] = {{.kind = SOTTO_VALUE_NULL}, {.kind = SOTTO_VALUE_NULL}};

	number.type = SOTTO_TYPE_NUMBER;
	interval(w, row, &number, x->number, &ends[0], &ends[1]);
	if (ends[0].kind == SOTTO_VALUE_NULL)
		return;
	*low = sotto_value_of_moment(&w->owned->arena, ends[0].number, e->type);
	*high = sotto_value_of_moment(&w->owned->arena, ceil(ends[1].number), e->type);
}

enum sotto_status
sotto_cell_fill(struct sotto_answer_work *w, size_t row, size_t column, size_t at)
{
	struct sotto_answer *a = &w->owned->answer;
	const struct sotto_sql_expr *e = w->plan->outputs[column].expr;
	struct sotto_evaluation v = sotto_cell_row(w, row, w->aggregates);
	struct sotto_value x = sotto_evaluate(&v, e);

	if (x.kind == SOTTO_VALUE_TEXT) {
		x.text = sotto_arena_text(&w->owned->arena, x.text);
		if (!x.text)
			return SOTTO_ENOMEM;
		if (is_moment(e))
			moment_interval(w, row, e, &a->lows[at], &a->highs[at]);
	}
	if (w->plan->outputs[column].noisy &&
	    (x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER)) {
		interval(w, row, e, x.number, &a->lows[at], &a->highs[at]);
		SOTTO_TRY(exact_decimal(w, row, e, &x));
		sotto_cell_drop_dust(&x);
	}
	a->values[at] = x;
	return SOTTO_OK;
}
