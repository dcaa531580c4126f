/*
 * Events about disjoint cells: where two cells cost as much as all these are composed in their place, and else a law is made of them and of how far others
 * are above them (couples.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/couples/couples.h"
#include "core/account/law/between/law_between.h"
#include "core/account/law/clones/law_clone_pair.h"
#include "core/account/law/couples/law_raised.h"
#include "core/account/law/couples/worst_couple.h"
#include "core/account/law/gathered/law_gathered.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

/* What all such events share (couples.h), and each has at least and at most. */
#define PLACES 3e6
#define PLACES_LEAST 3e3
#define PLACES_MOST 1e5
#define PRODUCTS 1e9
#define PRODUCTS_MOST 2e7
#define OUTCOMES 3e7
#define OUTCOMES_LEAST 2e4
#define OUTCOMES_MOST 4e5
/* Steps (work.h) that a place takes in all, and that are kept for what comes after all such events. */
#define PLACE_STEPS 50.0
#define KEPT 2e8
/* What their errors are to come to. */
#define WANTED 1.5e-7
/* Orders up to which errors are known, over the spread of the loss. */
#define ORDER_OF_MANY 16.0
#define ORDER_OF_FEW 64.0
/* What smoothing may add to the variance of one of many laws, and of few, over what it is wrong by: no contour is to look farther out than the law is known. */
#define GRAIN 0.5
/* Beside at least so many events the law is that of two cells raised. */
enum { RAISED_TERMS = 9 };
/* And else so fine that all its outcomes can be kept. */
static const struct sotto_couples_fineness of_few = {2000, 1e8, 4e5};
#define GRAIN_OF_FEW 300.0

bool sotto_measure_is_couples(const struct sotto_terms *t, const struct sotto_event *e)
{
	return t->n >= sotto_couples_terms(e) && sotto_couples_possible(e, t->neighbours);
}

static bool may_settle(const struct sotto_terms *t, const struct sotto_event *e)
{
	return sotto_couples_possible(e, t->neighbours) && !sotto_work_is_spent(t->work);
}

static bool beside_many(const struct sotto_terms *t)
{
	return t->n > SOTTO_CLONE_PAIR_FEW;
}

static size_t count_couples(const struct sotto_terms *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += sotto_measure_is_couples(t, t->list[i].event);
	return n;
}

struct sotto_couples_share sotto_measure_share_couples(const struct sotto_terms *t)
{
	double n = fmax(1, (double)count_couples(t));

	struct sotto_couples_fineness first = {
		fmin(PLACES_MOST, fmax(PLACES_LEAST, PLACES / n)),
		fmin(PRODUCTS_MOST, PRODUCTS / n),
		fmin(OUTCOMES_MOST, fmax(OUTCOMES_LEAST, OUTCOMES / n))};

	return (struct sotto_couples_share){first, WANTED / n,
					    KEPT + n * PLACE_STEPS * first.places,
					    beside_many(t) ? ORDER_OF_MANY : ORDER_OF_FEW};
}

static void leave_out(struct sotto_loss_measure *m, double mass, uint64_t count)
{
	mpfr_t one;

	mpfr_init2(one, 64);
	mpfr_set_d(one, mass, MPFR_RNDU);
	sotto_measure_leave_out(m, one, count);
	mpfr_clear(one);
}

/* Adds a term, or the two that it costs as much as. */
static enum sotto_status settle(struct sotto_loss_measure *m, const struct sotto_terms *t,
				const struct sotto_term *term, struct sotto_terms *out)
{
	struct sotto_event *const *cells = term->event->children;
	struct sotto_worst_couple worst;
	enum sotto_status st = SOTTO_EREFUSED;

	if (may_settle(t, term->event))
		st = sotto_worst_couple_of(term->event, t->work, &worst);
	if (st == SOTTO_EREFUSED) {
		out->list[out->n++] = *term;
		return SOTTO_OK;
	}
	SOTTO_TRY(st);
	out->list[out->n++] = (struct sotto_term){cells[worst.one], term->count};
	out->list[out->n++] = (struct sotto_term){cells[worst.other], term->count};
	leave_out(m, worst.left_out, term->count);
	return SOTTO_OK;
}

enum sotto_status sotto_measure_settle_couples(struct sotto_loss_measure *m,
					       const struct sotto_terms *t,
					       struct sotto_terms *out)
{
	*out = *t;
	out->n = 0;
	out->list = malloc((2 * t->n + 1) * sizeof *out->list);
	if (!out->list)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		enum sotto_status st = settle(m, t, &t->list[i], out);

		if (st != SOTTO_OK) {
			free(out->list);
			return st;
		}
	}
	return SOTTO_OK;
}

/* A cell by its own law; Laplace and Gaussian noise are added all at once. */
static enum sotto_status add_cell(struct sotto_loss_measure *m, const struct sotto_terms *t,
				  const struct sotto_event *e, enum sotto_direction direction,
				  double clone_scale)
{
	struct sotto_law *law;

	if (e->kind == SOTTO_EVENT_LAPLACE || e->kind == SOTTO_EVENT_GAUSSIAN)
		return SOTTO_OK;
	if (!sotto_clone_pair_is_used(e, t->n))
		return sotto_measure_add_event(m, e, 1, direction);
	SOTTO_TRY(sotto_measure_push(m, 1, &law));
	law->of_many = beside_many(t);
	SOTTO_TRY(sotto_law_clone_pair_of(law, e, clone_scale, m->work));
	m->n++;
	sotto_measure_raise_top(m, law->top, 0, 1);
	return SOTTO_OK;
}

static enum sotto_status add_cells(struct sotto_loss_measure *m, const struct sotto_terms *t,
				   struct sotto_event *one, struct sotto_event *other,
				   enum sotto_direction direction, double clone_scale)
{
	struct sotto_term both[] = {{one, 1}, {other, 1}};
	struct sotto_terms cells = {.neighbours = t->neighbours, .list = both, .n = 2};

	SOTTO_TRY(sotto_measure_add_laplaces(m, &cells));
	sotto_measure_add_gaussians(m, &cells);
	SOTTO_TRY(add_cell(m, t, one, direction, clone_scale));
	return add_cell(m, t, other, direction, clone_scale);
}

/* The law of both cells in the measure, raised: it takes their laws. */
static enum sotto_status raise(struct sotto_loss_measure *m, const struct sotto_terms *t,
			       uint64_t count, struct sotto_loss_measure *cells,
			       const struct sotto_largest_couple *largest)
{
	struct sotto_law *law;
	double few = GRAIN_OF_FEW / (double)t->n;

	SOTTO_TRY(sotto_measure_push(m, count, &law));
	SOTTO_TRY(sotto_law_raised_of(law, cells->laws, cells->n, cells->mu2, largest,
				      beside_many(t)));
	cells->laws = NULL;
	cells->n = 0;
	m->n++;
	m->has_clones = m->has_raised = true;
	m->grain += (double)count * fmax(GRAIN, few) * largest->error.area[0];
	law->top = fmax(cells->top, largest->top);
	sotto_measure_raise_top(m, law->top, 0, count);
	leave_out(m, largest->left_out, count);
	return SOTTO_OK;
}

static enum sotto_status
add_raised(struct sotto_loss_measure *m, const struct sotto_terms *t,
	   const struct sotto_term *term, enum sotto_direction direction,
	   const struct sotto_largest_couple *largest, double clone_scale)
{
	struct sotto_event *const *children = term->event->children;
	struct sotto_loss_measure cells;
	enum sotto_status st;

	sotto_measure_init(&cells);
	cells.work = m->work;
	cells.of_many = m->of_many;
	st = add_cells(&cells, t, children[largest->one], children[largest->other], direction,
		       clone_scale);
	if (st == SOTTO_OK)
		st = raise(m, t, term->count, &cells, largest);
	sotto_measure_release(&cells);
	return st;
}

/* Of few events far nodes count, where the law between two polygons has outcomes. */
static enum sotto_status add_between(struct sotto_loss_measure *m, const struct sotto_terms *t,
				     const struct sotto_term *term,
				     const struct sotto_couples_fineness *fineness)
{
	struct sotto_polygons p;
	struct sotto_law *law;
	double top, left_out;

	SOTTO_TRY(sotto_measure_push(m, term->count, &law));
	SOTTO_TRY(sotto_couples_polygons(term->event, fineness, m->work, &p, &top));
	left_out = 2 * p.left_out;
	SOTTO_TRY(sotto_law_between_polygons(law, &p, top, m->work));
	m->n++;
	m->has_clones = true;
	m->grain +=
		(double)term->count * GRAIN_OF_FEW / (double)t->n * law->gathered->rise.area[0];
	sotto_measure_raise_top(m, law->top, 0, term->count);
	leave_out(m, left_out, term->count);
	return SOTTO_OK;
}

enum sotto_status
sotto_measure_add_couples(struct sotto_loss_measure *m, const struct sotto_terms *t,
			  const struct sotto_term *term, enum sotto_direction direction,
			  const struct sotto_couples_share *share, double clone_scale)
{
	struct sotto_largest_couple largest;
	enum sotto_status st;

	m->lattice = false;
	if (t->n < RAISED_TERMS)
		return add_between(m, t, term, &of_few);
	st = sotto_couples_largest(term->event, share, m->work, &largest);
	if (st == SOTTO_OK)
		st = add_raised(m, t, term, direction, &largest, clone_scale);
	free(largest.above.x);
	return st;
}
