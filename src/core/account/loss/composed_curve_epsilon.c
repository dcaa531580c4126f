/*
 * Searches the epsilon at which a composed curve has a given delta: near the largest loss, by rare
 * outcomes, by a contour, and by cells, until two sides are near to each other.
 */
#include "core/account/loss/composed_curve.h"

#include <math.h>

#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/loss/composed_curve_inside.h"
#include "core/account/loss/measure/discretized_curve.h"
#include "core/account/loss/rare_curve.h"
#include "core/base/failure.h"

/* Sides that are nearer to each other than this are not tried to be brought nearer by cells. */
#define NARROW 2e-5
/* Bounds of events with rare outcomes that are as sharp as wanted. */
#define RARE_NARROW 2e-5
/* What is left for the other direction where a finer search would use up all. */
#define KEPT 0.2
/* How far values are apart that tell a slope, over that of the contour. */
#define STEEP_STEP 0.02

static enum sotto_status finite_high(void *context, double x, double *out)
{
	double low;

	return sotto_composed_finite(context, x, &low, out);
}

static enum sotto_status finite_low(void *context, double x, double *out)
{
	double high;

	return sotto_composed_finite(context, x, out, &high);
}

/* The two roots, where some are known already: these stay if no work is left, but for that of the other direction. */
static enum sotto_status search_finely(struct sotto_composed *c, struct sotto_root *r,
				       double log_down, double log_up, double *lower,
				       double *upper)
{
	struct sotto_work *work = c->terms->work;
	bool keeps = work && isfinite(*upper) && !sotto_composed_is_symmetric(c);
	double low = *lower, high = *upper, kept = keeps ? KEPT * fmax(0, work->left) : 0;
	enum sotto_status st;

	sotto_work_set_aside(work, kept);
	st = sotto_root_both(r, finite_low, finite_high, log_down, log_up, &low, &high);
	sotto_work_give_back(work, kept);
	if (st == SOTTO_EREFUSED && isfinite(*upper))
		return SOTTO_OK;
	if (st == SOTTO_OK) {
		*lower = fmax(*lower, low);
		*upper = fmin(*upper, high);
	}
	return st;
}

/* How steep log delta is there, from two values. */
static enum sotto_status find_steepness(struct sotto_composed *c, double epsilon, double *steep)
{
	double step = fmin(0.5 * epsilon, STEEP_STEP / c->tilt), low, high, near_low, near_high;

	*steep = 0;
	SOTTO_TRY(sotto_composed_finite(c, epsilon, &low, &high));
	SOTTO_TRY(sotto_composed_finite(c, epsilon - step, &near_low, &near_high));
	if (near_low > high)
		*steep = 0.5 * ((near_low - low) + (near_high - high)) / step;
	return SOTTO_OK;
}

/*
 * Few nodes only find the place, but what they find are bounds.  Then smoothing is chosen for how steep delta is there: far below the saddle point much
 * steeper than the contour's order says.
 */
static enum sotto_status search_roughly(struct sotto_composed *c, struct sotto_root *r,
					double log_down, double log_up, double *lower,
					double *upper)
{
	r->tolerance = 1e-6;
	SOTTO_TRY(sotto_root_both(r, finite_low, finite_high, log_down, log_up, lower, upper));
	if (isfinite(*upper)) {
		r->guess = *upper;
		SOTTO_TRY(find_steepness(c, *upper, &c->measure.steepness));
	}
	c->nodes = SOTTO_FINE_NODES;
	r->tolerance = 1e-10;
	return SOTTO_OK;
}

/* The two roots of the finite part; *stuck if the contour is of no use. */
static enum sotto_status search(struct sotto_composed *c, double log_down, double log_up,
				double *lower, double *upper, bool *stuck)
{
	const struct sotto_loss_measure *m = &c->measure;
	struct sotto_root r = {.context = c, .most = m->top, .tolerance = 1e-13};
	double low, high, log_delta, curvature;

	r.guess = sotto_saddle_epsilon(m, log_down);
	if (r.guess >= m->top)
		r.guess = m->top * (1 - 1e-9);
	r.slope = -sotto_saddle_point(m, r.guess, &log_delta, &curvature);
	c->searching = true;
	SOTTO_TRY(sotto_composed_finite(c, r.guess, &low, &high));
	*stuck = !c->exact && sotto_composed_is_hopeless(low, high);
	if (*stuck)
		return SOTTO_OK;
	*lower = 0;
	*upper = INFINITY;
	if (high - low > SOTTO_WIDE_DELTA && sotto_composed_wants_nodes(c))
		SOTTO_TRY(search_roughly(c, &r, log_down, log_up, lower, upper));
	c->searching = false;
	return search_finely(c, &r, log_down, log_up, lower, upper);
}

/* By rare outcomes alone, which are not tried again if that says too little. */
static enum sotto_status search_rare(struct sotto_composed *c, double log_down, double log_up,
				     double *lower, double *upper)
{
	enum sotto_status st = SOTTO_EREFUSED;

	if (c->rare)
		st = sotto_rare_curve_epsilon(c->rare, log_down, log_up, lower, upper);
	if (st != SOTTO_OK) {
		*lower = 0;
		*upper = INFINITY;
	}
	if (!(*upper - *lower <= RARE_NARROW)) {
		sotto_rare_curve_free(c->rare);
		c->rare = NULL;
	}
	return st == SOTTO_EREFUSED ? SOTTO_OK : st;
}

/* By rare outcomes, and by a contour where these say too little. */
static enum sotto_status search_both(struct sotto_composed *c, double log_down, double log_up,
				     double *lower, double *upper, bool *stuck)
{
	double low, high;
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(search_rare(c, log_down, log_up, &low, &high));
	if (high - low > RARE_NARROW)
		st = search(c, log_down, log_up, lower, upper, stuck);
	if (high - low <= RARE_NARROW || (st == SOTTO_EREFUSED && isfinite(high))) {
		*lower = low; /* after a refusal better than nothing */
		*upper = high;
		return SOTTO_OK;
	}
	SOTTO_TRY(st);
	*lower = fmax(*lower, low);
	*upper = fmin(*upper, high);
	return SOTTO_OK;
}

/* Of too few laws that are bounded far out a contour may say little: cells may then say more. */
static enum sotto_status narrow_by_cells(const struct sotto_composed *c,
					 const struct sotto_level *level, double *lower,
					 double *upper)
{
	struct sotto_work *work = c->terms->work;
	double low = 0, high = INFINITY, kept;
	struct sotto_discretized_curve *cut;
	enum sotto_status st;

	if (!c->measure.has_lists || *upper - *lower <= NARROW || sotto_work_is_spent(work))
		return SOTTO_OK;
	kept = work ? work->left / 2 : 0; /* for the other direction */
	sotto_work_set_aside(work, kept);
	st = sotto_discretized_curve_new(c->terms, c->direction, true, &cut);
	if (st == SOTTO_OK) {
		st = sotto_discretized_curve_epsilon(cut, level, &low, &high);
		sotto_discretized_curve_free(cut);
	}
	sotto_work_give_back(work, kept);
	if (st == SOTTO_OK) {
		*lower = fmax(*lower, low);
		*upper = fmin(*upper, high);
	}
	return st == SOTTO_EREFUSED ? SOTTO_OK : st;
}

enum sotto_status sotto_composed_epsilon(struct sotto_composed *c,
					 const struct sotto_level *level, double *lower,
					 double *upper)
{
	const struct sotto_loss_measure *m = &c->measure;
	double log_down, log_up, low, high;
	bool stuck = false;
	int verdict;

	if (c->cut)
		return sotto_discretized_curve_epsilon(c->cut, level, lower, upper);
	verdict = sotto_measure_target(m, level->delta, &log_down, &log_up);
	*lower = *upper = INFINITY;
	if (verdict < 0)
		return SOTTO_OK;
	if (m->n == 0 && m->mu2 == 0) {
		*lower = 0;
		*upper = verdict > 0 ? 0 : INFINITY;
		return SOTTO_OK;
	}
	if (sotto_measure_is_at_top(m, log_up)) {
		*lower = fmax(0, sotto_ulps_down(m->top_low, 2));
		*upper = verdict > 0 ? m->top : INFINITY;
		return SOTTO_OK;
	}
	if (isinf(log_up))
		return SOTTO_OK;
	if (isinf(log_down)) { /* what was left out may use up delta */
		*lower = 0;
		return narrow_by_cells(c, level, lower, upper);
	}
	if (sotto_measure_near_top(m, log_down, log_up, &low, &high)) {
		*lower = low;
		*upper = fmin(high, m->top);
		return SOTTO_OK;
	}
	SOTTO_TRY(search_both(c, log_down, log_up, lower, upper, &stuck));
	if (!stuck)
		return narrow_by_cells(c, level, lower, upper);
	SOTTO_TRY(sotto_composed_need_cut(c));
	return sotto_discretized_curve_epsilon(c->cut, level, lower, upper);
}
