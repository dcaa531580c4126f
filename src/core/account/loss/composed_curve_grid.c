/*
 * Little work for a contour first, which may be sharp; then one grid for all events; and more for the contour where that is not sharp either.
 */
#include "core/account/loss/composed_curve.h"

#include <math.h>

#include "core/account/integral/contour/contour.h"
#include "core/account/loss/composed_curve_inside.h"
#include "core/account/loss/convolved/convolved_curve.h"
#include "core/account/loss/measure/discretized_curve.h"
#include "core/base/failure.h"

/* What the usual way takes of the work at first, where one grid may do; and the grid's own (work.h). */
#define AT_FIRST 0.3
#define GRID_STEPS 1.5e8

/* Whether nothing more is to be found out. */
static bool is_settled(enum sotto_status st, double lower, double upper)
{
	return st == SOTTO_OK && (isinf(lower) || upper - lower <= SOTTO_SHARP_EPSILON);
}

/* By one grid for all events; what is known already stays. */
static enum sotto_status
narrow_by_grid(const struct sotto_composed *c, const struct sotto_level *level,
	       const struct sotto_convolved_line *line, double *lower, double *upper)
{
	struct sotto_work *work = c->terms->work;
	double low = 0, high = INFINITY, left = work ? work->left : 0;
	enum sotto_status st;

	if (work)
		work->left = GRID_STEPS;
	st = sotto_convolved_curve_epsilon(c->terms, c->direction, level, line, &low, &high);
	if (work)
		work->left = left;
	if (st == SOTTO_EREFUSED)
		return SOTTO_OK;
	*lower = fmax(*lower, low);
	*upper = fmin(*upper, high);
	return st;
}

/* The usual way with little work; cells that are made for little are of no use for more. */
static enum sotto_status try_contour(struct sotto_composed *c, const struct sotto_level *level,
				     double *lower, double *upper)
{
	struct sotto_work *work = c->terms->work;
	double kept = work ? (1 - AT_FIRST) * fmax(0, work->left) : 0;
	enum sotto_status st;

	sotto_work_set_aside(work, kept);
	st = sotto_composed_usual_epsilon(c, level, lower, upper);
	sotto_work_give_back(work, kept);
	sotto_discretized_curve_free(c->cut);
	c->cut = NULL;
	if (st != SOTTO_EREFUSED)
		return st;
	*lower = 0;
	*upper = INFINITY;
	return SOTTO_OK;
}

/* A contour, and the grid where that is not sharp. */
static enum sotto_status few_epsilon(struct sotto_composed *c, const struct sotto_level *level,
				     const struct sotto_convolved_line *line, double *lower,
				     double *upper)
{
	SOTTO_TRY(try_contour(c, level, lower, upper));
	if (is_settled(SOTTO_OK, *lower, *upper) || !(2 * line->wide < *upper - *lower))
		return SOTTO_OK;
	sotto_contour_free(c->contour); /* its nodes and a grid would be a lot of memory */
	c->contour = NULL;
	return narrow_by_grid(c, level, line, lower, upper);
}

/* Whether a contour may say little of the events, all of which a grid could hold. */
static bool may_want_grid(const struct sotto_composed *c)
{
	return !c->cut && !c->exact && !c->rare &&
	       (c->measure.has_lists || c->measure.has_pieces) &&
	       sotto_convolved_curve_fits(c->terms);
}

static enum sotto_status find_place(const struct sotto_composed *c,
				    const struct sotto_level *level,
				    struct sotto_convolved_line *line)
{
	return may_want_grid(c)
		       ? sotto_convolved_curve_place(c->terms, c->direction, level, line)
		       : SOTTO_EREFUSED;
}

bool sotto_composed_has_grid(const struct sotto_composed *c, double log_delta)
{
	struct sotto_convolved_line line;
	struct sotto_level level;
	enum sotto_status st;

	sotto_level_init_log(&level, log_delta);
	st = find_place(c, &level, &line);
	sotto_level_release(&level);
	return st == SOTTO_OK;
}

/* Where there is no contour at all, cells come first and the grid, with work of its own, after them. */
static enum sotto_status cells_epsilon(struct sotto_composed *c,
				       const struct sotto_level *level, double *lower,
				       double *upper)
{
	struct sotto_work *work = c->terms->work;
	struct sotto_convolved_line line;
	enum sotto_status st = sotto_composed_patient_epsilon(c, level, lower, upper), found;
	double left = work ? work->left : 0;

	if (is_settled(st, *lower, *upper) || (st != SOTTO_OK && st != SOTTO_EREFUSED) ||
	    !sotto_convolved_curve_fits(c->terms))
		return st;
	if (st == SOTTO_EREFUSED) {
		*lower = 0;
		*upper = INFINITY;
	}
	if (work)
		work->left = SOTTO_WORK_WHOLE;
	found = sotto_convolved_curve_place(c->terms, c->direction, level, &line);
	if (work)
		work->left = left;
	if (found == SOTTO_OK && 2 * line.wide < *upper - *lower)
		SOTTO_TRY(narrow_by_grid(c, level, &line, lower, upper));
	return isfinite(*upper) ? SOTTO_OK : st;
}

/*
 * What was tried in vain is not taken off the work: then the usual way says as much as if there were no grid.  That happens once
 * for each direction.
 */
enum sotto_status sotto_composed_epsilon(struct sotto_composed *c,
					 const struct sotto_level *level, double *lower,
					 double *upper)
{
	struct sotto_work *work = c->terms->work;
	struct sotto_convolved_line line;
	double low = 0, high = INFINITY, left = work ? work->left : 0;
	enum sotto_status st;

	if (c->cut)
		return cells_epsilon(c, level, lower, upper);
	st = find_place(c, level, &line);
	if (st == SOTTO_OK)
		st = few_epsilon(c, level, &line, &low, &high);
	if (is_settled(st, low, high)) {
		*lower = low;
		*upper = high;
		return SOTTO_OK;
	}
	if (st != SOTTO_OK && st != SOTTO_EREFUSED)
		return st;
	if (work)
		work->left = left;
	st = sotto_composed_patient_epsilon(c, level, lower, upper);
	if (st == SOTTO_EREFUSED) {
		*lower = 0;
		*upper = INFINITY;
		st = isfinite(high) ? SOTTO_OK : st;
	}
	*lower = fmax(*lower, low);
	*upper = fmin(*upper, high);
	return st;
}
