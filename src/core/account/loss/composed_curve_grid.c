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

/* The usual way with little work, and the grid where that is not sharp. */
static enum sotto_status few_epsilon(struct sotto_composed *c, const struct sotto_level *level,
				     const struct sotto_convolved_line *line, double *lower,
				     double *upper)
{
	struct sotto_work *work = c->terms->work;
	double kept = work ? (1 - AT_FIRST) * fmax(0, work->left) : 0;
	enum sotto_status st;

	sotto_work_set_aside(work, kept);
	st = sotto_composed_usual_epsilon(c, level, lower, upper);
	sotto_work_give_back(work, kept);
	if (is_settled(st, *lower, *upper) || (st != SOTTO_OK && st != SOTTO_EREFUSED))
		return st;
	if (st == SOTTO_EREFUSED) {
		*lower = 0;
		*upper = INFINITY;
	}
	if (!(2 * line->wide < *upper - *lower))
		return SOTTO_OK;
	sotto_contour_free(c->contour); /* its nodes and a grid would be a lot of memory */
	c->contour = NULL;
	return narrow_by_grid(c, level, line, lower, upper);
}

/* Whether a contour may say little of the events, all of which a grid could hold. */
static bool may_want_grid(const struct sotto_composed *c)
{
	return !c->exact && !c->rare &&
	       (c->cut || c->measure.has_lists || c->measure.has_pieces) &&
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

/* Cells that were made for little work are of no use for more. */
static enum sotto_status drop_cells(struct sotto_composed *c)
{
	if (!c->cut)
		return SOTTO_OK;
	sotto_discretized_curve_free(c->cut);
	c->cut = NULL;
	return c->measured
		       ? SOTTO_OK
		       : sotto_discretized_curve_new(c->terms, c->direction, false, &c->cut);
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
	double low, high, left = work ? work->left : 0;
	enum sotto_status st = find_place(c, level, &line);

	if (st == SOTTO_OK) {
		SOTTO_TRY(few_epsilon(c, level, &line, lower, upper));
		if (is_settled(st, *lower, *upper))
			return SOTTO_OK;
		SOTTO_TRY(drop_cells(c));
	} else if (st != SOTTO_EREFUSED) {
		return st;
	}
	if (work)
		work->left = left;
	if (st == SOTTO_EREFUSED)
		return sotto_composed_patient_epsilon(c, level, lower, upper);
	st = sotto_composed_patient_epsilon(c, level, &low, &high);
	if (st == SOTTO_OK) {
		*lower = fmax(*lower, low);
		*upper = fmin(*upper, high);
	}
	return st == SOTTO_EREFUSED && isfinite(*upper) ? SOTTO_OK : st;
}
