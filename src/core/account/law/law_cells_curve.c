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
#include <string.h>

#include "core/account/law/law_cells.h"
#include "core/account/loss/loss_curve.h"
#include "core/base/failure.h"

/* Of curves of which a value takes a microsecond, a while, and long. */
enum { POINTS_QUICK = 1 << 15, POINTS = 1 << 12, POINTS_SLOW = 1 << 9 };

/* What building a law from slopes can lose, relative to the curve. */
#define SLOPE_ERROR 0x1p-40
/* No loss that matters is larger. */
#define REACH_MAX 1e15
/* Where what infinite losses leave is read off, unless it is so much that nothing was said. */
#define FLOOR_AT 1e9
#define FLOOR_MAX (-3)

/* One direction: values at epsilon = step i, and the atoms above 0 that follow. */
struct half {
	struct sotto_curve *curve;
	double step;
	size_t n;
	double *low, *high; /* bounds of delta */
	double *x, *y; /* vertices of the side's curve: epsilon and value */
	size_t vertices;
};

struct two_ways {
	struct sotto_terms terms;
	struct half forth, back;
};

static void close_half(struct half *h)
{
	sotto_curve_free(h->curve);
	free(h->low);
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

/*
 * Where delta falls below exp(-tail), to some percent, from above; or to within SLOPE_ERROR of
 * what infinite losses leave of it.
 */
static enum sotto_status reach_of(struct sotto_curve *c, double tail, double *reach)
{
	double low, high, floor, step = 1.5;

	SOTTO_TRY(sotto_curve_delta(c, FLOOR_AT, &low, &floor));
	if (floor > FLOOR_MAX)
		floor = -INFINITY;
	for (*reach = 1e-9; *reach < REACH_MAX; *reach *= step) {
		SOTTO_TRY(sotto_curve_delta(c, *reach, &low, &high));
		if (high >= -tail && high > floor + SLOPE_ERROR)
			continue;
		if (step < 1.1)
			break;
		*reach /= step * 1.04;
		step = 1.04;
	}
	return SOTTO_OK;
}

static enum sotto_status make_room(struct half *h, size_t n, double step)
{
	h->n = n + 1;
	h->step = step;
	h->low = calloc(4 * (h->n + 2), sizeof *h->low);
	if (!h->low)
		return SOTTO_ENOMEM;
	h->high = h->low + h->n + 2;
	h->x = h->high + h->n + 2;
	h->y = h->x + h->n + 2;
	return SOTTO_OK;
}

static enum sotto_status sample(struct half *h, size_t n, double tail)
{
	double reach;

	SOTTO_TRY(reach_of(h->curve, tail, &reach));
	SOTTO_TRY(make_room(h, n, reach / (double)n));
	for (size_t i = 0; i < h->n; i++) {
		double low, high, at = h->step * (double)i;

		SOTTO_TRY(sotto_curve_delta(h->curve, at, &low, &high));
		h->low[i] = exp(low) * (1 - SLOPE_ERROR);
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

/*
 * The slope from one point to another, in E = e^epsilon and times E at the first (right) or at
 * the second (left): so scaled, slopes at one point compare and nothing overflows.
 */
static double slope_right(double gap, double fall)
{
	return fall / expm1(gap);
}

static double slope_left(double gap, double fall)
{
	return fall / -expm1(-gap);
}

/* A vertex more, and those that it makes concave away. */
static void add_vertex(struct half *h, double x, double y)
{
	size_t n = h->vertices;

	while (n >= 2 && slope_left(h->x[n - 1] - h->x[n - 2], h->y[n - 1] - h->y[n - 2]) >=
				 slope_right(x - h->x[n - 1], y - h->y[n - 1]))
		n--;
	h->x[n] = x;
	h->y[n] = y;
	h->vertices = n + 1;
}

static void upper_curve(struct half *h)
{
	for (size_t i = 0; i < h->n; i++)
		add_vertex(h, h->step * (double)i, h->high[i]);
}

/*
 * On [E_i, E_(i+1)] the line through the points i-1 and i, and that through i+1 and i+2, all
 * divided by E_i; before the first point the other direction tells: delta(-x) = 1 - e^-x +
 * e^-x back(x).
 */
static void lower_curve(struct half *h, const struct half *other)
{
	double gap = -expm1(-other->step), before = gap + (1 - gap) * other->high[1];
	double left = fmin(0, (h->low[0] - before) / gap), width = expm1(h->step);

	for (size_t i = 0; i + 2 < h->n; i++) {
		double right, x, y;

		right = fmin(0, slope_right(h->step, h->high[i + 2] - h->low[i + 1])) /
			(1 + width);
		if (i > 0)
			left = fmin(0, slope_left(h->step, h->low[i] - h->high[i - 1]));
		/* from the left end down by left, from the right end up by -right */
		x = right > left ? (h->low[i + 1] - h->low[i] - right * width) / (left - right)
				 : width;
		x = fmin(fmax(x, 0), width);
		y = fmin(h->low[i] + left * x, h->low[i + 1] - right * (width - x));
		if (!(y > 0))
			break;
		add_vertex(h, h->step * (double)i + log1p(x), y);
	}
	if (h->vertices > 1) { /* on to 0 along the last line */
		size_t n = h->vertices;
		double fall = slope_left(h->x[n - 1] - h->x[n - 2], h->y[n - 1] - h->y[n - 2]);

		if (fall < 0)
			add_vertex(h, h->x[n - 1] + log1p(-h->y[n - 1] / fall), 0);
	}
}

/*
 * A black-box group's bound need not be convex: inner(x/k) falls and the factor (e^x - 1)/(e^(x/k) - 1)
 * grows by less than e^step in a step, so on [x_i, x_(i+1)] it is at least e^-step times its value at
 * the right end.  The hull of these steps is below the hull that is composed above.
 */
static void lower_steps(struct half *h)
{
	double fall = exp(-h->step) * (1 - SLOPE_ERROR);

	for (size_t i = 0; i + 1 < h->n && h->low[i + 1] > 0; i++)
		add_vertex(h, h->step * (double)i, h->low[i + 1] * fall);
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
		lower_curve(f, b);
		lower_curve(b, f);
	} else if (e->kind == SOTTO_EVENT_GROUP && !has_black_box(e->children[0])) {
		lower_steps(f);
		lower_steps(b);
		f->low[0] = b->low[0] = fmin(f->y[0], b->y[0]);
	}
}

/*
 * Adds P-mass E times the change of slope at each vertex past the first; mirrored, the masses
 * are those of Q and the losses negative.  Returns the mass added.
 */
static double add_masses(struct sotto_cells *c, const struct half *h, bool mirrored)
{
	double all = 0;

	for (size_t i = 1; i < h->vertices; i++) {
		double mass = -slope_left(h->x[i] - h->x[i - 1], h->y[i] - h->y[i - 1]);

		if (i + 1 < h->vertices)
			mass += slope_right(h->x[i + 1] - h->x[i], h->y[i + 1] - h->y[i]);
		mass = fmax(0, mass) * (mirrored ? exp(-h->x[i]) : 1);
		sotto_cells_add(c, mirrored ? -h->x[i] : h->x[i], mass);
		all += mass;
	}
	return all;
}

static void put_first(struct half *h, double y)
{
	size_t skip = h->vertices > 0 && !(h->x[0] > 0);

	memmove(h->x + 1, h->x + skip, (h->vertices - skip) * sizeof *h->x);
	memmove(h->y + 1, h->y + skip, (h->vertices - skip) * sizeof *h->y);
	h->x[0] = 0;
	h->y[0] = y;
	h->vertices += 1 - skip;
}

/*
 * The first vertex of each half is at E = 1: there the curve lies on the line from the
 * other half's first vertex, of which 1 - E is 1 - e^-x and the value that plus e^-x y.
 */
static void join(struct half *f, struct half *b)
{
	double y = fmin(f->low[0], b->low[0]), gap, there;

	if (f->vertices > 0 && b->vertices > 0 && f->x[0] + b->x[0] > 0) {
		gap = -expm1(-b->x[0]);
		there = gap + (1 - gap) * b->y[0];
		y = fmin(y, there + (f->y[0] - there) * gap / (gap + expm1(f->x[0])));
	}
	put_first(f, y);
	put_first(b, y);
}

static enum sotto_status fill(struct sotto_cells *c, struct two_ways *w,
			      const struct sotto_event *e, bool upper,
			      const struct sotto_cutting *cutting)
{
	struct half *f = &w->forth, *b = &w->back;
	double rest = 1;

	SOTTO_TRY(
		sotto_cells_init(c, -b->step * (double)b->n, f->step * (double)f->n, cutting));
	f->vertices = b->vertices = 0;
	if (upper) {
		upper_curve(f);
		upper_curve(b);
		c->above = f->y[f->vertices - 1];
		rest -= c->above;
	} else {
		lower_halves(f, b, e);
		join(f, b);
	}
	rest -= add_masses(c, f, false);
	rest -= add_masses(c, b, true);
	if (rest > 0)
		sotto_cells_add(c, 0, rest);
	else
		c->error -= rest;
	return SOTTO_OK;
}

static enum sotto_status sample_both(struct two_ways *w, const struct sotto_event *e,
				     const struct sotto_cutting *cutting)
{
	bool forth = sotto_curve_make_rough(w->forth.curve),
	     back = sotto_curve_make_rough(w->back.curve);
	size_t n = is_slow(e) ? POINTS_SLOW : forth && back ? POINTS_QUICK : POINTS;

	SOTTO_TRY(sample(&w->forth, n, cutting->tail));
	if (sotto_curve_is_symmetric(w->forth.curve)) {
		SOTTO_TRY(make_room(&w->back, n, w->forth.step));
		memcpy(w->back.low, w->forth.low, 2 * (w->forth.n + 2) * sizeof *w->back.low);
		return SOTTO_OK;
	}
	SOTTO_TRY(sample(&w->back, n, cutting->tail));
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
