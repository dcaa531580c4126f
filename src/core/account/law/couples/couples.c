/*
 * Each cell on a lattice, each couple by products of masses, and how far the others are above one of them, from place to place of the
 * lattice (couples.md).
 */
#include "core/account/law/couples/couples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/event.h"
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
/* Places of a list of shuffled reports. */
enum { LIST_PLACES = 2000 };
/* How much finer the next try is where one is not sharp, and how many tries there are at most. */
#define FINER 3.0
enum { TRIES = 3 };
/* How much coarser a lattice is than the next. */
#define COARSER 1.1
/* Rounding of areas. */
#define SLACK (1 + 1e-9)
/* Steps (work.h) of a product of masses, of a place of a curve, of one of a cell, and of an outcome of shuffled reports. */
#define PRODUCT_STEPS 0.1
#define PLACE_STEPS 10.0
#define CELL_STEPS 10.0
#define OUTCOME_STEPS 3.0

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

/* Of a couple, at all places: above and below its curve; and how far the one below is below its chord to the next place. */
struct values {
	double *high, *low, *sag; /* one allocation: free high */
};

/* An event's cells on one lattice, and its couples. */
struct making {
	struct sotto_couple_cell cells[CELLS_MAX];
	struct sotto_cell_lattice lattices[CELLS_MAX];
	struct couple couples[COUPLES_MAX];
	struct values values[COUPLES_MAX];
	size_t n_cells, n_couples, base;
	double d, wrong, left_out;
	double *place; /* E at the n places from 0 on */
	size_t n;
	struct sotto_work *work;
};

static void release(struct making *m)
{
	for (size_t i = 0; i < m->n_cells; i++) {
		sotto_couple_cell_release(&m->cells[i]);
		free(m->lattices[i].above);
	}
	for (size_t i = 0; i < m->n_couples; i++)
		free(m->values[i].high);
	free(m->place);
}

/* E at all places, from 0 on. */
static enum sotto_status make_places(struct making *m)
{
	m->place = malloc(m->n * sizeof *m->place);
	if (!m->place)
		return SOTTO_ENOMEM;
	for (size_t j = 0; j < m->n; j++)
		m->place[j] = exp((double)j * m->d);
	return SOTTO_OK;
}

/* Losses, too, may be wrong: corners above are farther out, and those below farther in. */
static void sample_above(struct making *m, const struct sotto_couple_curve *c, double *value)
{
	value[0] = c->value[0] + 2 * m->wrong;
	for (size_t j = 1; j < c->n; j++)
		value[j] =
			(c->value[j] + (c->value[j - 1] - c->value[j]) * 2 * m->wrong / m->d) *
			(1 + m->wrong);
}

static enum sotto_status draw_couple(struct making *m, size_t i, size_t top, double *masses)
{
	const struct sotto_cell_lattice *a = &m->lattices[m->couples[i].one],
					*b = &m->lattices[m->couples[i].other];
	struct sotto_couple_masses above[] = {{a->above, 2 * a->n + 1, a->run_above},
					      {b->above, 2 * b->n + 1, b->run_above}},
				   below[] = {{a->below, 2 * a->n, a->run_below},
					      {b->below, 2 * b->n, b->run_below}};
	struct values *v = &m->values[i];
	struct sotto_couple_curve curve;

	SOTTO_TRY(sotto_couple_products(&above[0], &above[1], masses));
	SOTTO_TRY(sotto_couple_curve_above(masses, top, m->place, &curve));
	sample_above(m, &curve, v->high);
	free(curve.place);
	memset(masses, 0, (2 * top + 1) * sizeof *masses);
	SOTTO_TRY(sotto_couple_products(&below[0], &below[1], masses));
	SOTTO_TRY(sotto_couple_curve_below(masses, top, 2, &curve));
	sotto_couple_curve_move(&curve, -m->wrong);
	sotto_couple_curve_sample(&curve, m->place, m->n, v->low, v->sag);
	free(curve.place);
	for (size_t j = 0; j < m->n; j++)
		v->low[j] *= 1 - m->wrong;
	return SOTTO_OK;
}

static enum sotto_status make_couple(struct making *m, size_t i)
{
	size_t top = m->lattices[m->couples[i].one].n + m->lattices[m->couples[i].other].n;
	double *masses = calloc(2 * top + 1 + SOTTO_COUPLE_ROOM, sizeof *masses);
	struct values *v = &m->values[i];
	enum sotto_status st = SOTTO_ENOMEM;

	v->high = calloc(3 * m->n, sizeof *v->high);
	v->low = v->high + m->n;
	v->sag = v->low + m->n;
	if (masses && v->high)
		st = draw_couple(m, i, top, masses);
	free(masses);
	return st;
}

/* Rows of eight of a cell that are not nothing, about. */
static double rows_of(const struct making *m, size_t cell, double d)
{
	return fmin(sotto_couple_cell_outcomes(m->cells[cell].event),
		    m->cells[cell].top / d / 4 + 1);
}

static double products_at(const struct making *m, double d)
{
	double sum = 0;

	for (size_t i = 0; i < m->n_couples; i++) {
		size_t a = m->couples[i].one, b = m->couples[i].other;

		sum += 32 / d *
		       fmin(rows_of(m, a, d) * m->cells[b].top,
			    rows_of(m, b, d) * m->cells[a].top);
	}
	return sum;
}

/* As little as products, and places, allow. */
static void choose_distance(struct making *m, const struct sotto_couples_fineness *fineness)
{
	double one = 0, other = 0;

	for (size_t i = 0; i < m->n_cells; i++) {
		other = fmax(other, fmin(one, m->cells[i].top));
		one = fmax(one, m->cells[i].top);
	}
	m->d = (one + other) / fineness->places;
	while (products_at(m, m->d) > fineness->products)
		m->d *= COARSER;
	m->n = (size_t)ceil(one / m->d) + (size_t)ceil(other / m->d) + 4;
	sotto_work_use(m->work, PRODUCT_STEPS * products_at(m, m->d) +
					PLACE_STEPS * (double)(m->n * m->n_couples));
}

static enum sotto_status make_lattices(struct making *m, const struct sotto_event *e,
				       const struct sotto_couples_fineness *fineness)
{
	for (size_t i = 0; i < e->n_children; i++) {
		m->n_cells = i + 1;
		SOTTO_TRY(sotto_couple_cell_of(e->children[i], LIST_PLACES, fineness->outcomes,
					       m->work, &m->cells[i]));
	}
	m->n_couples = list_couples(e, m->couples);
	choose_distance(m, fineness);
	for (size_t i = 0; i < m->n_cells; i++) {
		SOTTO_TRY(sotto_cell_lattice_of(&m->cells[i], m->d, &m->lattices[i]));
		sotto_work_use(m->work, CELL_STEPS * (double)m->lattices[i].n);
		m->left_out += m->lattices[i].left_out;
		m->wrong += m->lattices[i].wrong + WRONG * (1 + m->cells[i].top);
	}
	return SOTTO_OK;
}

static enum sotto_status make_curves(struct making *m, const struct sotto_event *e,
				     const struct sotto_couples_fineness *fineness)
{
	SOTTO_TRY(make_lattices(m, e, fineness));
	SOTTO_TRY(make_places(m));
	for (size_t i = 0; i < m->n_couples; i++) {
		SOTTO_TRY(make_couple(m, i));
		if (m->values[i].high[0] > m->values[m->base].high[0])
			m->base = i;
	}
	return SOTTO_OK;
}

/* How far others are above the one at a place, at most and at least; and which is the highest by the least, or the one itself. */
struct place {
	double x, most, least;
	size_t which;
};

static struct place look_at(const struct making *m, size_t j)
{
	const struct values *base = &m->values[m->base];
	struct place p = {(double)j * m->d, 0, 0, m->base};

	for (size_t i = 0; i < m->n_couples; i++) {
		double least = m->values[i].low[j] - base->high[j] - m->left_out;

		if (i == m->base)
			continue;
		p.most = fmax(p.most, m->values[i].high[j] - base->low[j]);
		if (least > p.least) {
			p.least = least;
			p.which = i;
		}
	}
	return p;
}

/*
 * From a place to the next the most is below its chord, but for what the one is below its own; the least is above its chord, but for what the highest is below
 * its own, or where another one is the highest at the next place, for all of it.
 */
static double
height_of_error(const struct making *m, size_t j, const struct place *a, const struct place *b)
{
	double half = 0.25 * (a->most - a->least + b->most - b->least),
	       least = a->which == b->which ? 0 : fmax(a->least, b->least);

	if (a->which == b->which && a->which != m->base)
		least = m->values[a->which].sag[j];
	return half + fmax(m->values[m->base].sag[j], least);
}

/* e^(c x) at a place at each order, and e^(-(c+1) x); and how they change to the next. */
struct powers {
	double up[SOTTO_RISE_ORDERS], down[SOTTO_RISE_ORDERS], grow[SOTTO_RISE_ORDERS],
		shrink[SOTTO_RISE_ORDERS];
};

static void start(struct powers *p, const struct sotto_rise *r, double d)
{
	for (int i = 0; i < SOTTO_RISE_ORDERS; i++) {
		p->up[i] = p->down[i] = 1;
		p->grow[i] = exp(r->order[i] * d);
		p->shrink[i] = exp(-(r->order[i] + 1) * d);
	}
}

static void step(struct powers *p)
{
	for (int i = 0; i < SOTTO_RISE_ORDERS; i++) {
		p->up[i] *= p->grow[i];
		p->down[i] *= p->shrink[i];
	}
}

/* A height from a place to the next. */
static void
add_area(const struct powers *p, double height, double width, struct sotto_rise *rise)
{
	for (int i = 0; height > 0 && i < SOTTO_RISE_ORDERS; i++)
		rise->area[i] += height * width * SLACK * (p->up[i] * p->grow[i] + p->down[i]);
}

static void push(struct sotto_points *p, const struct place *at)
{
	if (p->n > 0 && at->x <= p->x[p->n - 1])
		return;
	p->x[p->n] = at->x;
	p->value[p->n++] = 0.5 * (at->most + at->least);
}

/* Whether others may be above the one between two places. */
static bool
is_above(const struct making *m, size_t j, const struct place *a, const struct place *b)
{
	const struct values *base = &m->values[m->base];

	if (a->most > 0 || b->most > 0)
		return true;
	for (size_t i = 0; base->sag[j] > 0 && i < m->n_couples; i++) {
		const double *high = m->values[i].high + j;

		if (i != m->base &&
		    fmax(high[0] - base->low[j], high[1] - base->low[j + 1]) + base->sag[j] > 0)
			return true;
	}
	return false;
}

static enum sotto_status compare_all(const struct making *m, struct sotto_largest_couple *out)
{
	struct place a, b;
	struct powers powers;

	out->above = (struct sotto_points){.x = malloc(2 * m->n * sizeof *out->above.x)};
	if (!out->above.x)
		return SOTTO_ENOMEM;
	out->above.value = out->above.x + m->n;
	start(&powers, &out->error, m->d);
	a = look_at(m, 0);
	push(&out->above, &a);
	for (size_t j = 0; j + 1 < m->n; j++, step(&powers)) {
		b = look_at(m, j + 1);
		if (is_above(m, j, &a, &b)) {
			push(&out->above, &a);
			push(&out->above, &b);
			add_area(&powers, height_of_error(m, j, &a, &b), m->d, &out->error);
			out->top = b.x;
		}
		a = b;
	}
	return SOTTO_OK;
}

/* The root of the mean square of the loss of the one. */
static double spread_of(const struct making *m)
{
	const size_t cells[] = {m->couples[m->base].one, m->couples[m->base].other};
	double sum = 0;

	for (int i = 0; i < 2; i++) {
		const struct sotto_cell_lattice *l = &m->lattices[cells[i]];

		for (size_t j = 0; j <= 2 * l->n; j++) {
			double x = ((double)j - (double)l->n) * l->d;

			sum += l->above[j] * x * x;
		}
	}
	return sqrt(sum) + 1e-300;
}

static enum sotto_status largest_of(const struct sotto_event *e,
				    const struct sotto_couples_share *share,
				    const struct sotto_couples_fineness *fineness,
				    struct sotto_work *work, struct sotto_largest_couple *out)
{
	struct making *m = calloc(1, sizeof *m);
	enum sotto_status st;

	*out = (struct sotto_largest_couple){.top = 0};
	if (!m)
		return SOTTO_ENOMEM;
	m->work = work;
	st = make_curves(m, e, fineness);
	if (st == SOTTO_OK) {
		out->one = m->couples[m->base].one;
		out->other = m->couples[m->base].other;
		out->left_out = 2 * m->left_out;
		out->error = sotto_rise_none(share->order / spread_of(m));
		st = compare_all(m, out);
	}
	release(m);
	free(m);
	return st;
}

/* The largest of all couples at each place, on one side. */
static void fill_points(const struct making *m, bool above, struct sotto_points *p)
{
	for (size_t j = 0; j < m->n; j++) {
		double most = 0;

		for (size_t i = 0; i < m->n_couples; i++) {
			const struct values *v = &m->values[i];
			double sag = fmax(v->sag[j], j > 0 ? v->sag[j - 1] : 0);

			most = fmax(most, above ? v->high[j] : v->low[j] - sag);
		}
		p->x[p->n] = (double)j * m->d;
		p->value[p->n++] = most;
	}
}

static enum sotto_status hull_of(const struct making *m, bool above, struct sotto_corners *out)
{
	struct sotto_points points = {.x = malloc(2 * m->n * sizeof *points.x)};
	enum sotto_status st;

	if (!points.x)
		return SOTTO_ENOMEM;
	points.value = points.x + m->n;
	fill_points(m, above, &points);
	st = sotto_points_hull(&points, 1, out);
	free(points.x);
	return st;
}

enum sotto_status
sotto_couples_polygons(const struct sotto_event *e, const struct sotto_couples_fineness *f,
		       struct sotto_work *work, struct sotto_polygons *out, double *top)
{
	struct making *m = calloc(1, sizeof *m);
	enum sotto_status st;

	*out = (struct sotto_polygons){.left_out = 0};
	if (!m)
		return SOTTO_ENOMEM;
	m->work = work;
	st = make_curves(m, e, f);
	if (st == SOTTO_OK)
		st = hull_of(m, true, &out->above);
	if (st == SOTTO_OK)
		st = hull_of(m, false, &out->below);
	out->wrong = out->moved = m->wrong;
	out->left_out = m->left_out;
	*top = (double)m->n * m->d;
	release(m);
	free(m);
	if (st != SOTTO_OK)
		sotto_polygons_release(out);
	return st;
}

/* What a try may take. */
static double steps_of(const struct sotto_couples_fineness *f)
{
	return PRODUCT_STEPS * f->products + 4 * PLACE_STEPS * f->places +
	       OUTCOME_STEPS * f->outcomes;
}

enum sotto_status
sotto_couples_largest(const struct sotto_event *e, const struct sotto_couples_share *share,
		      struct sotto_work *work, struct sotto_largest_couple *out)
{
	struct sotto_couples_fineness f = share->first;
	enum sotto_status st = largest_of(e, share, &f, work, out);

	for (int i = 1; i < TRIES && st == SOTTO_OK && out->error.area[0] > share->wanted;
	     i++) {
		f.places *= FINER;
		f.products *= FINER * FINER;
		f.outcomes *= FINER;
		if (!sotto_work_allows(work, share->kept + steps_of(&f)))
			break;
		free(out->above.x);
		st = largest_of(e, share, &f, work, out);
	}
	return st;
}
