/*
 * A law from the values of its curve delta(epsilon) alone, epsilon > 0 for the losses above 0 and
 * the other direction's curve for those below (law_cells.md).
 *
 * As a function of E = e^epsilon the curve is convex.  From above: the convex hull of the
 * values, joined by straight lines, is the curve of a law with Q-mass equal to the
 * change of slope at each point.  From below: between two points the curve lies above
 * the lines through its neighbours on either side; the hull of the places where these
 * meet is the curve of a law again.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/cells/curve_polygon.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/loss/loss_curve.h"
#include "core/base/failure.h"

/* Points of curves of which a value takes a microsecond, a while, and long. */
enum { POINTS_QUICK = 1 << 15, POINTS = 1 << 12, POINTS_SLOW = 1 << 9, POINTS_MIN = 1 << 5 };

/* What building a law from slopes can lose, relative to the curve. */
#define SLOPE_ERROR 0x1p-40
/* No loss that matters is larger. */
#define REACH_MAX 1e15
#define REACH_MIN 1e-9
/* Lines that reach 0 farther out, beside E, are let fall to it here. */
#define FAR 1e300
/* A group's inner curve is taken times this: it may be smaller than the least double. */
#define INNER_SCALE 0x1p300
enum { VALUES_MAX = 64 };
/* Where what infinite losses leave is read off, unless it is so much that nothing was said. */
#define FLOOR_AT 1e9
#define FLOOR_MAX (-3)
/* How much closer together points are near 0: cosh of this. */
#define BEND_MIN 3.0
#define BEND_MAX 14.0
/* Each half of a law's points may take this part of the work that is left for it. */
#define SHARE 8
#define SHARE_OF_SYMMETRIC 3

/* One direction: values at some epsilons, and the atoms above 0 that follow. */
struct half {
	struct sotto_curve *curve;
	size_t n;
	double *at; /* the epsilons, from 0 on */
	double *low, *high; /* bounds of delta there */
	struct sotto_polygon side; /* vertices of a side's curve */
};

struct two_ways {
	struct sotto_terms terms;
	struct half forth, back;
};

static void close_half(struct half *h)
{
	sotto_curve_free(h->curve);
	free(h->at);
}

static enum sotto_status open_ways(struct two_ways *w, const struct sotto_event *e,
				   enum sotto_neighbours neighbours,
				   enum sotto_direction direction, struct sotto_work *work)
{
	enum sotto_direction other = direction == SOTTO_REMOVE ? SOTTO_ADD : SOTTO_REMOVE;

	sotto_terms_init(&w->terms, neighbours);
	w->terms.work = work;
	SOTTO_TRY(sotto_terms_add(&w->terms, e, 1));
	SOTTO_TRY(sotto_curve_new(&w->terms, direction, &w->forth.curve));
	return sotto_curve_new(&w->terms, other, &w->back.curve);
}

/* Whether delta is below exp(-tail), or within SLOPE_ERROR of what infinite losses leave of it. */
static enum sotto_status
is_beyond(struct sotto_curve *c, double at, double tail, double floor, bool *yes)
{
	double low, high;

	SOTTO_TRY(sotto_curve_delta(c, at, &low, &high));
	*yes = !(high >= -tail && high > floor + SLOPE_ERROR);
	return SOTTO_OK;
}

/* Where that begins, to some percent, from above. */
static enum sotto_status reach_of(struct sotto_curve *c, double tail, double *reach)
{
	double low, floor, inside = REACH_MIN, outside = REACH_MAX, step = 8, at = 1;

	SOTTO_TRY(sotto_curve_delta(c, FLOOR_AT, &low, &floor));
	if (floor > FLOOR_MAX)
		floor = -INFINITY;
	for (int i = 0; i < VALUES_MAX && outside > 1.04 * inside; i++) {
		bool beyond;

		SOTTO_TRY(is_beyond(c, at, tail, floor, &beyond));
		*(beyond ? &outside : &inside) = at;
		at = beyond ? fmax(at / step, sqrt(inside * outside))
			    : fmin(at * step, sqrt(inside * outside));
	}
	*reach = outside;
	return SOTTO_OK;
}

static enum sotto_status make_room(struct half *h, size_t n)
{
	h->n = n + 1;
	h->at = calloc(5 * (h->n + 2), sizeof *h->at);
	if (!h->at)
		return SOTTO_ENOMEM;
	h->low = h->at + h->n + 2;
	h->high = h->low + h->n + 2;
	h->side.x = h->high + h->n + 2;
	h->side.y = h->side.x + h->n + 2;
	return SOTTO_OK;
}

/*
 * Very many points lie at equal distances.  Fewer lie closer near 0, where most of the mass is, since the error is the mean of the
 * squared distance: reach sinh(bend u)/sinh(bend), with a distance at 0 of the order of what losses are on the mean, which delta(0) tells.
 */
static enum sotto_status spread(struct half *h, double reach)
{
	double low, high, bend;

	SOTTO_TRY(sotto_curve_delta(h->curve, 0, &low, &high));
	bend = asinh(reach / (2.5 * exp(high)));
	bend = fmin(fmax(bend, BEND_MIN), BEND_MAX);
	for (size_t i = 0; i < h->n; i++) {
		double u = (double)i / (double)(h->n - 1);

		h->at[i] = reach * (h->n > POINTS_QUICK ? u : sinh(bend * u) / sinh(bend));
	}
	return SOTTO_OK;
}

/* At most n points, and as many as the work allows: a value tells what each takes. */
static enum sotto_status
affordable(const struct half *h, double reach, const struct sotto_cutting *cutting, size_t *n)
{
	struct sotto_work *work = cutting->work;
	double before, low, high, most, share;

	if (!work)
		return SOTTO_OK;
	SOTTO_TRY(sotto_curve_delta(h->curve, reach / 8, &low, &high));
	before = work->used;
	SOTTO_TRY(sotto_curve_delta(h->curve, reach / 9, &low, &high));
	share = sotto_curve_is_symmetric(h->curve) ? SHARE_OF_SYMMETRIC : SHARE;
	most = work->left / (share * fmax(1, (double)cutting->laws)) /
	       (work->used - before + 1);
	if (most < (double)*n)
		*n = (size_t)fmax(most, POINTS_MIN);
	return SOTTO_OK;
}

static enum sotto_status sample(struct half *h, size_t n, const struct sotto_cutting *cutting)
{
	double reach;

	SOTTO_TRY(reach_of(h->curve, cutting->tail, &reach));
	SOTTO_TRY(affordable(h, reach, cutting, &n));
	SOTTO_TRY(make_room(h, n));
	SOTTO_TRY(spread(h, reach));
	for (size_t i = 0; i < h->n; i++) {
		double low, high;

		SOTTO_TRY(sotto_curve_delta(h->curve, h->at[i], &low, &high));
		h->low[i] = exp(low) * (1 - SLOPE_ERROR);
		if (h->low[i] < DBL_MIN) /* has lost digits */
			h->low[i] = 0;
		h->high[i] = fmin(1, exp(high) * (1 + SLOPE_ERROR));
	}
	return SOTTO_OK;
}

/* Curves of which each value takes long. */
static bool is_slow(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (is_slow(e->children[i]))
			return true;
	return e->kind == SOTTO_EVENT_SHUFFLE;
}

/* Both directions have the same delta(0). */
static void agree(struct half *a, struct half *b)
{
	a->low[0] = b->low[0] = fmax(a->low[0], b->low[0]);
	a->high[0] = b->high[0] = fmin(a->high[0], b->high[0]);
}

static void upper_curve(struct half *h)
{
	for (size_t i = 0; i < h->n; i++)
		sotto_polygon_add(&h->side, h->at[i], h->high[i]);
}

/*
 * On [E_i, E_(i+1)] the line through the points i-1 and i, and that through i+1 and i+2, all
 * divided by E_i; before the first point the other direction tells: delta(-x) = 1 - e^-x +
 * e^-x back(x).  All values are scaled.
 */
static void lower_curve(struct half *h, const struct half *other, double scale)
{
	double gap = -expm1(-other->at[1]), before = gap * scale + (1 - gap) * other->high[1];
	double left = fmin(0, (h->low[0] - before) / gap), end = INFINITY;

	for (size_t i = 0; i + 2 < h->n; i++) {
		double width = expm1(h->at[i + 1] - h->at[i]), right, x, y;

		right = fmin(0, sotto_slope_right(h->at[i + 2] - h->at[i + 1],
						  h->high[i + 2] - h->low[i + 1])) /
			(1 + width);
		if (i > 0)
			left = fmin(0, sotto_slope_left(h->at[i] - h->at[i - 1],
							h->low[i] - h->high[i - 1]));
		/* from the left end down by left, from the right end up by -right */
		x = right > left ? (h->low[i + 1] - h->low[i] - right * width) / (left - right)
				 : width;
		x = fmin(fmax(x, 0), width);
		y = fmin(h->low[i] + left * x, h->low[i + 1] - right * (width - x));
		if (!(y > 0))
			break;
		sotto_polygon_add(&h->side, h->at[i] + log1p(x), y);
		/* beyond, the left line still holds */
		end = left < 0 ? h->at[i] + log1p(fmin(x - y / left, FAR)) : INFINITY;
	}
	if (isfinite(end))
		sotto_polygon_add(&h->side, end, 0);
}

/* log of 1 + y + ... + y^(k-1), y = e^x: what a group of k multiplies its inner curve at x by */
static double log_group_factor(double x, double k)
{
	return x > 0 ? (k - 1) * x + log(expm1(-k * x) / expm1(-x)) : log(k);
}

/*
 * The inner curve's values, scaled, from a group's; where the group's are cut off at 1 nothing is known but that.
 */
static void enter_group(struct half *h, double k)
{
	for (size_t i = 0; i < h->n; i++) {
		double x = h->at[i] / k, share = exp(-log_group_factor(x, k));

		h->at[i] = x;
		h->low[i] *= (1 - SLOPE_ERROR) * INNER_SCALE * share;
		h->high[i] *= (1 + SLOPE_ERROR) * INNER_SCALE * (h->high[i] < 1 ? share : 1);
	}
}

/* A value below the inner curve, as one below the group's. */
static double group_value(double x, double y, double k)
{
	double log_y = log(y) - log(INNER_SCALE) + log_group_factor(x, k);

	return y > 0 ? fmin(1, exp(log_y)) * (1 - SLOPE_ERROR) : 0;
}

/* Vertices below the inner curve, as vertices below the group's. */
static void leave_group(struct half *h, double k)
{
	struct sotto_polygon *p = &h->side;
	size_t n = p->n;

	h->low[0] *= k * (1 - SLOPE_ERROR) / INNER_SCALE;
	p->n = 0;
	for (size_t i = 0; i < n; i++)
		sotto_polygon_add(p, k * p->x[i], group_value(p->x[i], p->y[i], k));
}

/*
 * A black-box group's bound g need not be convex, and the hull of g is what is composed above.  With y = e^(epsilon/k) and
 * f the inner curve, g = f(y) (1 + y + ... + y^(k-1)).  Along a line f = A - By this is (A - B)(1 + y + ...) - B (E - 1), E = y^k:
 * concave in E wherever A >= B, which holds for falling lines above 0.  So g lies above the straight lines, in E, between
 * the places where a polygon below f turns.
 */
static void lower_group(struct half *f, struct half *b, double k)
{
	enter_group(f, k);
	enter_group(b, k);
	lower_curve(f, b, INNER_SCALE);
	lower_curve(b, f, INNER_SCALE);
	leave_group(f, k);
	leave_group(b, k);
	f->low[0] = b->low[0] = fmin(1, fmin(f->low[0], b->low[0]));
}

static bool has_black_box(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (has_black_box(e->children[i]))
			return true;
	return e->kind == SOTTO_EVENT_GROUP;
}

/* The lower side; nothing is known below what wraps a black box. */
static void lower_halves(struct half *f, struct half *b, const struct sotto_event *e)
{
	if (!has_black_box(e)) {
		lower_curve(f, b, 1);
		lower_curve(b, f, 1);
	} else if (e->kind == SOTTO_EVENT_GROUP && !has_black_box(e->children[0])) {
		lower_group(f, b, (double)e->size);
	}
}

/* An outcome more: into its cell, or at the end of the list of outcomes. */
static void add_outcome(struct sotto_cells *c, double loss, double mass)
{
	if (!c->loss) {
		sotto_cells_add(c, loss, mass);
		return;
	}
	c->loss[c->outcomes] = loss;
	c->mass[c->outcomes++] = mass;
}

/* All masses, losses growing; what is missing, or the second mass, has no loss. */
static void
add_masses(struct sotto_cells *c, const struct sotto_polygon *f, const struct sotto_polygon *b)
{
	double rest = 1 - c->above;

	for (size_t i = b->n; i-- > 1;) {
		double mass = sotto_polygon_mass(b, i, true);

		add_outcome(c, -b->x[i], mass);
		rest -= mass;
	}
	for (size_t i = 1; i < f->n; i++)
		rest -= sotto_polygon_mass(f, i, false);
	if (rest > 0)
		add_outcome(c, 0, rest);
	else
		c->error -= rest;
	for (size_t i = 1; i < f->n; i++)
		add_outcome(c, f->x[i], sotto_polygon_mass(f, i, false));
}

/* Room for cells, or for a list of outcomes. */
static enum sotto_status start(struct sotto_cells *c, const struct half *f,
			       const struct half *b, const struct sotto_cutting *cutting)
{
	size_t room = f->n + b->n + 4;

	if (!cutting->of_many)
		return sotto_cells_init(c, -b->at[b->n - 1] - b->at[1],
					f->at[f->n - 1] + f->at[1], cutting);
	*c = (struct sotto_cells){.error = SLOPE_ERROR,
				  .loss = calloc(2 * room, sizeof *c->loss)};
	c->mass = c->loss + room;
	return c->loss ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status fill(struct sotto_cells *c, struct two_ways *w,
			      const struct sotto_event *e, bool upper,
			      const struct sotto_cutting *cutting)
{
	struct half *f = &w->forth, *b = &w->back;

	SOTTO_TRY(start(c, f, b, cutting));
	f->side.n = b->side.n = 0;
	if (upper) {
		upper_curve(f);
		upper_curve(b);
		c->above = f->side.y[f->side.n - 1];
		sotto_polygon_join(&f->side, &b->side, f->high[0]);
	} else {
		lower_halves(f, b, e);
		sotto_polygon_join(&f->side, &b->side, fmin(f->low[0], b->low[0]));
	}
	add_masses(c, &f->side, &b->side);
	return SOTTO_OK;
}

/* How many points of each half. */
static size_t points_of(const struct two_ways *w, const struct sotto_event *e,
			const struct sotto_cutting *cutting)
{
	bool forth = sotto_curve_make_rough(w->forth.curve),
	     back = sotto_curve_make_rough(w->back.curve);

	if (cutting->of_many)
		return cutting->cells / 2;
	return is_slow(e) ? POINTS_SLOW : forth && back ? POINTS_QUICK : POINTS;
}

static enum sotto_status sample_both(struct two_ways *w, const struct sotto_event *e,
				     const struct sotto_cutting *cutting)
{
	size_t n = points_of(w, e, cutting);

	SOTTO_TRY(sample(&w->forth, n, cutting));
	if (sotto_curve_is_symmetric(w->forth.curve)) {
		SOTTO_TRY(make_room(&w->back, w->forth.n - 1));
		memcpy(w->back.at, w->forth.at, 3 * (w->forth.n + 2) * sizeof *w->back.at);
		return SOTTO_OK;
	}
	SOTTO_TRY(sample(&w->back, n, cutting));
	agree(&w->forth, &w->back);
	return SOTTO_OK;
}

enum sotto_status sotto_cells_curve(struct sotto_cuts *c, const struct sotto_event *e,
				    enum sotto_neighbours neighbours,
				    enum sotto_direction direction,
				    const struct sotto_cutting *cutting)
{
	struct two_ways w = {.forth = {.curve = NULL}};
	enum sotto_status st = open_ways(&w, e, neighbours, direction, cutting->work);

	if (st == SOTTO_OK)
		st = sample_both(&w, e, cutting);
	if (st == SOTTO_OK)
		st = fill(&c->above, &w, e, true, cutting);
	if (st == SOTTO_OK)
		st = fill(&c->below, &w, e, false, cutting);
	close_half(&w.forth);
	close_half(&w.back);
	sotto_terms_release(&w.terms);
	return st;
}
