/*
 * Starts with a coarse contour near the epsilon asked for and spends more only where its two
 * bounds are apart: residues, more nodes, fewer digits, and at last cells.
 */
#include "core/account/loss/composed_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/contour/contour.h"
#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/loss/composed_curve_inside.h"
#include "core/account/loss/convolved/convolved_curve.h"
#include "core/account/loss/finite/finite_sum.h"
#include "core/account/loss/laplace/laplace_residues.h"
#include "core/account/loss/measure/discretized_curve.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/account/loss/rare_curve.h"
#include "core/base/failure.h"

/*
 * Sums and contours serve this far from their place, in units of 1/slope, and farther where there is to be one; a contour also
 * farther if it is as sharp as this.
 */
#define NEAR 0.3
#define NEAR_OF_ONE 1.0
#define STRETCH 8
#define SHARP 1e-10
#define SHARP_ENOUGH 1e-2 /* while searching */
#define AWAY 1e3
/* So many laws may be priced with fewer digits, where bounds of log delta are farther apart than this. */
enum { ROUGH_LAWS = 8 };
#define ROUGH_FROM 1e-6
/* Of many laws epsilon is good to this at best, and log delta to a slope times as much. */
#define SHARP_OF_MANY 1e-7
/* And of any where a contour takes so much of the work that is left. */
#define COSTLY 0.05
/* Bounds of log delta, of events with rare outcomes, that are as sharp as wanted. */
#define RARE_WIDE 1e-5
/* A sum of losses is good to some u of epsilon: a tilt above this, over epsilon, blurs it. */
#define TILT_MAX 1e12

/* Orders that Chernoff's bound is tried at, what each may take (work.h), and what is left for errors of K. */
enum { CHERNOFF_ORDERS = 3 };
#define CHERNOFF_STEPS 1e7
#define CHERNOFF_MARGIN 1e-3
#define CHERNOFF_OF_EACH 1e-11

void sotto_composed_free(struct sotto_composed *c)
{
	if (!c)
		return;
	sotto_finite_sum_free(c->sums);
	sotto_laplace_sum_free(c->residues);
	sotto_contour_free(c->contour);
	sotto_rare_curve_free(c->rare);
	sotto_discretized_curve_free(c->cut);
	if (c->measured)
		sotto_measure_release(&c->measure);
	free(c);
}

/* A lattice so fine that a contour cannot go through its period is of no use. */
static bool has_usable_lattice(const struct sotto_loss_measure *m)
{
	return m->lattice && !(m->top > 1e6 * mpq_get_d(m->spacing));
}

/* Takes the laws as lists of atoms where that leads to a sum over all outcomes. */
static enum sotto_status list_atoms(struct sotto_composed *c)
{
	struct sotto_loss_measure listed;
	enum sotto_status st;

	if (c->exact || has_usable_lattice(&c->measure))
		return SOTTO_OK;
	st = sotto_measure_list(&listed, c->terms, c->direction);
	if (st != SOTTO_OK)
		return st == SOTTO_EREFUSED ? SOTTO_OK : st;
	c->exact = sotto_exact_fits(&listed);
	if (c->exact) {
		sotto_measure_release(&c->measure);
		c->measure = listed;
	} else {
		sotto_measure_release(&listed);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_composed_new(const struct sotto_terms *t,
				     enum sotto_direction direction,
				     struct sotto_composed **out)
{
	struct sotto_composed *c = calloc(1, sizeof *c);
	enum sotto_status st;

	if (!c)
		return SOTTO_ENOMEM;
	c->terms = t;
	c->direction = direction;
	sotto_composed_start(c);
	st = sotto_measure_of(&c->measure, t, direction);
	c->measured = st == SOTTO_OK;
	if (st == SOTTO_EREFUSED)
		st = sotto_discretized_curve_new(t, direction, false, &c->cut);
	if (st != SOTTO_OK) {
		sotto_composed_free(c);
		return st;
	}
	if (c->measured) {
		c->exact = sotto_exact_is_quick(&c->measure) ||
			   (!has_usable_lattice(&c->measure) && sotto_exact_fits(&c->measure));
		st = list_atoms(c);
	}
	if (st == SOTTO_OK && c->measured && !c->exact && !has_usable_lattice(&c->measure)) {
		st = sotto_rare_curve_new(&c->measure, &c->rare);
		st = st == SOTTO_EREFUSED ? SOTTO_OK : st;
	}
	if (st != SOTTO_OK) {
		sotto_composed_free(c);
		return st;
	}
	*out = c;
	return SOTTO_OK;
}

bool sotto_composed_is_quick(const struct sotto_composed *c)
{
	return c->measured && sotto_exact_is_quick(&c->measure);
}

bool sotto_composed_is_symmetric(const struct sotto_composed *c)
{
	return !sotto_terms_are_one_sided(c->terms);
}

const char *sotto_composed_way(const struct sotto_composed *c)
{
	return c->cut ? "cells" : c->residues ? "residues" : c->exact ? "exact sum" : "contour";
}

/* Sums or contour were made for less than this many 1/slope away. */
static bool is_within(const struct sotto_composed *c, double epsilon, double reach)
{
	return (c->sums || c->contour) && fabs(epsilon - c->prepared) * c->tilt < reach &&
	       (c->exact || c->made_with == c->nodes);
}

static bool is_near(const struct sotto_composed *c, double epsilon)
{
	return is_within(c, epsilon, sotto_composed_has_one_contour(c) ? NEAR_OF_ONE : NEAR);
}

static enum sotto_status aim(struct sotto_composed *c, double epsilon)
{
	const struct sotto_work *work = c->terms->work;
	double log_delta, curvature, before = work ? work->used : 0;

	if (is_near(c, epsilon))
		return SOTTO_OK;
	c->prepared = epsilon;
	if (c->exact) {
		c->tilt = sotto_saddle_point(&c->measure, epsilon, &log_delta, &curvature);
		c->tilt = fmin(c->tilt, TILT_MAX / epsilon);
		sotto_finite_sum_free(c->sums);
		c->sums = NULL;
		return sotto_finite_sum_new(&c->measure, c->tilt, &c->sums);
	}
	sotto_contour_free(c->contour);
	c->contour = NULL;
	SOTTO_TRY(sotto_contour_new(&c->measure, &c->measure, epsilon, c->hint, c->nodes,
				    &c->contour));
	c->tilt = -sotto_contour_slope(c->contour);
	c->made_with = c->nodes;
	c->made_steps = work ? work->used - before : 0;
	return SOTTO_OK;
}

/* Whether so few more contours can be made that a search might not end. */
static bool is_costly(const struct sotto_composed *c)
{
	const struct sotto_work *work = c->terms->work;

	return work && c->made_steps > COSTLY * work->left;
}

/* Another contour would use up the work, and so say nothing. */
static bool is_the_last(const struct sotto_composed *c)
{
	return sotto_composed_has_one_contour(c) &&
	       !sotto_work_allows(c->terms->work, c->made_steps);
}

/* How near the sides must be so that no other contour is tried: of many laws each is costly. */
static double enough(const struct sotto_composed *c, double sharp)
{
	return c->measure.of_many || c->measure.has_clones || c->measure.rough || is_costly(c)
		       ? fmax(sharp, SHARP_OF_MANY * c->tilt)
		       : sharp;
}

/* Far enough from the level that is searched for, beside how far the sides are apart, to tell where to look next: of hundreds of laws a contour there is costly. */
static bool is_away(const struct sotto_composed *c, double log_low, double log_high)
{
	double width = AWAY * (log_high - log_low);

	return c->measure.of_hundreds &&
	       (log_low - c->level > width || c->level - log_high > width);
}

static enum sotto_status
contour_delta(struct sotto_composed *c, double epsilon, double *log_low, double *log_high)
{
	if (is_within(c, epsilon, STRETCH) && !is_near(c, epsilon)) {
		SOTTO_TRY(sotto_contour_delta(c->contour, epsilon, log_low, log_high));
		if (*log_high - *log_low <= (c->searching ? SHARP_ENOUGH : enough(c, SHARP)) ||
		    is_away(c, *log_low, *log_high) || is_the_last(c))
			return SOTTO_OK;
	}
	SOTTO_TRY(aim(c, epsilon));
	SOTTO_TRY(sotto_contour_delta(c->contour, epsilon, log_low, log_high));
	if (*log_high - *log_low <= enough(c, SOTTO_WIDE_DELTA) ||
	    !sotto_contour_was_too_bold(c->contour, *log_high))
		return SOTTO_OK;
	c->hint = *log_high - 5;
	if (c->searching && c->measure.of_many && *log_high - *log_low <= SHARP_ENOUGH)
		return SOTTO_OK; /* the next one goes by the hint */
	sotto_contour_free(c->contour);
	c->contour = NULL;
	SOTTO_TRY(aim(c, epsilon));
	return sotto_contour_delta(c->contour, epsilon, log_low, log_high);
}

/* Exact sums and residues are as sharp as they get. */
bool sotto_composed_wants_nodes(const struct sotto_composed *c)
{
	return !c->exact && !c->residues && c->contour && sotto_contour_wants_nodes(c->contour);
}

/*
 * The contour with few nodes is tried first.  Where it is wide, residues are exact for few
 * Laplace events, and else more nodes are spent.
 */
static enum sotto_status
sharpen(struct sotto_composed *c, double epsilon, double *log_low, double *log_high)
{
	if (sotto_laplace_sum_fits(c->terms) && !sotto_work_is_spent(c->terms->work)) {
		SOTTO_TRY(sotto_laplace_sum_new(c->terms, c->direction, &c->residues));
		return sotto_laplace_sum_delta(c->residues, epsilon, log_low, log_high);
	}
	if (c->searching || c->nodes == SOTTO_FINE_NODES || !sotto_composed_wants_nodes(c))
		return SOTTO_OK;
	c->nodes = SOTTO_FINE_NODES;
	return contour_delta(c, epsilon, log_low, log_high);
}

/*
 * Some laws of few outcomes are too many for an exact sum, and too few for nodes far out to be nothing: a contour that wants all digits then has too many
 * nodes, and says little.  With fewer digits it says much.
 */
static bool may_be_rough(const struct sotto_composed *c, double log_low, double log_high)
{
	return !c->measure.rough && c->measure.n >= ROUGH_LAWS && !c->measure.of_many &&
	       log_high - log_low > ROUGH_FROM && !sotto_work_is_spent(c->terms->work);
}

static enum sotto_status
be_rough(struct sotto_composed *c, double epsilon, double *log_low, double *log_high)
{
	double low, high;

	c->measure.rough = true;
	c->nodes = SOTTO_FINE_NODES;
	sotto_contour_free(c->contour);
	c->contour = NULL;
	SOTTO_TRY(contour_delta(c, epsilon, &low, &high));
	*log_low = fmax(*log_low, low);
	*log_high = fmin(*log_high, high);
	return SOTTO_OK;
}

/* log delta of the measure's finite part */
static enum sotto_status
compute_delta(struct sotto_composed *c, double epsilon, double *log_low, double *log_high)
{
	*log_low = *log_high = -INFINITY;
	if (epsilon >= c->measure.top || (c->measure.n == 0 && c->measure.mu2 == 0))
		return SOTTO_OK;
	if (c->residues)
		return sotto_laplace_sum_delta(c->residues, epsilon, log_low, log_high);
	if (c->exact) {
		SOTTO_TRY(aim(c, epsilon));
		sotto_finite_sum_delta(c->sums, epsilon, log_low, log_high);
		if (!may_be_rough(c, *log_low, *log_high))
			return SOTTO_OK;
		c->exact = false;
		return be_rough(c, epsilon, log_low, log_high);
	}
	SOTTO_TRY(contour_delta(c, epsilon, log_low, log_high));
	if (*log_high - *log_low <= SOTTO_WIDE_DELTA)
		return SOTTO_OK;
	if (may_be_rough(c, *log_low, *log_high))
		return be_rough(c, epsilon, log_low, log_high);
	return sharpen(c, epsilon, log_low, log_high);
}

/* By rare outcomes told apart, and also in another way where that says too little. */
static enum sotto_status
best_delta(struct sotto_composed *c, double epsilon, double *log_low, double *log_high)
{
	double low = -INFINITY, high = 0;
	enum sotto_status st = SOTTO_EREFUSED;

	if (c->rare)
		st = sotto_rare_curve_delta(c->rare, epsilon, &low, &high);
	if (st != SOTTO_OK && st != SOTTO_EREFUSED)
		return st;
	if (st == SOTTO_OK && high - low <= RARE_WIDE) {
		*log_low = low;
		*log_high = high;
		return SOTTO_OK;
	}
	st = compute_delta(c, epsilon, log_low, log_high);
	if (st == SOTTO_EREFUSED && !isinf(low)) {
		*log_low = low;
		*log_high = high;
		return SOTTO_OK;
	}
	*log_low = fmax(*log_low, low);
	*log_high = fmin(*log_high, high);
	return st;
}

enum sotto_status sotto_composed_finite(struct sotto_composed *c, double epsilon,
					double *log_low, double *log_high)
{
	struct sotto_composed_value *last = &c->last;
	bool as_sharp = c->searching || !last->searching ||
			last->log_high - last->log_low <= SOTTO_WIDE_DELTA;

	if (last->epsilon != epsilon || last->nodes != c->nodes || !as_sharp) {
		SOTTO_TRY(best_delta(c, epsilon, log_low, log_high));
		*last = (struct sotto_composed_value){epsilon, *log_low, *log_high, c->nodes,
						      c->searching};
	}
	*log_low = last->log_low;
	*log_high = last->log_high;
	return SOTTO_OK;
}

enum sotto_status sotto_composed_need_cut(struct sotto_composed *c)
{
	return c->cut ? SOTTO_OK
		      : sotto_discretized_curve_new(c->terms, c->direction, true, &c->cut);
}

enum sotto_status sotto_composed_delta(struct sotto_composed *c, double epsilon,
				       double *log_low, double *log_high)
{
	double low, high;

	if (!c->cut) {
		SOTTO_TRY(sotto_composed_finite(c, epsilon, &low, &high));
		if (c->exact || !sotto_composed_is_hopeless(low, high)) {
			*log_low = sotto_measure_whole_down(&c->measure, low);
			*log_high = sotto_measure_whole_up(&c->measure, high);
			return SOTTO_OK;
		}
	}
	SOTTO_TRY(sotto_composed_need_cut(c));
	return sotto_discretized_curve_delta(c->cut, epsilon, log_low, log_high);
}

/*
 * Whether delta is below the level by Chernoff's bound at a few orders, which takes K alone: for any c > 0
 * 1 - e^(-x) <= e^(cx) c^c/(c+1)^(c+1).  K is much better than the margin.
 */
static bool is_far_below(const struct sotto_composed *c, double epsilon, double log_delta)
{
	const struct sotto_loss_measure *m = &c->measure;
	double order = -2 * log_delta / epsilon, events = 0;

	for (size_t i = 0; i < m->n; i++)
		events += (double)m->laws[i].count;
	for (int i = 0; i < CHERNOFF_ORDERS && order > 0; i++, order /= 2) {
		double k[3], log_high;

		if (!(sotto_measure_cumulant_steps(m, order) < CHERNOFF_STEPS))
			continue;
		sotto_measure_cumulants(m, order, k);
		log_high = k[0] - order * epsilon - log1p(order) - order * log1p(1 / order) +
			   CHERNOFF_MARGIN * (1 + fabs(k[0]) + order * epsilon) +
			   CHERNOFF_OF_EACH * events;
		if (sotto_measure_whole_up(m, fmin(0, log_high)) < log_delta)
			return true;
	}
	return false;
}

/* The same by rare outcomes. */
static enum sotto_status
is_rarely_above(struct sotto_composed *c, double epsilon, double log_delta, bool *yes)
{
	double log_down, log_up;
	struct sotto_level level;
	enum sotto_status st;

	if (!c->rare)
		return SOTTO_OK;
	sotto_level_init_log(&level, log_delta);
	(void)sotto_measure_target(&c->measure, level.delta, &log_down, &log_up);
	sotto_level_release(&level);
	st = sotto_rare_curve_is_below(c->rare, epsilon, log_down, yes);
	return st == SOTTO_EREFUSED ? SOTTO_OK : st;
}

static enum sotto_status
is_below(struct sotto_composed *c, double epsilon, double log_delta, bool *yes)
{
	double low, high;

	*yes = false;
	if (!c->cut) {
		*yes = c->measure.of_many && is_far_below(c, epsilon, log_delta);
		if (*yes)
			return SOTTO_OK;
		SOTTO_TRY(is_rarely_above(c, epsilon, log_delta, yes));
		if (*yes)
			return SOTTO_OK;
	}
	if (sotto_composed_has_grid(c, log_delta)) /* epsilon takes little more than a value */
		return SOTTO_OK;
	if (!c->cut) {
		SOTTO_TRY(sotto_composed_finite(c, epsilon, &low, &high));
		*yes = sotto_measure_whole_up(&c->measure, high) < log_delta;
		if (c->exact || !sotto_composed_is_hopeless(low, high))
			return SOTTO_OK;
	}
	SOTTO_TRY(sotto_composed_need_cut(c));
	return sotto_discretized_curve_is_below(c->cut, epsilon, log_delta, yes);
}

/* Where no work is left for that there may be a grid, which has its own. */
enum sotto_status
sotto_composed_is_below(struct sotto_composed *c, double epsilon, double log_delta, bool *yes)
{
	enum sotto_status st = is_below(c, epsilon, log_delta, yes);

	if (st != SOTTO_EREFUSED || !sotto_convolved_curve_fits(c->terms))
		return st;
	*yes = false;
	return SOTTO_OK;
}
