/*
 * One cell of an answer: its value, its 95 % interval and its exact digits (answer.md).
 */
#include "central/session/answer/answer_cell.h"

#include <math.h>
#include <stdlib.h>

#include "central/aggregate/output_date.h"
#include "central/session/answer/answer_interval.h"
#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"

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
		return w->plan->choices[a->rank.choice].quantiles.step;
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

/* The interval of a chosen date, or of the day of a chosen timestamp. */
static void fill_moment(struct sotto_answer_work *w, size_t row, const struct sotto_sql_expr *e,
			struct sotto_value *low, struct sotto_value *high)
{
	bool day = e->kind == SOTTO_SQL_CAST;

	sotto_interval_of_moment(w, row, day ? e->args[0] : e, low, high);
	if (!day || low->kind != SOTTO_VALUE_TEXT)
		return;
	*low = sotto_value_of_day(&w->owned->arena, low);
	*high = sotto_value_of_day(&w->owned->arena, high);
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
		if (sotto_output_is_moment(e))
			fill_moment(w, row, e, &a->lows[at], &a->highs[at]);
	}
	if (w->plan->outputs[column].noisy &&
	    (x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER)) {
		sotto_interval_of_number(w, row, e, x.number, &a->lows[at], &a->highs[at]);
		SOTTO_TRY(exact_decimal(w, row, e, &x));
		sotto_cell_drop_dust(&x);
	}
	a->values[at] = x;
	return SOTTO_OK;
}
