/*
 * Finds how many rows are picked out of how many, and moves the ends of intervals by the error at
 * that level, or by the factor that it is greater.
 */
#include "central/session/answer/answer_picked.h"

#include "central/aggregate/output_expression.h"
#include "central/plan/plan.h"
#include "central/price/laplace_or_gaussian.h"
#include "central/session/answer/answer_stretch.h"
#include "core/number/nearest.h"

static bool cuts(const struct sotto_plan *plan)
{
	return plan->limit >= 0 || plan->offset > 0;
}

static bool is_ordered_by_noise(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->order_count; i++)
		if (sotto_output_is_noisy(plan->orders[i].expr))
			return true;
	return false;
}

bool sotto_answer_is_picked(const struct sotto_plan *plan)
{
	return !plan->top.chosen && ((plan->having && sotto_output_is_noisy(plan->having)) ||
				     (cuts(plan) && is_ordered_by_noise(plan)));
}

static bool share_noise(const struct sotto_plan *plan, const struct sotto_sql_expr *x,
			const struct sotto_sql_expr *y)
{
	for (size_t i = 0; i < sotto_cell_movable(plan); i++)
		if (sotto_output_reads(plan, x, i) && sotto_output_reads(plan, y, i))
			return true;
	return false;
}

/* Is it computed from the noise that picks?  Other noise is as it was, whichever rows are shown. */
static bool is_picked_by(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	bool found = plan->having && share_noise(plan, plan->having, e);

	for (size_t i = 0; cuts(plan) && i < plan->order_count; i++)
		found = found || share_noise(plan, plan->orders[i].expr, e);
	return found;
}

/* One row in how many is picked; those that LIMIT leaves by keys alone are not picked by it. */
static size_t one_in(const struct sotto_answer_work *w)
{
	const struct sotto_plan *plan = w->plan;
	size_t all = w->release->rows, picked = w->chosen_count;

	if (is_ordered_by_noise(plan)) {
		size_t skip = plan->offset > 0 ? (size_t)plan->offset : 0;

		picked = picked > skip ? picked - skip : 0;
		if (plan->limit >= 0 && (size_t)plan->limit < picked)
			picked = (size_t)plan->limit;
	}
	return picked > 0 ? (all + picked - 1) / picked : 1;
}

/* ---- one output ------------------------------------------------------------------------------ */

/*
 * How the ends of an output move: by so much, or to so many times the distance.  Where that is not
 * known, times is 0, and the ends are those of the range, if it has any.
 */
struct widening {
	double by, times;
	struct sotto_value_range range;
};

static struct widening widening_of_several(const struct sotto_answer_work *w,
					   const struct sotto_sql_expr *e, size_t ratio)
{
	struct widening by = {.times = sotto_output_stretch(w->plan, e, ratio)};

	if (by.times == 0 &&
	    sotto_output_range(w->plan, e, &w->owned->arena, &by.range) != SOTTO_OK)
		by.range = (struct sotto_value_range){NULL, NULL};
	return by;
}

/* Of one measure the error is known at every level, also where its own interval has no width. */
static struct widening
widening_of(const struct sotto_answer_work *w, const struct sotto_sql_expr *e, size_t ratio)
{
	const struct sotto_plan *plan = w->plan;
	const struct sotto_aggregate *a =
		e->kind == SOTTO_SQL_VALUE ? &plan->aggregates[e->index] : NULL;
	const struct sotto_measure *m;
	struct sotto_rational beta;
	enum sotto_status st;
	int64_t error;

	if (!a || a->form != SOTTO_FORM_MEASURE)
		return widening_of_several(w, e, ratio);
	m = &plan->measures[a->measure];
	sotto_rational_init(&beta);
	mpq_set_ui(beta.q, 1, 20 * (unsigned long)ratio);
	st = sotto_added_noise_error_up(m->noise, 1, &beta, &error);
	sotto_rational_release(&beta);
	if (st != SOTTO_OK)
		return (struct widening){.times = 0};
	return (struct widening){.by = (double)(error - m->noise->errors[0]) *
				       sotto_nearest_double(m->step->q),
				 .times = 1};
}

/* An average stays within its bounds. */
static double held(const struct sotto_plan *plan, const struct sotto_sql_expr *e, double x)
{
	const struct sotto_aggregate *a =
		e->kind == SOTTO_SQL_VALUE ? &plan->aggregates[e->index] : NULL;
	double lo, hi;

	if (!a || a->record != sotto_aggregate_avg)
		return x;
	lo = sotto_nearest_double(a->range.lo->q);
	hi = sotto_nearest_double(a->range.hi->q);
	return x < lo ? lo : x > hi ? hi : x;
}

static void widen_cell(struct sotto_answer_work *w, const struct sotto_sql_expr *e, size_t at,
		       struct widening by)
{
	struct sotto_answer *a = &w->owned->answer;
	struct sotto_value *low = &a->lows[at], *high = &a->highs[at];
	double x = a->values[at].number;

	if (low->kind == SOTTO_VALUE_NULL || (by.times == 1 && by.by == 0))
		return;
	if (low->kind == SOTTO_VALUE_NUMBER && by.times == 0 &&
	    sotto_range_is_closed(by.range)) {
		*low = sotto_value_of_number(sotto_rational_double_down(by.range.lo));
		*high = sotto_value_of_number(sotto_rational_double_up(by.range.hi));
		return;
	}
	if (low->kind != SOTTO_VALUE_NUMBER || by.times == 0) {
		*low = *high = (struct sotto_value){.kind = SOTTO_VALUE_NULL};
		return;
	}
	*low = sotto_value_of_number(
		held(w->plan, e, x - (x - low->number) * by.times - by.by));
	*high = sotto_value_of_number(
		held(w->plan, e, x + (high->number - x) * by.times + by.by));
	sotto_cell_drop_dust(low);
	sotto_cell_drop_dust(high);
}

void sotto_answer_widen(struct sotto_answer_work *w)
{
	const struct sotto_plan *plan = w->plan;
	size_t ratio = one_in(w);

	for (size_t k = 0; k < plan->output_count; k++) {
		const struct sotto_sql_expr *e = plan->outputs[k].expr;
		struct widening by;

		if (!e || !plan->outputs[k].noisy || !is_picked_by(plan, e))
			continue;
		by = widening_of(w, e, ratio);
		for (size_t i = 0; i < w->chosen_count; i++)
			widen_cell(w, e, i * plan->output_count + k, by);
	}
}
