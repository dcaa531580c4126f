/*
 * Moves each measure to both ends of its error, all corners if there are few; walks down an
 * expression to see whether the corners tell its extremes or whether it turns inside.
 */
#include "central/session/answer/noise_region.h"

#include <math.h>

#include "central/expression/row_function.h"

double sotto_noise_region_rounding(const struct sotto_answer_work *w, size_t row, size_t i)
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

double sotto_noise_region_reach(const struct sotto_answer_work *w, size_t row, size_t i,
				size_t together)
{
	const struct sotto_plan *plan = w->plan;

	if (i >= plan->measure_count)
		return 1;
	return (double)plan->measures[i].noise->errors[together - 1] +
	       sotto_noise_region_rounding(w, row, i);
}

double sotto_noise_region_value(struct sotto_answer_work *w, size_t row,
				const struct sotto_sql_expr *e)
{
	const struct sotto_group_values g = sotto_cell_values(w, row);
	struct sotto_evaluation v = sotto_cell_row(w, row, w->moved);
	struct sotto_value x;

	sotto_aggregates_compute(w->plan, &g, w->moved);
	x = sotto_evaluate(&v, e);
	return x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER ? x.number : NAN;
}

void sotto_noise_region_find(struct sotto_noise_region *region,
			     const struct sotto_answer_work *w, size_t row,
			     const struct sotto_sql_expr *e)
{
	*region = (struct sotto_noise_region){.row = row};
	for (size_t i = 0; i < sotto_cell_movable(w->plan); i++) {
		if (!sotto_output_reads(w->plan, e, i))
			continue;
		if (region->count < SOTTO_JOINT_MAX)
			region->read[region->count] = i;
		region->count++;
	}
}

/* ---- expressions over the region --------------------------------------------------------------- */

static void look(struct sotto_noise_range *x, struct sotto_answer_work *w, size_t row,
		 const struct sotto_sql_expr *e)
{
	double at = sotto_noise_region_value(w, row, e);

	x->is_number = x->is_number && !isnan(at);
	x->low = fmin(x->low, at);
	x->high = fmax(x->high, at);
}

struct sotto_noise_range sotto_noise_region_survey(const struct sotto_noise_region *region,
						   struct sotto_answer_work *w,
						   const struct sotto_sql_expr *e)
{
	struct sotto_noise_range x = {INFINITY, -INFINITY, true};
	bool joint = region->count <= SOTTO_JOINT_MAX;
	size_t n = joint ? region->count : sotto_cell_movable(w->plan);

	look(&x, w, region->row, e);
	for (size_t corner = 0; joint && corner < (size_t)1 << n; corner++) {
		for (size_t i = 0; i < n; i++) {
			double error =
				sotto_noise_region_reach(w, region->row, region->read[i], n);

			w->shift[region->read[i]] = corner >> i & 1 ? error : -error;
		}
		look(&x, w, region->row, e);
	}
	for (size_t i = 0; joint && i < n; i++)
		w->shift[region->read[i]] = 0;
	for (size_t i = 0; !joint && i < 2 * n; i++) {
		double error = sotto_noise_region_reach(w, region->row, i / 2, 1);

		w->shift[i / 2] = i % 2 ? error : -error;
		look(&x, w, region->row, e);
		w->shift[i / 2] = 0;
	}
	return x;
}

static bool is_fixed(struct sotto_noise_range x)
{
	return x.is_number && x.low == x.high;
}

static bool has_one_sign(struct sotto_noise_range x)
{
	return x.is_number && (x.low >= 0 || x.high <= 0);
}

static bool is_never_zero(struct sotto_noise_range x)
{
	return x.is_number && (x.low > 0 || x.high < 0);
}

static bool
share_a_measure(const struct sotto_answer_work *w, const struct sotto_sql_expr *const *args)
{
	for (size_t i = 0; i < sotto_cell_movable(w->plan); i++)
		if (sotto_output_reads(w->plan, args[0], i) &&
		    sotto_output_reads(w->plan, args[1], i))
			return true;
	return false;
}

/* Of more measures than that the interval is an approximation, which turning does not spoil. */
static bool may_turn(const struct sotto_noise_region *region)
{
	return region->count > SOTTO_JOINT_MAX;
}

static bool operator_tells(const struct sotto_noise_region *region, struct sotto_answer_work *w,
			   const struct sotto_sql_expr *e)
{
	struct sotto_noise_range x, y;

	if (e->count != 2 || e->op < SOTTO_SQL_MULTIPLY || e->op > SOTTO_SQL_MODULO)
		return true;
	x = sotto_noise_region_survey(region, w, e->args[0]);
	y = sotto_noise_region_survey(region, w, e->args[1]);
	if (e->op == SOTTO_SQL_DIVIDE)
		return is_never_zero(y);
	if (e->op == SOTTO_SQL_MODULO)
		return is_fixed(x) && is_fixed(y);
	return may_turn(region) || (has_one_sign(x) && has_one_sign(y)) ||
	       !share_a_measure(w, (const struct sotto_sql_expr *const *)e->args);
}

static bool are_fixed(const struct sotto_noise_region *region, struct sotto_answer_work *w,
		      const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < e->count; i++)
		if (!is_fixed(sotto_noise_region_survey(region, w, e->args[i])))
			return false;
	return true;
}

/* Of calls that are no functions of the list, CLIP is left here. */
static bool call_tells(const struct sotto_noise_region *region, struct sotto_answer_work *w,
		       const struct sotto_sql_expr *e)
{
	const struct sotto_function *f = sotto_function_find(e->text);

	if (e->count == 0 || sotto_sql_expr_chooses(e))
		return true;
	if (!sotto_noise_region_survey(region, w, e).is_number)
		return false;
	switch (f ? f->answer.shape : SOTTO_SHAPE_MONOTONE) {
	case SOTTO_SHAPE_TURNS:
		return may_turn(region) ||
		       has_one_sign(sotto_noise_region_survey(region, w, e->args[0]));
	case SOTTO_SHAPE_WAVES:
		return are_fixed(region, w, e);
	case SOTTO_SHAPE_DIVIDES:
		return is_never_zero(sotto_noise_region_survey(region, w, e->args[1]));
	case SOTTO_SHAPE_MONOTONE:
	case SOTTO_SHAPE_ROOT:
		break;
	}
	return true;
}

bool sotto_noise_region_has_extremes_at_corners(const struct sotto_noise_region *region,
						struct sotto_answer_work *w,
						const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_OP && !operator_tells(region, w, e))
		return false;
	if (e->kind == SOTTO_SQL_CALL && !call_tells(region, w, e))
		return false;
	for (size_t i = 0; i < e->count; i++) {
		/* WHEN conditions decide, and are not what is shown. */
		bool is_condition = e->kind == SOTTO_SQL_CASE && i % 2 == 0 && i + 1 < e->count;

		if (!is_condition &&
		    !sotto_noise_region_has_extremes_at_corners(region, w, e->args[i]))
			return false;
	}
	return true;
}
