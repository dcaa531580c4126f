/*
 * Each cell on a lattice, each couple by products of masses, and the largest of their curves at all of their corners and where two of them
 * cross (couples.md).
 */
#include "core/account/law/couples/couples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/event.h"
#include "core/account/law/clone_groups/clone_rows.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/account/law/couples/cell_lattice.h"
#include "core/account/law/couples/couple_block.h"
#include "core/account/law/couples/couple_curve.h"
#include "core/base/failure.h"

/* Events beside which such an event has such a law; and if its couples have short sums. */
enum { TERMS = 3, TERMS_OF_SHORT = 33 };
enum {
	CELLS_MIN = 3,
	CELLS_MAX = SOTTO_COUPLE_CELLS,
	COUPLES_MAX = CELLS_MAX * (CELLS_MAX - 1) / 2
};
/* What values and losses may be wrong by (couples.md). */
#define WRONG 0x1p-36
/* Places of two cells, at least and at most. */
enum { PLACES_LEAST = 64, PLACES_MOST = 2048 };
/* Standard deviations of shuffled reports that count. */
#define USUAL 9.0
/* Steps (work.h) of a product of masses, and of a place of a curve. */
#define PRODUCT_STEPS 0.2
#define PLACE_STEPS 60.0

struct couple {
	size_t one, other;
};

bool sotto_couples_possible(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	if (e->kind != SOTTO_EVENT_PARALLEL || neighbours != SOTTO_REPLACE ||
	    e->n_children < CELLS_MIN || e->n_children > CELLS_MAX)
		return false;
	for (size_t i = 0; i < e->n_children; i++)
		if (!sotto_couple_cell_possible(e->children[i]))
			return false;
	return true;
}

/* Two cells of few outcomes each, or one of them and one of continuous noise, have a curve that is a short sum. */
static bool is_short(const struct sotto_event *e)
{
	size_t continuous = 0;

	for (size_t i = 0; i < e->n_children; i++) {
		enum sotto_event_kind kind = e->children[i]->kind;

		if (kind == SOTTO_EVENT_SHUFFLE || kind == SOTTO_EVENT_DISCRETE_GAUSSIAN)
			return false;
		continuous += kind == SOTTO_EVENT_LAPLACE || kind == SOTTO_EVENT_GAUSSIAN;
	}
	return continuous < 2;
}

size_t sotto_couples_terms(const struct sotto_event *e)
{
	return is_short(e) ? TERMS_OF_SHORT : TERMS;
}

double sotto_couples_outcomes(const struct sotto_event *e)
{
	struct sotto_clone_pair pair;
	double sum = 0;

	for (size_t i = 0; i < e->n_children; i++)
		if (e->children[i]->kind == SOTTO_EVENT_SHUFFLE &&
		    sotto_clone_pair_of(e->children[i], &pair))
			sum += sotto_clone_rows_estimate(&pair, 1);
	return sum;
}

/* Whether cell i, of which the form tells that it is nowhere below cell j, stands for that; of two that are the same the first does. */
static bool stands_for(const struct sotto_event *e, size_t i, size_t j)
{
	return sotto_event_dominates(e->children[i], e->children[j]) &&
	       (i < j || !sotto_event_dominates(e->children[j], e->children[i]));
}

static bool is_needless(const struct sotto_event *e, size_t one, size_t other)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (i != one && i != other &&
		    (stands_for(e, i, one) || stands_for(e, i, other)))
			return true;
	return false;
}

static size_t list_couples(const struct sotto_event *e, struct couple list[COUPLES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_children; i++)
		for (size_t j = 0; j < i; j++)
			if (!is_needless(e, i, j))
				list[n++] = (struct couple){i, j};
	return n;
}

/* Of the two largest cells. */
static double largest_loss(const double *top, size_t n)
{
	double one = 0, other = 0;

	for (size_t i = 0; i < n; i++) {
		other = fmax(other, fmin(one, top[i]));
		one = fmax(one, top[i]);
	}
	return one + other;
}

/* Shuffled reports usually lose no more than some standard deviations. */
static double usual_top(const struct sotto_event *e)
{
	struct sotto_clone_pair pair;

	if (e->kind == SOTTO_EVENT_SHUFFLE && sotto_clone_pair_of(e, &pair))
		return fmin(pair.epsilon0, USUAL * sotto_clone_scale(&pair));
	return sotto_couple_cell_top(e);
}

double sotto_couples_size(const struct sotto_event *e)
{
	struct couple list[COUPLES_MAX];
	double top[CELLS_MAX];

	for (size_t i = 0; i < e->n_children; i++)
		top[i] = usual_top(e->children[i]);
	return (double)list_couples(e, list) * largest_loss(top, e->n_children);
}

/*
 * With n places from 0 to the largest loss both polygons are about as the square of that loss over n apart; a couple takes the square of n. What is between them is
 * least, over all events, where the square of n goes with the loss.
 */
static size_t places_for(const struct sotto_between_share *share, double top)
{
	return (size_t)fmin(PLACES_MOST, fmax(PLACES_LEAST, sqrt(share->products * top)));
}

/* Values of all curves at a place, and which is the largest. */
struct place {
	double x, value[COUPLES_MAX];
	size_t top;
};

static void look_at(struct sotto_couple_curve *c, size_t n, double x, struct place *at)
{
	at->x = x;
	at->top = 0;
	for (size_t i = 0; i < n; i++) {
		at->value[i] = sotto_couple_curve_value(&c[i], x);
		if (at->value[i] > at->value[at->top])
			at->top = i;
	}
}

static void push(struct sotto_points *p, double x, double value)
{
	p->x[p->n] = x;
	p->value[p->n++] = value;
}

/* Where the curve that is largest on the left meets the one on the right: all are straight between two places. */
static void push_crossing(struct sotto_points *p, const struct place *a, const struct place *b,
			  size_t n, bool above)
{
	double left = a->value[a->top] - a->value[b->top],
	       right = b->value[b->top] - b->value[a->top], part, value = 0, width, x;

	if (!(left > 0 && right > 0))
		return;
	part = left / (left + right);
	width = expm1(b->x - a->x);
	for (size_t i = 0; i < n; i++)
		if (above || i == a->top)
			value = fmax(value, a->value[i] * (1 - part) + b->value[i] * part);
	x = a->x + log1p(part * width);
	if (x > a->x && x < b->x)
		push(p, x, value);
}

/* The largest of all curves: on both sides the polygon through its values, and where two of the curves cross. */
static enum sotto_status
largest_of(struct sotto_couple_curve *c, size_t n, bool above, struct sotto_points *out)
{
	struct place a = {0}, b;
	size_t room = 2;

	for (size_t i = 0; i < n; i++)
		room += 2 * c[i].n;
	*out = (struct sotto_points){.x = malloc(2 * room * sizeof *out->x)};
	if (!out->x)
		return SOTTO_ENOMEM;
	out->value = out->x + room;
	look_at(c, n, 0, &a);
	push(out, 0, a.value[a.top]);
	for (double x = sotto_couple_curves_next(c, n); isfinite(x);
	     x = sotto_couple_curves_next(c, n)) {
		look_at(c, n, x, &b);
		if (a.top != b.top)
			push_crossing(out, &a, &b, n, above);
		push(out, x, b.value[b.top]);
		a = b;
	}
	return SOTTO_OK;
}

/* An event's cells on one lattice, and its couples. */
struct making {
	struct sotto_couple_cell cells[CELLS_MAX];
	struct sotto_cell_lattice lattices[CELLS_MAX];
	struct couple couples[COUPLES_MAX];
	struct sotto_couple_curve above[COUPLES_MAX], below[COUPLES_MAX];
	size_t n_cells, n_couples;
	struct sotto_work *work;
};

static void release(struct making *m)
{
	for (size_t i = 0; i < m->n_cells; i++) {
		sotto_couple_cell_release(&m->cells[i]);
		free(m->lattices[i].above);
	}
	for (size_t i = 0; i < m->n_couples; i++) {
		free(m->above[i].x);
		free(m->below[i].x);
	}
}

static enum sotto_status make_couple(struct making *m, size_t i)
{
	const struct sotto_cell_lattice *a = &m->lattices[m->couples[i].one],
					*b = &m->lattices[m->couples[i].other];
	size_t top = a->n + b->n;
	double *masses = calloc(2 * top + 1 + SOTTO_COUPLE_ROOM, sizeof *masses);
	enum sotto_status st;

	if (!masses)
		return SOTTO_ENOMEM;
	sotto_work_use(m->work, PRODUCT_STEPS * 6 * (double)a->n * (double)b->n +
					2 * PLACE_STEPS * (double)top);
	st = sotto_couple_products(a->above, 2 * a->n + 1, b->above, 2 * b->n + 1, top, masses);
	if (st == SOTTO_OK)
		st = sotto_couple_curve_above(masses, top, a->d, &m->above[i]);
	memset(masses, 0, (2 * top + 1) * sizeof *masses);
	if (st == SOTTO_OK)
		st = sotto_couple_products(a->below, 2 * a->n, b->below, 2 * b->n, 0, masses);
	if (st == SOTTO_OK)
		st = sotto_couple_curve_below(masses, top, 2, &m->below[i]);
	free(masses);
	return st;
}

static enum sotto_status make_cells(struct making *m, const struct sotto_event *e,
				    const struct sotto_between_share *share, double *top)
{
	double d, tops[CELLS_MAX] = {0};

	for (size_t i = 0; i < e->n_children; i++) {
		m->n_cells = i + 1;
		SOTTO_TRY(sotto_couple_cell_of(e->children[i], share->outcomes, m->work,
					       &m->cells[i]));
		tops[i] = m->cells[i].top;
	}
	*top = largest_loss(tops, m->n_cells);
	d = *top / (double)places_for(share, *top);
	for (size_t i = 0; i < e->n_children; i++)
		SOTTO_TRY(sotto_cell_lattice_of(&m->cells[i], d, &m->lattices[i]));
	*top += 4 * d;
	return SOTTO_OK;
}

static enum sotto_status
hull_of(struct sotto_couple_curve *c, size_t n, bool above, struct sotto_corners *out)
{
	struct sotto_points points;
	enum sotto_status st;

	SOTTO_TRY(largest_of(c, n, above, &points));
	st = sotto_points_hull(&points, 1, out);
	free(points.x);
	return st;
}

static enum sotto_status make(struct making *m, const struct sotto_event *e,
			      const struct sotto_between_share *share,
			      struct sotto_polygons *out, double *top)
{
	SOTTO_TRY(make_cells(m, e, share, top));
	m->n_couples = list_couples(e, m->couples);
	for (size_t i = 0; i < m->n_couples; i++)
		SOTTO_TRY(make_couple(m, i));
	SOTTO_TRY(hull_of(m->above, m->n_couples, true, &out->above));
	SOTTO_TRY(hull_of(m->below, m->n_couples, false, &out->below));
	out->wrong = out->moved = WRONG * (1 + *top);
	for (size_t i = 0; i < m->n_cells; i++) {
		out->wrong += m->lattices[i].wrong;
		out->left_out += m->lattices[i].left_out;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_couples_polygons(const struct sotto_event *e, const struct sotto_between_share *share,
		       struct sotto_work *work, struct sotto_polygons *out, double *top)
{
	struct making *m = calloc(1, sizeof *m);
	enum sotto_status st;

	*out = (struct sotto_polygons){.left_out = 0};
	if (!m)
		return SOTTO_ENOMEM;
	m->work = work;
	st = make(m, e, share, out, top);
	release(m);
	free(m);
	if (st != SOTTO_OK)
		sotto_polygons_release(out);
	return st;
}
