/*
 * Losses are counted from the sum of the usual ones, whose digits would otherwise be lost: its error moves epsilon, and nothing
 * else.
 */
#include "core/account/loss/rare_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/contour/contour.h"
#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/law/rare/law_rare.h"
#include "core/account/law/rare/rare_atoms.h"
#include "core/account/law/sgauss_told.h"
#include "core/account/loss/rare_search.h"
#include "core/base/failure.h"

/* Other laws beside listed ones, at most; and events, more than these. */
enum { OTHERS_MAX = 32, EVENTS_MIN = 16 };
/* Nodes of a contour: to find the place, and to be sharp there. */
enum { COARSE_NODES = 1 << 15, NODES = 1 << 24 };
/* A contour serves so far from its place, in units of 1/slope, and farther if it is as sharp as this. */
#define NEAR 0.3
#define STRETCH 8
#define SHARP 1e-7
/* While a place is searched for, also if the level is away from both sides, so many times as far as these are from each other. */
#define AWAY 4
/* First steps of a search, and how near it comes: with few nodes, and with many. */
#define STEP 1e-3
#define COARSE 1e-7
#define FINE 3e-8
/* An order at which laws show what they lose on average. */
#define LOW_ORDER 0.01
/* Sides of epsilon that are nearer to each other than this need no more nodes. */
#define ENOUGH 3e-7

struct sotto_rare_curve {
	struct sotto_rare *list;
	struct sotto_loss_measure
		measure; /* without the usual losses; laws but the first are borrowed */
	struct sotto_contour *contour;
	double prepared, tilt, hint;
	uint64_t nodes;
	double level; /* log of the delta that is searched for; NAN if none is */
};

void sotto_rare_curve_free(struct sotto_rare_curve *c)
{
	if (!c)
		return;
	sotto_contour_free(c->contour);
	c->measure.n = 0; /* the others are borrowed, and the first has nothing */
	sotto_measure_release(&c->measure);
	sotto_rare_free(c->list);
	free(c);
}

/*
 * Few events have sharper ways, and many with likely outcomes fall with t: where those are more than half, a
 * contour of all laws is sharp, and what this takes would be missing there.
 */
static bool is_worth_it(const struct sotto_rare_curve *c)
{
	size_t common = sotto_rare_count_common(c->list, 0), rare = c->list->n - common,
	       events = c->list->n;

	for (size_t i = 1; i < c->measure.n; i++)
		events += c->measure.laws[i].class == &sotto_law_laplace ? c->measure.laws[i].n
									 : 1;
	return 2 * rare >= events && events > EVENTS_MIN;
}

/* The laws that can be listed become the first law, and the others follow. */
static enum sotto_status gather(struct sotto_rare_curve *c, const struct sotto_loss_measure *m)
{
	struct sotto_law *law;
	size_t others = 0;

	SOTTO_TRY(sotto_measure_push(&c->measure, 1, &law));
	sotto_law_rare_of(law, c->list);
	c->measure.n = 1;
	for (size_t i = 0; i < m->n; i++) {
		if (sotto_rare_takes(&m->laws[i])) {
			SOTTO_TRY(sotto_rare_add(c->list, &m->laws[i]));
			continue;
		}
		others += !sotto_sgauss_is_told(&m->laws[i], 0);
		if (others > OTHERS_MAX)
			return SOTTO_EREFUSED;
		SOTTO_TRY(sotto_measure_push(&c->measure, m->laws[i].count, &law));
		*law = m->laws[i];
		c->measure.n++;
	}
	return is_worth_it(c) ? sotto_rare_sort(c->list) : SOTTO_EREFUSED;
}

static enum sotto_status build(struct sotto_rare_curve *c, const struct sotto_loss_measure *m)
{
	struct sotto_loss_measure *r = &c->measure;

	c->list = calloc(1, sizeof *c->list);
	if (!c->list)
		return SOTTO_ENOMEM;
	SOTTO_TRY(gather(c, m));
	sotto_work_use(m->work, 100 * (double)c->list->outcomes);
	r->work = m->work;
	r->mu2 = m->mu2;
	r->lattice = false;
	r->rough = true;
	r->top = INFINITY;
	r->shift = sotto_sum_total(&c->list->usual);
	r->order_max = SOTTO_RARE_ORDER;
	r->singles = r->n == 1 && r->mu2 == 0 ? c->list : NULL;
	return SOTTO_OK;
}

enum sotto_status
sotto_rare_curve_new(const struct sotto_loss_measure *m, struct sotto_rare_curve **out)
{
	struct sotto_rare_curve *c = calloc(1, sizeof *c);
	enum sotto_status st;

	if (!c)
		return SOTTO_ENOMEM;
	sotto_measure_init(&c->measure);
	c->level = NAN;
	c->nodes = NODES;
	st = build(c, m);
	if (st != SOTTO_OK) {
		sotto_rare_curve_free(c);
		return st;
	}
	*out = c;
	return SOTTO_OK;
}

/* From a loss to one that is counted from the usual losses, and how much it may be wrong by. */
static double from_usual(const struct sotto_rare_curve *c, double epsilon)
{
	return (epsilon - c->list->usual.value) - c->list->usual.rest;
}

static double shift_error(const struct sotto_rare_curve *c, double epsilon)
{
	return c->list->usual_error +
	       4 * SOTTO_U * (fabs(epsilon) + fabs(c->list->usual.value));
}

static bool is_within(const struct sotto_rare_curve *c, double x, double reach)
{
	return c->contour && fabs(x - c->prepared) * c->tilt < reach;
}

static enum sotto_status aim(struct sotto_rare_curve *c, double x)
{
	if (is_within(c, x, NEAR))
		return SOTTO_OK;
	sotto_contour_free(c->contour);
	c->contour = NULL;
	c->prepared = x;
	SOTTO_TRY(
		sotto_contour_new(&c->measure, &c->measure, x, c->hint, c->nodes, &c->contour));
	c->tilt = -sotto_contour_slope(c->contour);
	return SOTTO_OK;
}

/* Whether the sides are near enough to each other, or far enough from the level. */
static bool is_enough(const struct sotto_rare_curve *c, double log_low, double log_high)
{
	double width = log_high - log_low;

	return width <= SHARP * c->tilt || log_low - c->level > AWAY * width ||
	       c->level - log_high > AWAY * width;
}

/* log delta of the measure without the usual losses */
static enum sotto_status
delta_at(struct sotto_rare_curve *c, double x, double *log_low, double *log_high)
{
	if (is_within(c, x, STRETCH)) {
		SOTTO_TRY(sotto_contour_delta(c->contour, x, log_low, log_high));
		if (is_within(c, x, NEAR) || is_enough(c, *log_low, *log_high))
			return SOTTO_OK;
	}
	SOTTO_TRY(aim(c, x));
	SOTTO_TRY(sotto_contour_delta(c->contour, x, log_low, log_high));
	if (!sotto_contour_was_too_bold(c->contour, *log_high))
		return SOTTO_OK;
	c->hint = *log_high - 5;
	sotto_contour_free(c->contour);
	c->contour = NULL;
	SOTTO_TRY(aim(c, x));
	return sotto_contour_delta(c->contour, x, log_low, log_high);
}

enum sotto_status sotto_rare_curve_delta(struct sotto_rare_curve *c, double epsilon,
					 double *log_low, double *log_high)
{
	double x = from_usual(c, epsilon), wrong = shift_error(c, epsilon), other;

	SOTTO_TRY(delta_at(c, x - wrong, &other, log_high));
	return delta_at(c, x + wrong, log_low, &other);
}

static enum sotto_status
value_at(void *context, double epsilon, double *log_low, double *log_high)
{
	return delta_at(context, from_usual(context, epsilon), log_low, log_high);
}

/* Changes to contours with so many nodes. */
static void set_nodes(struct sotto_rare_curve *c, uint64_t nodes)
{
	c->nodes = nodes;
	sotto_contour_free(c->contour);
	c->contour = NULL;
}

enum sotto_status sotto_rare_curve_is_below(struct sotto_rare_curve *c, double epsilon,
					    double log_delta, bool *yes)
{
	double low, high;
	enum sotto_status st;

	set_nodes(c, COARSE_NODES);
	st = sotto_rare_curve_delta(c, epsilon, &low, &high);
	set_nodes(c, NODES);
	*yes = st == SOTTO_OK && high < log_delta;
	return st;
}

/* Whether the other laws hardly lose anything, so that rare outcomes alone tell where to look. */
static bool is_alone(const struct sotto_rare_curve *c)
{
	double k[3] = {0};

	for (size_t i = 1; i < c->measure.n; i++)
		sotto_measure_add_cumulants(&c->measure, i, LOW_ORDER, k);
	return k[1] < 1 && c->measure.mu2 < 1;
}

/* Roughly where to look. */
static double guess_for(const struct sotto_rare_curve *c, double log_delta)
{
	double slope, guess;

	if (!is_alone(c) || !sotto_rare_atoms_guess(c->list, log_delta, &guess, &slope))
		guess = sotto_saddle_epsilon(&c->measure, log_delta);
	return guess + c->measure.shift;
}

enum sotto_status sotto_rare_curve_epsilon(struct sotto_rare_curve *c, double log_down,
					   double log_up, double *lower, double *upper)
{
	struct sotto_rare_search s = {
		.value = value_at, .context = c, .down = log_down, .up = log_up};
	enum sotto_status st;

	c->hint = fmin(c->hint, log_down);
	c->level = log_down;
	set_nodes(c, COARSE_NODES);
	st = sotto_rare_search_around(&s, guess_for(c, log_down), STEP);
	if (st == SOTTO_OK)
		st = sotto_rare_search_narrow(&s, COARSE);
	set_nodes(c, NODES);
	if (st == SOTTO_OK && s.high_to - s.low_from > ENOUGH) {
		s.high_from = s.low_from; /* what few nodes could not prove, more nodes may */
		s.low_to = s.high_to;
		st = sotto_rare_search_narrow(&s, FINE);
	}
	c->level = NAN;
	SOTTO_TRY(st);
	*upper = s.high_to + 1.01 * shift_error(c, s.high_to);
	*lower = fmax(0, s.low_from - 1.01 * shift_error(c, s.low_from));
	return SOTTO_OK;
}
