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
/* What looking for its place may take: a part of the work where the usual way is still to come, or steps. */
#define PLACE_PART 0.01
#define PLACE_STEPS 1e8
/* So little work is only enough to make a curve. */
#define LITTLE 2e7

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
	double low = 0, high = INFINITY;
	enum sotto_status st =
		sotto_convolved_curve_epsilon(c->terms, c->direction, level, line, &low, &high);

	if (st == SOTTO_EREFUSED)
		return SOTTO_OK;
	*lower = fmax(*lower, low);
	*upper = fmin(*upper, high);
	return st;
}

/* The same with work of its own. */
static enum sotto_status
narrow_with_steps(const struct sotto_composed *c, const struct sotto_level *level,
		  const struct sotto_convolved_line *line, double *lower, double *upper)
{
	struct sotto_work *work = c->terms->work;
	double left = work ? work->left : 0;
	enum sotto_status st;

	if (work)
		work->left = GRID_STEPS;
	st = narrow_by_grid(c, level, line, lower, upper);
	if (work)
		work->left = left;
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
	return narrow_with_steps(c, level, line, lower, upper);
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
	const struct sotto_work *work = c->terms->work;

	return may_want_grid(c) ? sotto_convolved_curve_place(
					  c->terms, c->direction, level,
					  PLACE_PART * (work ? work->left : INFINITY), line)
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

static bool has_shuffle(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (has_shuffle(e->children[i]))
			return true;
	return e->kind == SOTTO_EVENT_SHUFFLE;
}

/* Whether cells would be few, because a value of an event's curve takes long. */
static bool is_slow_in_cells(const struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind != SOTTO_EVENT_SHUFFLE &&
		    has_shuffle(t->list[i].event))
			return true;
	return false;
}

static enum sotto_status find_and_narrow(const struct sotto_composed *c,
					 const struct sotto_level *level, double *lower,
					 double *upper)
{
	struct sotto_convolved_line line;

	SOTTO_TRY(
		sotto_convolved_curve_place(c->terms, c->direction, level, PLACE_STEPS, &line));
	return 2 * line.wide < *upper - *lower ? narrow_by_grid(c, level, &line, lower, upper)
					       : SOTTO_OK;
}

/*
 * The grid with work that is kept apart for it, some of it for the other direction; bounds stay as they are where it says nothing.  Then the other direction begins with
 * the grid as well, and needs little more than that for its curve.
 */
static enum sotto_status grid_of_its_own(const struct sotto_composed *c,
					 const struct sotto_level *level, double *lower,
					 double *upper)
{
	struct sotto_work *work = c->terms->work;
	bool first = c->direction == SOTTO_REMOVE && !sotto_composed_is_symmetric(c);
	double left = work ? work->left : 0, apart = work ? work->apart : 0,
	       kept = first ? apart / 2 : 0;
	enum sotto_status st;

	if (!sotto_convolved_curve_fits(c->terms) || (work && !(apart > 0)))
		return SOTTO_OK;
	if (work)
		work->left = apart - kept;
	st = find_and_narrow(c, level, lower, upper);
	if (work) {
		work->apart = fmax(0, work->left) + kept;
		work->left = first ? fmax(left, LITTLE) : left;
	}
	return st == SOTTO_EREFUSED ? SOTTO_OK : st;
}

/* Where the other direction has used up the work the usual way would say little. */
static bool is_short_of_work(const struct sotto_composed *c)
{
	return c->direction == SOTTO_ADD && !sotto_work_allows(c->terms->work, 2 * LITTLE) &&
	       sotto_convolved_curve_fits(c->terms);
}

/* The usual way, and the grid where that is not sharp. */
static enum sotto_status usual_epsilon(struct sotto_composed *c,
				       const struct sotto_level *level, double *lower,
				       double *upper)
{
	enum sotto_status st = sotto_composed_patient_epsilon(c, level, lower, upper);

	if (is_settled(st, *lower, *upper) || (st != SOTTO_OK && st != SOTTO_EREFUSED))
		return st;
	if (st == SOTTO_EREFUSED) {
		*lower = 0;
		*upper = INFINITY;
	}
	sotto_contour_free(c->contour); /* its nodes and a grid would be a lot of memory */
	c->contour = NULL;
	SOTTO_TRY(grid_of_its_own(c, level, lower, upper));
	return isfinite(*upper) ? SOTTO_OK : st;
}

/* By a grid that comes first, and in the usual way where that is not sharp. */
static enum sotto_status grid_first(struct sotto_composed *c, const struct sotto_level *level,
				    double *lower, double *upper)
{
	double low = 0, high = INFINITY;
	enum sotto_status st;

	SOTTO_TRY(grid_of_its_own(c, level, &low, &high));
	if (is_settled(SOTTO_OK, low, high)) {
		*lower = low;
		*upper = high;
		return SOTTO_OK;
	}
	st = sotto_composed_patient_epsilon(c, level, lower, upper);
	if (st == SOTTO_EREFUSED && isfinite(high)) {
		*lower = 0;
		*upper = INFINITY;
		st = SOTTO_OK;
	}
	*lower = fmax(*lower, low);
	*upper = fmin(*upper, high);
	return st;
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
	enum sotto_status st, placed;

	if (is_short_of_work(c) || (c->cut && is_slow_in_cells(c->terms)))
		return grid_first(c, level, lower, upper);
	if (c->cut)
		return usual_epsilon(c, level, lower, upper);
	placed = st = find_place(c, level, &line);
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
	st = placed == SOTTO_OK ? sotto_composed_patient_epsilon(c, level, lower, upper)
				: usual_epsilon(c, level, lower, upper);
	if (st == SOTTO_EREFUSED) {
		*lower = 0;
		*upper = INFINITY;
		st = isfinite(high) ? SOTTO_OK : st;
	}
	*lower = fmax(*lower, low);
	*upper = fmin(*upper, high);
	return st;
}
