/*
 * A coarse measure finds the place, then the upper and the lower one are asked there; cells are
 * made again when the hint of delta has become much smaller.
 */
#include "core/account/loss/measure/discretized_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/contour/contour.h"
#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/loss/measure/discretized_curve_inside.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

/* Nodes to spend on one side alone, on both at a time, and to find the place. */
enum { NODES = 1 << 19, NODES_OF_TWO = 1 << 17, COARSE_NODES = 1 << 13 };
/* And on one side or on both of laws that are cut finely. */
enum { FINE_NODES = 1 << 16, FINE_NODES_OF_TWO = 3 << 14 };
/* Where the first, rough cut takes more steps (work.h) values are slow, and points that are few to begin with are not made twice. */
#define ROUGH_STEPS 4e7
/* Contours beyond this order are near the largest loss, where points are as good as any. */
#define ORDER_MAX 1e6

/* A lower side that says nothing so often is given up: the work is left to the other direction. */
enum { BLIND_MAX = 2 };

/* log of a delta: to begin with, and how far below an answer the next hint lies. */
#define FIRST_HINT (-30)
#define MARGIN 10
/* What is cut off is smaller than the hint by exp(-CUT_OFF), for each event. */
#define CUT_OFF 42

static void drop(struct sotto_cut_line *l)
{
	sotto_contour_free(l->contour);
	l->contour = NULL;
}

static void clear(struct sotto_discretized_curve *c)
{
	drop(&c->above);
	drop(&c->below);
	drop(&c->coarse);
	if (c->made)
		sotto_cut_measures_release(&c->measures);
	c->made = false;
}

void sotto_discretized_curve_free(struct sotto_discretized_curve *c)
{
	if (!c)
		return;
	clear(c);
	free(c);
}

/* Of a delta that will be searched for. */
static double hint_for(double log_delta)
{
	return log_delta - 3;
}

enum sotto_status sotto_discretized_curve_new(const struct sotto_terms *t,
					      enum sotto_direction direction, bool hopeless,
					      struct sotto_discretized_curve **out)
{
	struct sotto_discretized_curve *c;

	if (!sotto_cells_possible(t))
		return SOTTO_EREFUSED;
	c = calloc(1, sizeof *c);
	if (!c)
		return SOTTO_ENOMEM;
	c->terms = t;
	c->direction = direction;
	c->extent =
		hopeless || t->n <= SOTTO_CUT_MANY_TERMS ? SOTTO_CUT_ALL : SOTTO_CUT_LAWLESS;
	sotto_discretized_count_cells(c);
	if (c->laws > SOTTO_CUT_LAWS_MAX) {
		free(c);
		return SOTTO_EREFUSED;
	}
	*out = c;
	return SOTTO_OK;
}

/* Cuts the others too, where nothing could be said; false, and all as it was, if that is done already or would be too many. */
static bool cut_more(struct sotto_discretized_curve *c)
{
	enum sotto_cut_extent before = c->extent;
	bool fine = c->fine;

	c->extent = SOTTO_CUT_ALL;
	c->fine = false;
	sotto_discretized_count_cells(c);
	if (before == SOTTO_CUT_ALL || c->laws > SOTTO_CUT_LAWS_MAX) {
		c->extent = before;
		c->fine = fine;
		sotto_discretized_count_cells(c);
		return false;
	}
	clear(c);
	return true;
}

static enum sotto_status set_hint(struct sotto_discretized_curve *c, double log_delta)
{
	struct sotto_cutting cutting = {
		c->cells,
		CUT_OFF + c->log_count - log_delta,
		c->terms->work,
		c->laws,
		sotto_discretized_is_of_many(c),
		c->extent,
		c->fine ? c->order : 0,
		c->fine ? SOTTO_FINE_WIDTH / (double)(c->laws + 1) : 0,
		c->even == c->laws,
		c->fine ? c->needs : NULL,
		false,
	};
	enum sotto_status st;

	if (c->made && log_delta == c->hint)
		return SOTTO_OK;
	clear(c);
	c->hint = log_delta;
	if (!sotto_work_take(c->terms->work, 10 * (double)c->cells))
		return SOTTO_EREFUSED;
	c->steps = c->terms->work ? c->terms->work->left : 0;
	st = sotto_measure_cut(&c->measures, c->terms, c->direction, &cutting);
	c->steps -= c->terms->work ? c->terms->work->left : 0;
	if (st == SOTTO_EREFUSED &&
	    cut_more(c)) /* of an event that has a law of its own, as a rule */
		return set_hint(c, log_delta);
	SOTTO_TRY(st);
	c->made = true;
	c->above = (struct sotto_cut_line){.measure = &c->measures.above, .nodes = NODES};
	c->below = (struct sotto_cut_line){.measure = &c->measures.below, .nodes = NODES};
	c->steer = cutting.of_many ? &c->measures.above : &c->measures.coarse;
	c->coarse = (struct sotto_cut_line){.measure = c->steer, .nodes = COARSE_NODES};
	return SOTTO_OK;
}

/* Cuts again, for the contour that goes through epsilon. */
static enum sotto_status cut_finely(struct sotto_discretized_curve *c, double epsilon)
{
	double log_delta, curvature, hint = c->hint;

	if (c->fine || !sotto_discretized_may_be_fine(c))
		return SOTTO_OK;
	if (c->steps > ROUGH_STEPS) {
		size_t rough = c->cells;

		c->slow = true;
		sotto_discretized_count_affordable(c);
		if (c->cells <= rough) /* there is no work left for better ones */
			return SOTTO_OK;
		clear(c);
		return set_hint(c, hint);
	}
	c->order = sotto_saddle_point(c->steer, epsilon, &log_delta, &curvature);
	c->fine = c->order < ORDER_MAX;
	sotto_discretized_find_needs(c);
	sotto_discretized_count_cells(c);
	if (!c->fine)
		return SOTTO_OK;
	clear(c);
	return set_hint(c, hint);
}

/* log delta of the finite part by one measure. */
static enum sotto_status line_delta(struct sotto_discretized_curve *c, struct sotto_cut_line *l,
				    double epsilon, double *log_low, double *log_high)
{
	*log_low = *log_high = -INFINITY;
	if (epsilon >= l->measure->top)
		return SOTTO_OK;
	if (!l->contour || l->made_with != l->nodes ||
	    !(fabs(epsilon - l->prepared) * l->tilt < 0.3)) {
		drop(l);
		SOTTO_TRY(sotto_contour_new(l->measure, c->steer, epsilon, c->hint, l->nodes,
					    &l->contour));
		l->made_with = l->nodes;
		l->prepared = epsilon;
		l->tilt = -sotto_contour_slope(l->contour);
	}
	return sotto_contour_delta(l->contour, epsilon, log_low, log_high);
}

static enum sotto_status value_above(void *context, double x, double *out)
{
	struct sotto_discretized_curve *c = context;
	double low, high;

	SOTTO_TRY(line_delta(c, &c->above, x, &low, &high));
	*out = sotto_measure_whole_up(c->above.measure, high);
	return SOTTO_OK;
}

static enum sotto_status value_below(void *context, double x, double *out)
{
	struct sotto_discretized_curve *c = context;
	double low, high;

	SOTTO_TRY(line_delta(c, &c->below, x, &low, &high));
	*out = sotto_measure_whole_down(c->below.measure, low);
	c->blind = isinf(*out) && x < c->below.measure->top ? c->blind + 1 : 0;
	return c->blind < BLIND_MAX ? SOTTO_OK : SOTTO_EREFUSED;
}

static enum sotto_status value_coarse(void *context, double x, double *out)
{
	struct sotto_discretized_curve *c = context;
	double low, high;

	SOTTO_TRY(line_delta(c, &c->coarse, x, &low, &high));
	*out = sotto_measure_whole_up(c->coarse.measure, high);
	return SOTTO_OK;
}

enum sotto_status sotto_discretized_curve_delta(struct sotto_discretized_curve *c,
						double epsilon, double *log_low,
						double *log_high)
{
	sotto_work_use(c->terms->work, 3000);
	if (!c->made)
		SOTTO_TRY(set_hint(c, FIRST_HINT));
	SOTTO_TRY(cut_finely(c, epsilon));
	for (int i = 0; i < 4; i++) {
		c->above.nodes = c->below.nodes = c->fine ? FINE_NODES_OF_TWO : NODES_OF_TWO;
		SOTTO_TRY(value_above(c, epsilon, log_high));
		if (*log_high > c->hint || isinf(*log_high))
			break;
		SOTTO_TRY(set_hint(c, *log_high - MARGIN)); /* what was cut off matters */
	}
	if (*log_high == 0 && cut_more(c))
		return sotto_discretized_curve_delta(c, epsilon, log_low, log_high);
	c->blind = 0;
	return value_below(c, epsilon, log_low);
}

enum sotto_status sotto_discretized_curve_is_below(struct sotto_discretized_curve *c,
						   double epsilon, double log_delta, bool *yes)
{
	double log_high;

	*yes = false;
	if (isinf(log_delta)) /* tails were cut off */
		return SOTTO_OK;
	SOTTO_TRY(set_hint(c, hint_for(log_delta)));
	SOTTO_TRY(cut_finely(c, epsilon));
	c->above.nodes = c->fine ? FINE_NODES_OF_TWO : NODES_OF_TWO;
	SOTTO_TRY(value_above(c, epsilon, &log_high));
	*yes = log_high < log_delta;
	return SOTTO_OK;
}

/* About where the coarse measure has this delta. */
static double place_of(const struct sotto_discretized_curve *c, const struct sotto_level *level)
{
	return fmin(sotto_saddle_epsilon(c->steer, level->log_down),
		    c->steer->top * (1 - 1e-9));
}

/* Where the coarse measure, which dominates, has this delta: a bound already. */
static enum sotto_status find_place(struct sotto_discretized_curve *c,
				    const struct sotto_level *level, struct sotto_root *r,
				    double *upper)
{
	const struct sotto_loss_measure *m = c->steer;
	double curvature, log_delta, found;

	r->guess = place_of(c, level);
	r->slope = -sotto_saddle_point(m, r->guess, &log_delta, &curvature);
	r->value = value_coarse;
	r->level = level->log_down;
	r->most = m->top;
	r->tolerance = 1e-3;
	if (sotto_discretized_is_of_many(c)) {
		r->tolerance = 1e-7;
		*upper = INFINITY;
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_root_above(r, &found));
	*upper = sotto_measure_whole_up(m, -INFINITY) > level->log_down ? INFINITY : found;
	if (isfinite(found))
		r->guess = found;
	r->tolerance = 1e-11;
	return SOTTO_OK;
}

static enum sotto_status find_upper(struct sotto_discretized_curve *c, struct sotto_root *r,
				    double log_delta, double *upper)
{
	const struct sotto_loss_measure *m = c->above.measure;

	*upper = INFINITY;
	if (sotto_measure_whole_up(m, -INFINITY) > log_delta) /* infinite losses alone */
		return SOTTO_OK;
	if (sotto_measure_is_at_top(m, log_delta)) {
		*upper = m->top;
		return SOTTO_OK;
	}
	r->value = value_above;
	r->level = log_delta;
	r->most = m->top;
	SOTTO_TRY(sotto_root_above(r, upper));
	drop(&c->above);
	return SOTTO_OK;
}

static enum sotto_status find_lower(struct sotto_discretized_curve *c, struct sotto_root *r,
				    double log_delta, double *lower)
{
	const struct sotto_loss_measure *m = c->below.measure;

	if (sotto_measure_is_at_top(m, log_delta - m->log_kept)) {
		*lower = fmax(0, sotto_ulps_down(m->top_low, 2));
		return SOTTO_OK;
	}
	r->value = value_below;
	r->level = log_delta;
	r->most = m->top;
	SOTTO_TRY(sotto_root_below(r, lower));
	drop(&c->below);
	return SOTTO_OK;
}

/*
 * The coarse measure finds the place.  The nodes above are let go before those below are
 * made: both together would be a lot of memory.
 */
enum sotto_status sotto_discretized_curve_epsilon(struct sotto_discretized_curve *c,
						  const struct sotto_level *level,
						  double *lower, double *upper)
{
	struct sotto_root r = {.context = c};
	enum sotto_status st;
	double rough;

	*lower = 0;
	*upper = INFINITY;
	if (isinf(level->log_down)) /* tails were cut off, so no delta cannot be met */
		return SOTTO_OK;
	SOTTO_TRY(set_hint(c, hint_for(level->log_down)));
	if (!(sotto_measure_whole_up(&c->measures.above, -INFINITY) > level->log_down))
		SOTTO_TRY(cut_finely(c, place_of(c, level)));
	c->above.nodes = c->below.nodes = c->fine ? FINE_NODES : NODES;
	SOTTO_TRY(find_place(c, level, &r, upper));
	rough = *upper;
	st = find_upper(c, &r, level->log_down, upper);
	if (st == SOTTO_EREFUSED && isfinite(rough)) { /* no work left */
		*upper = rough;
		return SOTTO_OK;
	}
	SOTTO_TRY(st);
	if (isinf(*upper) && cut_more(c))
		return sotto_discretized_curve_epsilon(c, level, lower, upper);
	if (isfinite(*upper))
		r.guess = *upper;
	c->blind = 0;
	st = find_lower(c, &r, level->log_up, lower);
	if (st == SOTTO_EREFUSED)
		*lower = 0;
	return st == SOTTO_EREFUSED ? SOTTO_OK : st;
}
