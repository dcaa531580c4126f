/*
 * Moves each measure to both ends of its error, all corners if there are few; walks down an
 * expression to see whether the corners tell its extremes or whether it turns inside.
 */
#include "central/session/answer/noise_region.h"

#include <math.h>

#include "central/expression/row_function.h"
#include "central/session/answer/noise_reach.h"

double sotto_noise_region_value(struct sotto_answer_work *w, size_t row,
				const struct sotto_sql_expr *e)
{
	const struct sotto_group_values g = sotto_cell_values(w, row);
	struct sotto_evaluation v = sotto_cell_row(w, row, w->moved);
	struct sotto_value x;

	sotto_aggregates_compute_read(w->plan, e, &g, w->moved);
	x = sotto_evaluate(&v, e);
	return x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER ? x.number : NAN;
}

void sotto_noise_region_find(struct sotto_noise_region *region,
			     const struct sotto_answer_work *w, size_t row,
			     const struct sotto_sql_expr *e)
{
	*region = (struct sotto_noise_region){.row = row};
	sotto_output_list_reads(w->plan, e, region->read, SOTTO_JOINT_MAX, &region->count);
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

size_t sotto_noise_region_points(const struct sotto_noise_region *region,
				 const struct sotto_answer_work *w, size_t i, double *shifts)
{
	size_t together = region->count <= SOTTO_JOINT_MAX ? region->count : 1;
	double reach = sotto_noise_reach(w, region->row, i, together);

	shifts[0] = reach;
	shifts[1] = -reach;
	return 2 +
	       sotto_variance_turns(w, region->row, i, region->read, region->count, shifts + 2);
}

/* With each measure from the given one on at each of its points. */
static void look_together(const struct sotto_noise_region *region, struct sotto_answer_work *w,
			  const struct sotto_sql_expr *e, size_t from,
			  struct sotto_noise_range *x)
{
	double shifts[SOTTO_NOISE_POINTS];
	size_t count;

	if (from == region->count) {
		look(x, w, region->row, e);
		return;
	}
	count = sotto_noise_region_points(region, w, region->read[from], shifts);
	for (size_t k = 0; k < count; k++) {
		w->shift[region->read[from]] = shifts[k];
		look_together(region, w, e, from + 1, x);
	}
	w->shift[region->read[from]] = 0;
}

static void look_one_by_one(const struct sotto_noise_region *region,
			    struct sotto_answer_work *w, const struct sotto_sql_expr *e,
			    struct sotto_noise_range *x)
{
	double shifts[SOTTO_NOISE_POINTS];

	for (size_t i = 0; i < sotto_cell_movable(w->plan); i++) {
		size_t count = sotto_noise_region_points(region, w, i, shifts);

		for (size_t k = 0; k < count; k++) {
			w->shift[i] = shifts[k];
			look(x, w, region->row, e);
		}
		w->shift[i] = 0;
	}
}

struct sotto_noise_range sotto_noise_region_survey(const struct sotto_noise_region *region,
						   struct sotto_answer_work *w,
						   const struct sotto_sql_expr *e)
{
	struct sotto_noise_range x = {INFINITY, -INFINITY, true};

	look(&x, w, region->row, e);
	if (region->count <= SOTTO_JOINT_MAX)
		look_together(region, w, e, 0, &x);
	else
		look_one_by_one(region, w, e, &x);
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

/* Of more measures than that the interval is an approximation, which turning does not spoil. */
static bool may_turn(const struct sotto_noise_region *region)
{
	return region->count > SOTTO_JOINT_MAX;
}

/* Of two parts of what the region was found for; it has few measures. */
static bool share_a_measure(const struct sotto_noise_region *region,
			    const struct sotto_answer_work *w,
			    const struct sotto_sql_expr *const *args)
{
	for (size_t i = 0; i < region->count; i++)
		if (sotto_output_reads(w->plan, args[0], region->read[i]) &&
		    sotto_output_reads(w->plan, args[1], region->read[i]))
			return true;
	return false;
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
	       !share_a_measure(region, w, (const struct sotto_sql_expr *const *)e->args);
}

static bool are_fixed(const struct sotto_noise_region *region, struct sotto_answer_work *w,
		      const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < e->count; i++)
		if (!is_fixed(sotto_noise_region_survey(region, w, e->args[i])))
			return false;
	return true;
}

/* Of calls that are not functions of the list, CLIP is left here. */
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
