/*
 * Searches the epsilon at which a composed curve has a given delta: near the largest loss, by rare
 * outcomes, by a contour, and by cells, until two sides are near to each other.
 */
#include "core/account/loss/composed_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/contour/contour_floor.h"
#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/integral/contour/contour.h"
#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/law/outcomes/law_outcomes.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/loss/composed_curve_inside.h"
#include "core/account/loss/measure/discretized_curve.h"
#include "core/account/loss/rare_curve.h"
#include "core/base/failure.h"

/* Sides that are nearer to each other than this are not tried to be brought nearer by cells. */
#define NARROW 2e-5
/* A search that has seen no lower side so often in a row ends; near the largest loss there is none as a rule. */
enum { BLIND_MAX = 4 };
#define NEAR_TOP 0.9
/* What is left for the other direction where a finer search would use up all. */
#define KEPT 0.2
/* How far values are apart that tell a slope, over that of the contour. */
#define STEEP_STEP 0.02
/* What is left of all work for another way, and what that takes at least. */
#define PATIENCE 0.4
#define PATIENT_STEPS 1e6
/* The other direction takes up to so many times as much in the usual way. */
#define MARGIN 1.2

/* A search, and what every value that it has seen proves: where no work is left that is the answer. */
struct seek {
	struct sotto_composed *c;
	double log_down, log_up; /* the level */
	double lower, upper;
	int blind; /* values in a row without a lower side */
};

/* Laws that are known too badly far out leave no lower side, however many nodes there are: cells then say more. */
static bool is_blind(const struct seek *k)
{
	return k->blind >= BLIND_MAX && k->c->measure.has_pieces && k->lower == 0 &&
	       !sotto_composed_wants_nodes(k->c);
}

static enum sotto_status
look_at(struct seek *k, double epsilon, double *log_low, double *log_high)
{
	SOTTO_TRY(sotto_composed_finite(k->c, epsilon, log_low, log_high));
	if (*log_high <= k->log_down)
		k->upper = fmin(k->upper, epsilon);
	if (*log_low >= k->log_up)
		k->lower = fmax(k->lower, epsilon);
	k->blind = isinf(*log_low) && epsilon < NEAR_TOP * k->c->measure.top ? k->blind + 1 : 0;
	return is_blind(k) ? SOTTO_EREFUSED : SOTTO_OK;
}

static enum sotto_status finite_high(void *context, double x, double *out)
{
	double low;

	return look_at(context, x, &low, out);
}

static enum sotto_status finite_low(void *context, double x, double *out)
{
	double high;

	return look_at(context, x, out, &high);
}

static enum sotto_status find_roots(struct seek *k, struct sotto_root *r)
{
	double low, high;

	SOTTO_TRY(sotto_root_both(r, finite_low, finite_high, k->log_down, k->log_up, &low,
				  &high));
	k->lower = fmax(k->lower, low);
	k->upper = fmin(k->upper, high);
	return SOTTO_OK;
}

/* Where something is known already the other direction keeps some work. */
static enum sotto_status search_finely(struct seek *k, struct sotto_root *r)
{
	struct sotto_work *work = k->c->terms->work;
	bool keeps = work && isfinite(k->upper) && !sotto_composed_is_symmetric(k->c);
	double kept = keeps ? KEPT * fmax(0, work->left) : 0;
	enum sotto_status st;

	sotto_work_set_aside(work, kept);
	st = find_roots(k, r);
	sotto_work_give_back(work, kept);
	return st;
}

/* How steep log delta is there, from two values. */
static enum sotto_status find_steepness(struct seek *k, double epsilon, double *steep)
{
	double step = fmin(0.5 * epsilon, STEEP_STEP / k->c->tilt), low, high, near_low,
	       near_high;

	*steep = 0;
	SOTTO_TRY(look_at(k, epsilon, &low, &high));
	SOTTO_TRY(look_at(k, epsilon - step, &near_low, &near_high));
	if (near_low > high)
		*steep = 0.5 * ((near_low - low) + (near_high - high)) / step;
	return SOTTO_OK;
}

/*
 * Few nodes only find the place, but what they find are bounds.  Then smoothing is chosen for how steep delta is there: far below the saddle point much
 * steeper than the contour's order says.
 */
static enum sotto_status search_roughly(struct seek *k, struct sotto_root *r)
{
	r->tolerance = 1e-6;
	SOTTO_TRY(find_roots(k, r));
	if (isfinite(k->upper)) {
		r->guess = k->upper;
		SOTTO_TRY(find_steepness(k, k->upper, &k->c->measure.steepness));
	}
	k->c->nodes = SOTTO_FINE_NODES;
	r->tolerance = 1e-10;
	return SOTTO_OK;
}

static enum sotto_status search_from(struct seek *k, double guess, bool *stuck)
{
	struct sotto_composed *c = k->c;
	const struct sotto_loss_measure *m = &c->measure;
	struct sotto_root r = {
		.context = k, .most = m->top, .tolerance = 1e-13, .guess = guess};
	double low, high, log_delta, curvature;

	r.slope = -sotto_saddle_point(m, guess, &log_delta, &curvature);
	c->searching = true;
	if (sotto_composed_has_one_contour(c))
		c->nodes = SOTTO_FINE_NODES;
	SOTTO_TRY(look_at(k, guess, &low, &high));
	*stuck = !c->exact && sotto_composed_is_hopeless(low, high);
	if (*stuck)
		return SOTTO_OK;
	if (high - low > SOTTO_WIDE_DELTA && sotto_composed_wants_nodes(c)) {
		double steep = 0;

		if (m->of_many && !m->patient) /* few nodes count, and are kept */
			SOTTO_TRY(find_steepness(k, guess, &steep));
		r.slope = fmin(r.slope, -steep);
		SOTTO_TRY(search_roughly(k, &r));
	}
	c->searching = false;
	return search_finely(k, &r);
}

/* Where another theorem knows better a rough lower side says all that need be known, should the search fail. */
static enum sotto_status find_floor(struct seek *k)
{
	enum sotto_status st =
		sotto_contour_floor(&k->c->measure, k->c->terms->ceiling, k->log_up, &k->lower);

	return st == SOTTO_EREFUSED ? SOTTO_OK : st;
}

/* The two roots of the finite part; *stuck if the contour is of no use. */
static enum sotto_status search(struct sotto_composed *c, double log_down, double log_up,
				double *lower, double *upper, bool *stuck)
{
	struct seek k = {c, log_down, log_up, 0, INFINITY, 0};
	double guess = sotto_saddle_epsilon(&c->measure, log_down);
	enum sotto_status st;

	if (guess >= c->measure.top)
		guess = c->measure.top * (1 - 1e-9);
	if (guess > c->terms->ceiling)
		SOTTO_TRY(find_floor(&k));
	c->level = log_down;
	if (c->measure
		    .of_many) /* what a saddle point says of rare outcomes may be far too large */
		c->hint = fmin(c->hint, log_down);
	st = search_from(&k, guess, stuck);
	c->level = NAN;
	if (k.lower > c->terms->ceiling && (*stuck || st == SOTTO_EREFUSED)) {
		*stuck = false;
		st = SOTTO_OK;
	}
	if (st == SOTTO_EREFUSED && is_blind(&k)) {
		*stuck = true;
		st = SOTTO_OK;
	}
	if (*stuck || (st != SOTTO_OK && st != SOTTO_EREFUSED))
		return st;
	if (st == SOTTO_EREFUSED && isinf(k.upper))
		return st;
	*lower = k.lower;
	*upper = k.upper;
	return SOTTO_OK;
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
	if (!(*upper - *lower <= SOTTO_SHARP_EPSILON)) {
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
	if (high - low > SOTTO_SHARP_EPSILON)
		st = search(c, log_down, log_up, lower, upper, stuck);
	if (high - low <= SOTTO_SHARP_EPSILON || (st == SOTTO_EREFUSED && isfinite(high)) ||
	    (*stuck && high - low <= NARROW)) {
		*lower = low; /* after a refusal better than nothing */
		*upper = high;
		*stuck = false;
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

	if (!c->measure.has_lists || *upper - *lower <= NARROW || *lower >= c->terms->ceiling ||
	    sotto_work_is_spent(work))
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

/* By whichever way is usual for so many events. */
enum sotto_status sotto_composed_usual_epsilon(struct sotto_composed *c,
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

static bool is_sampled_laplace(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_SAMPLED && e->children[0]->kind == SOTTO_EVENT_LAPLACE;
}

/* Which events have laws that few events do without, or have in high precision. */
struct listed {
	size_t laplaces, others;
};

static struct listed count_listed(const struct sotto_terms *t)
{
	struct listed n = {0};

	for (size_t i = 0; i < t->n && t->n <= SOTTO_PATIENT_TERMS; i++) {
		const struct sotto_event *e = t->list[i].event;

		if (is_sampled_laplace(e))
			n.laplaces++;
		else
			n.others += sotto_law_outcomes_possible(e, t->list[i].count) ||
				    sotto_pieces_possible(e, t->neighbours);
	}
	return n;
}

/* By laws as they are of many events, all nodes of which are computed. */
static enum sotto_status search_patiently(struct sotto_composed *p,
					  const struct sotto_level *level, double *lower,
					  double *upper)
{
	double log_down, log_up;
	bool stuck = false;

	SOTTO_TRY(sotto_measure_of_patient(&p->measure, p->terms, p->direction));
	p->measured = true;
	if (sotto_measure_target(&p->measure, level->delta, &log_down, &log_up) <= 0 ||
	    isinf(log_down) || sotto_measure_is_at_top(&p->measure, log_up))
		return SOTTO_EREFUSED;
	SOTTO_TRY(search(p, log_down, log_up, lower, upper, &stuck));
	return stuck ? SOTTO_EREFUSED : SOTTO_OK;
}

static enum sotto_status patient_epsilon(const struct sotto_composed *c,
					 const struct sotto_level *level, double *lower,
					 double *upper)
{
	struct sotto_composed *p = calloc(1, sizeof *p);
	enum sotto_status st;

	if (!p)
		return SOTTO_ENOMEM;
	p->terms = c->terms;
	p->direction = c->direction;
	sotto_composed_start(p);
	st = search_patiently(p, level, lower, upper);
	sotto_composed_free(p);
	return st;
}

/* Tries that where the usual way was not sharp; what was found before stays unless this is sharper. */
static enum sotto_status be_patient(const struct sotto_composed *c,
				    const struct sotto_level *level, double kept, double *lower,
				    double *upper)
{
	struct sotto_work *work = c->terms->work;
	double low = 0, high = INFINITY;
	enum sotto_status st;

	if (!sotto_work_allows(work, kept + PATIENT_STEPS))
		return SOTTO_OK;
	sotto_work_set_aside(work, kept);
	st = patient_epsilon(c, level, &low, &high);
	sotto_work_give_back(work, kept);
	if (st == SOTTO_OK) {
		*lower = isinf(*lower) ? low : fmax(*lower, low);
		*upper = fmin(*upper, high);
	}
	return st == SOTTO_EREFUSED ? SOTTO_OK : st;
}

enum sotto_status sotto_composed_patient_epsilon(struct sotto_composed *c,
						 const struct sotto_level *level, double *lower,
						 double *upper)
{
	struct sotto_work *work = c->terms->work;
	struct listed listed = count_listed(c->terms);
	bool patient = listed.laplaces + listed.others > 0 && c->terms->n > 1,
	     mixed = listed.laplaces > 0 && listed.others > 0; /* which cells say little of */
	double kept = patient && mixed && work ? PATIENCE * fmax(0, work->left) : 0,
	       before = work ? work->used : 0, other = 0; /* for the other direction */
	enum sotto_status st;

	sotto_work_set_aside(work, kept);
	st = sotto_composed_usual_epsilon(c, level, lower, upper);
	sotto_work_give_back(work, kept);
	if (!patient || (st != SOTTO_OK && st != SOTTO_EREFUSED))
		return st;
	if (st == SOTTO_EREFUSED) {
		*lower = 0;
		*upper = INFINITY;
	} else if (isinf(*lower) || *upper - *lower <= SOTTO_SHARP_EPSILON) {
		return SOTTO_OK;
	}
	sotto_contour_free(c->contour); /* two at a time would be a lot of memory */
	c->contour = NULL;
	if (work && c->direction == SOTTO_REMOVE && !sotto_composed_is_symmetric(c))
		other = mixed ? work->left / 2
			      : fmax(work->left / 2, MARGIN * (work->used - before));
	SOTTO_TRY(be_patient(c, level, other, lower, upper));
	return isfinite(*upper) ? SOTTO_OK : st;
}
