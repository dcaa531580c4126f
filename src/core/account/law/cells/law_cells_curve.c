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
#include <math.h>
#include <stdlib.h>

#include "core/account/law/cells/curve_half.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/loss/loss_curve.h"
#include "core/base/failure.h"

/* Points of curves of which a value takes a while, and long. */
enum { POINTS = 1 << 12, POINTS_SLOW = 1 << 9 };

/* Points of a table. */
enum { TABLE_MIN = 1 << 10, TABLE_MAX = 1 << 16 };

/* Lines that reach 0 farther out, beside E, are let fall to it here. */
#define FAR 1e300
/* A vertex this near to E = 1, beside the second point, has too few digits for a slope: the line after it goes on to there. */
#define AT_ONCE 0.25
/* Where the curve is this near to its floor, relative, slopes are errors of its values. */
#define AT_FLOOR 0x1p-16
/* A group's inner curve is taken times this: it may be smaller than the least double. */
#define INNER_SCALE 0x1p300

struct two_ways {
	struct sotto_terms terms;
	struct sotto_curve_half forth, back;
};

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

/* Curves of which each value takes long. */
static bool is_slow(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (is_slow(e->children[i]))
			return true;
	return e->kind == SOTTO_EVENT_SHUFFLE;
}

/* Both directions have the same delta(0). */
static void agree(struct sotto_curve_half *a, struct sotto_curve_half *b)
{
	a->low[0] = b->low[0] = fmax(a->low[0], b->low[0]);
	a->high[0] = b->high[0] = fmin(a->high[0], b->high[0]);
}

static void upper_curve(struct sotto_curve_half *h)
{
	for (size_t i = 0; i < h->n; i++)
		sotto_polygon_add(&h->side, h->at[i], h->high[i]);
}

/*
 * On [E_i, E_(i+1)] the line through the point i and one before it, and that through i+1 and one after it, all
 * divided by E_i; before the first point the other direction tells: delta(-x) = 1 - e^-x +
 * e^-x back(x).  All values are scaled.  Ends at the floor, which the curve is nowhere below; returns how much of it is left there.
 */
static double lower_curve(struct sotto_curve_half *h, const struct sotto_curve_half *other,
			  double scale, double floor)
{
	double gap = -expm1(-other->at[1]), before = gap * scale + (1 - gap) * other->high[1];
	double left = fmin(0, (h->low[0] - before) / gap), end = INFINITY;

	for (size_t i = 0; i + 2 < h->n; i++) {
		struct sotto_meeting m;

		if (i > 0)
			left = sotto_half_left(h, i);
		m = sotto_half_meeting(h, i, left);
		if (!(m.y > floor * (1 + AT_FLOOR))) {
			if (left < 0 && h->low[i] > floor * (1 + AT_FLOOR))
				end = h->at[i] + log1p(fmin((floor - h->low[i]) / left, FAR));
			break;
		}
		if (i == 0 && m.x < AT_ONCE * h->at[1]) {
			h->low[0] = fmin(h->low[0], m.start);
			continue;
		}
		sotto_polygon_add(&h->side, h->at[i] + log1p(m.x), m.y);
		/* beyond, the left line still holds */
		end = left < 0 ? h->at[i] + log1p(fmin(m.x - (m.y - floor) / left, FAR))
			       : INFINITY;
	}
	if (isfinite(end))
		sotto_polygon_add(&h->side, end, floor);
	return isfinite(end) ? floor : 0;
}

/* log of 1 + y + ... + y^(k-1), y = e^x: what a group of k multiplies its inner curve at x by */
static double log_group_factor(double x, double k)
{
	return x > 0 ? (k - 1) * x + log(expm1(-k * x) / expm1(-x)) : log(k);
}

/*
 * The inner curve's values, scaled, from a group's; where the group's are cut off at 1 nothing is known but that.
 */
static void enter_group(struct sotto_curve_half *h, double k)
{
	for (size_t i = 0; i < h->n; i++) {
		double x = h->at[i] / k, share = exp(-log_group_factor(x, k));

		h->at[i] = x;
		h->low[i] *= (1 - SOTTO_SLOPE_ERROR) * INNER_SCALE * share;
		h->high[i] *=
			(1 + SOTTO_SLOPE_ERROR) * INNER_SCALE * (h->high[i] < 1 ? share : 1);
	}
}

/* A value below the inner curve, as one below the group's. */
static double group_value(double x, double y, double k)
{
	double log_y = log(y) - log(INNER_SCALE) + log_group_factor(x, k);

	return y > 0 ? fmin(1, exp(log_y)) * (1 - SOTTO_SLOPE_ERROR) : 0;
}

/* Vertices below the inner curve, as vertices below the group's. */
static void leave_group(struct sotto_curve_half *h, double k)
{
	struct sotto_polygon *p = &h->side;
	size_t n = p->n;

	h->low[0] *= k * (1 - SOTTO_SLOPE_ERROR) / INNER_SCALE;
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
static void lower_group(struct sotto_curve_half *f, struct sotto_curve_half *b, double k)
{
	enter_group(f, k);
	enter_group(b, k);
	(void)lower_curve(f, b, INNER_SCALE, 0);
	(void)lower_curve(b, f, INNER_SCALE, 0);
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

/* The lower side; nothing is known below what wraps a black box.  Returns its mass at infinity. */
static double lower_halves(struct sotto_curve_half *f, struct sotto_curve_half *b,
			   const struct sotto_event *e)
{
	if (!has_black_box(e)) {
		(void)lower_curve(b, f, 1, 0);
		return lower_curve(f, b, 1, f->floor);
	}
	if (e->kind == SOTTO_EVENT_GROUP && !has_black_box(e->children[0]))
		lower_group(f, b, (double)e->size);
	return 0;
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
	double rest = 1 - c->above - c->infinite;

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
static enum sotto_status start(struct sotto_cells *c, const struct sotto_curve_half *f,
			       const struct sotto_curve_half *b,
			       const struct sotto_cutting *cutting)
{
	size_t room = f->n + b->n + 4;

	if (!cutting->of_many)
		return sotto_cells_init(c, -b->at[b->n - 1] - b->at[1],
					f->at[f->n - 1] + f->at[1], cutting);
	*c = (struct sotto_cells){.error = SOTTO_SLOPE_ERROR,
				  .fine = cutting->needs != NULL,
				  .loss = calloc(2 * room, sizeof *c->loss)};
	c->mass = c->loss + room;
	return c->loss ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status fill(struct sotto_cells *c, struct two_ways *w,
			      const struct sotto_event *e, bool upper,
			      const struct sotto_cutting *cutting)
{
	struct sotto_curve_half *f = &w->forth, *b = &w->back;

	SOTTO_TRY(start(c, f, b, cutting));
	f->side.n = b->side.n = 0;
	if (upper) {
		upper_curve(f);
		upper_curve(b);
		c->above = f->side.y[f->side.n - 1];
		sotto_polygon_join(&f->side, &b->side, f->high[0]);
	} else {
		c->infinite = lower_halves(f, b, e);
		sotto_polygon_join(&f->side, &b->side, fmin(f->low[0], b->low[0]));
	}
	add_masses(c, &f->side, &b->side);
	return SOTTO_OK;
}

/* Tables are as fine as the outcomes of few events will be; of more, which all need tables, coarser than these. */
static enum sotto_status make_tables(struct two_ways *w, const struct sotto_cutting *cutting)
{
	size_t points = TABLE_MIN;

	if (!cutting->tables)
		return SOTTO_OK;
	while (points < TABLE_MAX &&
	       points * (size_t)TABLE_MAX < cutting->cells * cutting->cells)
		points *= 2;
	SOTTO_TRY(sotto_curve_make_tables(w->forth.curve, points));
	return sotto_curve_is_symmetric(w->forth.curve)
		       ? SOTTO_OK
		       : sotto_curve_make_tables(w->back.curve, points);
}

/* How many points of each half. */
static size_t points_of(const struct two_ways *w, const struct sotto_event *e,
			const struct sotto_cutting *cutting)
{
	bool forth = sotto_curve_make_rough(w->forth.curve),
	     back = sotto_curve_make_rough(w->back.curve);

	if (cutting->of_many)
		return cutting->cells / 2;
	return is_slow(e) ? POINTS_SLOW : forth && back ? SOTTO_POINTS_QUICK : POINTS;
}

static enum sotto_status sample_both(struct two_ways *w, const struct sotto_event *e,
				     const struct sotto_cutting *cutting)
{
	size_t n;

	SOTTO_TRY(make_tables(w, cutting));
	n = points_of(w, e, cutting);
	SOTTO_TRY(sotto_half_sample(&w->forth, n, cutting, cutting->order));
	if (sotto_curve_is_symmetric(w->forth.curve)) {
		return sotto_half_copy(&w->back, &w->forth);
	}
	SOTTO_TRY(sotto_half_sample(&w->back, n, cutting, -(cutting->order + 1)));
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
	sotto_half_close(&w.forth);
	sotto_half_close(&w.back);
	sotto_terms_release(&w.terms);
	return st;
}
