/* The law of an event whose outcomes are listed: one by one, or gathered (argument in outcomes.md). */
#include "core/account/law/outcomes/law_outcomes.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/integral/real.h"
#include "core/account/law/atom_list.h"
#include "core/account/law/outcomes/nested_fall.h"
#include "core/account/law/outcomes/outcomes.h"
#include "core/account/law/outcomes/outcomes_nested.h"
#include "core/account/law/outcomes/wanted_line.h"
#include "core/base/failure.h"

/* Orders and nodes that the law is made for, over the standard deviation of its loss; and without which a list is of no use. */
#define ORDER 1.75
#define FAR 6.0
#define FAR_MIN 1.1
/* Lists get places for so much more, as far as there is room. */
#define SPARE 2.0
/* Samples of samples: nodes that are known so many times farther than is wanted, if possible, make all others nothing; where a unit is added losses are smaller and
 * orders higher. */
#define FARTHER 2.5
#define ADDED 3.0
#define HEAVIEST 6.0 /* log of what an outcome then weighs */
/* How often outcomes are listed for a line, each time not as far. */
enum { LAST_TRIES = 3 };
/* Places of a list of samples of samples, at least. */
enum { SIZE_MIN = 64 };
/* Events of one kind, at most: errors add up. */
enum { COUNT_MAX = 1000 };

static double reach_of(const struct sotto_outcomes *o)
{
	return fmax(fabs(o->loss[0]), fabs(o->loss[o->n - 1]));
}

/* What sums over the outcomes err by at s, relative to M(c). */
static double sum_error(const struct sotto_outcomes *o, double s)
{
	return o->sum_error +
	       o->size * (o->mass_error + s * (o->loss_error * reach_of(o) + o->loss_shift));
}

/* What sums over the places err by for all orders up to g's. */
static double law_error(const struct sotto_outcomes *o, const struct sotto_gathered *g)
{
	return sum_error(o, hypot(g->order, g->far)) +
	       (o->size - 1) * sotto_gathered_list_error(&g->list, g->order, g->far);
}

/* Where rare losses are far from the others, as many places as both need; but so many as a list usually has. */
static size_t size_for(const struct sotto_outcomes *o, double order, double far, size_t usually)
{
	double range = o->loss[o->n - 1] - o->loss[0],
	       size = 2.6 * range * fmax(order / 0.6, far / 0.8) + 20;

	return (size_t)fmin(fmax(size, (double)usually), SOTTO_GATHERED_MAX);
}

static enum sotto_status gather(struct sotto_outcomes *o, double order, double far,
				double least, struct sotto_work *work,
				struct sotto_gathered **out)
{
	struct sotto_gathered *g = calloc(1, sizeof *g);
	size_t size = o->top > 0 ? size_for(o, order, far, SIZE_MIN)
				 : size_for(o, 0, SPARE * least, SOTTO_GATHERED_OF_MANY);
	enum sotto_status st;

	if (!g)
		return SOTTO_ENOMEM;
	sotto_work_use(work, 20 * (double)o->n);
	st = sotto_gathered_list_of(&g->list, o->loss, o->mass, o->n, size);
	if (st == SOTTO_OK) {
		sotto_gathered_limit(g, order, far);
		if (g->far < least)
			st = SOTTO_EREFUSED;
	}
	if (st != SOTTO_OK) {
		sotto_gathered_free(g);
		return st;
	}
	g->error = law_error(o, g);
	g->heavy = o->heavy;
	g->work = work;
	*out = g;
	return SOTTO_OK;
}

/* Outcomes one by one. */
static enum sotto_status list(struct sotto_law *law, const struct sotto_outcomes *o)
{
	struct sotto_sum mean = {0};

	SOTTO_TRY(sotto_law_atoms_init(law, o->n));
	if (law->n > SOTTO_FEW_ATOMS)
		law->class = &sotto_law_points;
	for (size_t i = 0; i < o->n; i++) {
		law->loss[i] = o->loss[i];
		law->mass[i] = o->mass[i];
		sotto_sum_add(&mean, o->mass[i] * o->loss[i]);
	}
	law->mean = sotto_sum_total(&mean);
	law->mass_error = o->mass_error;
	law->loss_error = o->loss_error;
	law->loss_shift = o->loss_shift;
	return SOTTO_OK;
}

static double top_of(const struct sotto_outcomes *o)
{
	double top = -INFINITY;

	for (size_t i = 0; i < o->n; i++)
		top = fmax(top, o->loss[i]);
	top = fmax(top, o->top);
	return top + 4 * (o->loss_error * fabs(top) + o->loss_shift + SOTTO_U * fabs(top));
}

/* Outcomes for Re s up to the order and |Im s| up to far. */
static enum sotto_status outcomes_for(struct sotto_outcomes *o, const struct sotto_event *e,
				      enum sotto_direction direction, double order, double far,
				      struct sotto_work *work)
{
	struct sotto_tame tame = {hypot(order, far), INFINITY, 1, e->kind != SOTTO_EVENT_GROUP,
				  order};
	enum sotto_status st = SOTTO_EREFUSED;

	if (sotto_outcomes_nested_possible(e))
		st = sotto_outcomes_of_nested(o, e, direction, order, far, work);
	if (st != SOTTO_EREFUSED || sotto_outcomes_nested_is_smooth(e))
		return st;
	SOTTO_TRY(e->kind == SOTTO_EVENT_GROUP
			  ? sotto_outcomes_of_group(o, e, direction, &tame, work)
			  : sotto_outcomes_of(o, e, direction, &tame, work));
	if (o->exact)
		sotto_outcomes_find_heavy(o);
	return SOTTO_OK;
}

/* The masses become those of a finite loss. */
static struct sotto_outcomes_rest set_rest_apart(struct sotto_outcomes *o)
{
	struct sotto_outcomes_rest rest = {.infinite = o->infinite * (1 - 4 * o->mass_error)};

	rest.left_out = o->left_out + 8 * o->mass_error * o->infinite;
	if (!(o->infinite > 0))
		return rest;
	for (size_t i = 0; i < o->n; i++)
		o->mass[i] /= 1 - rest.infinite;
	for (size_t i = 0; i < o->heavy.n; i++)
		o->heavy.mass[i] /= 1 - rest.infinite;
	o->mass_error += 4 * SOTTO_U + 8 * o->mass_error * rest.infinite;
	return rest;
}

/* The same event for orders up to c. */
static enum sotto_status
remake(const struct sotto_gathered *g, double c, struct sotto_gathered **out)
{
	struct sotto_gathered *higher;
	struct sotto_outcomes o;
	enum sotto_status st;

	SOTTO_TRY(outcomes_for(&o, g->event, g->direction, c, g->far, g->work));
	(void)set_rest_apart(&o);
	st = gather(&o, c, g->far, g->far * FAR_MIN / FAR, g->work, &higher);
	sotto_outcomes_release(&o);
	if (st != SOTTO_OK)
		return st;
	if (higher->order < c) {
		sotto_gathered_free(higher);
		return SOTTO_EREFUSED;
	}
	*out = higher;
	return SOTTO_OK;
}

static bool has_negative(const struct sotto_outcomes *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->mass[i] < 0)
			return true;
	return false;
}

/* Outcomes for nodes up to last, or as far as they are not too many; *last is how far. */
static enum sotto_status
outcomes_up_to(struct sotto_outcomes *o, const struct sotto_gathered *g, double c, double *last)
{
	enum sotto_status st = SOTTO_EREFUSED;

	for (int i = 0; i<LAST_TRIES && * last> g->far && !sotto_work_is_spent(g->work);
	     i++, *last /= 4) {
		st = outcomes_for(o, g->event, g->direction, c, *last, g->work);
		if (st != SOTTO_EREFUSED)
			break;
	}
	return st;
}

/* The outcomes themselves, or the places that stand for them: each is listed again for the line. */
static enum sotto_status line_outcomes(const struct sotto_gathered *g, double c, double last,
				       double digits, double log_m,
				       struct sotto_law_outcomes *out)
{
	struct sotto_outcomes o;

	(void)digits; /* lists have as many as doubles allow */
	SOTTO_TRY(outcomes_up_to(&o, g, c, &last));
	if (has_negative(&o)) { /* gathered before: transforms are of weights (law.h) */
		sotto_outcomes_release(&o);
		return SOTTO_EREFUSED;
	}
	(void)set_rest_apart(&o);
	*out = (struct sotto_law_outcomes){.loss = malloc(2 * o.n * sizeof *out->loss),
					   .n = o.n,
					   .from = g->far,
					   .to = last};
	if (!out->loss) {
		sotto_outcomes_release(&o);
		return SOTTO_ENOMEM;
	}
	out->weight = out->loss + o.n;
	for (size_t i = 0; i < o.n; i++) {
		out->loss[i] = o.loss[i];
		out->weight[i] = o.mass[i] * exp(c * o.loss[i] - log_m);
	}
	out->error =
		1.01 * sum_error(&o, hypot(c, last)) +
		o.size * SOTTO_U * (64 + (double)o.n + 4 * (c * reach_of(&o) + fabs(log_m)));
	sotto_outcomes_release(&o);
	return SOTTO_OK;
}

/* Sampled Laplace and Gaussian noise have laws of their own. */
bool sotto_law_outcomes_possible(const struct sotto_event *e, uint64_t count)
{
	if (count > COUNT_MAX)
		return false;
	if (e->kind == SOTTO_EVENT_GROUP)
		return sotto_outcomes_group_possible(e);
	return e->kind == SOTTO_EVENT_SAMPLED &&
	       !(e->children[0]->kind == SOTTO_EVENT_LAPLACE && e->children[0]->count == 1) &&
	       (sotto_outcomes_possible(e) || sotto_outcomes_far_possible(e) ||
		sotto_outcomes_nested_possible(e));
}

/* Orders and nodes that a law is made for, and up to where nodes have to be good. */
struct wish {
	double order, far, least;
};

/* By what its own loss is alone, or beside others: then as far as they leave something, and farther where that is easy. */
static struct wish wish_of(const struct sotto_event *e, enum sotto_direction direction,
			   const struct sotto_wanted_line *wanted)
{
	double spread = sotto_outcomes_spread(e), far = FAR / spread;
	struct wish w = {ORDER / spread, far, far * FAR_MIN / FAR};

	if (!wanted || isinf(wanted->order))
		return w;
	w.least = fmin(w.least, wanted->far);
	if (wanted->few && !sotto_outcomes_nested_possible(e)) /* far nodes count */
		return w;
	w = (struct wish){wanted->order, fmax(wanted->far, far), wanted->far};
	if (direction == SOTTO_ADD)
		w.order *= ADDED;
	if (!sotto_outcomes_nested_possible(e))
		return w;
	w.far = fmax(wanted->far, fmin(far, FARTHER * wanted->far));
	if (direction == SOTTO_ADD)
		w.order = fmin(w.order, -HEAVIEST / log1p(-mpq_get_d(e->rate.q)));
	return w;
}

enum sotto_status
sotto_law_outcomes_of(struct sotto_law *law, const struct sotto_event *e,
		      enum sotto_direction direction, const struct sotto_wanted_line *wanted,
		      struct sotto_work *work, struct sotto_outcomes_rest *rest)
{
	struct wish wish = wish_of(e, direction, wanted);
	struct sotto_outcomes o;
	struct sotto_gathered *g;
	enum sotto_status st;

	st = outcomes_for(&o, e, direction, wish.order, wish.far, work);
	if (st == SOTTO_EREFUSED && wish.least < wish.far) {
		wish.far = wish.least;
		st = outcomes_for(&o, e, direction, wish.order, wish.far, work);
	}
	SOTTO_TRY(st);
	*rest = set_rest_apart(&o);
	law->top = top_of(&o);
	st = o.exact && o.n <= SOTTO_FEW_ATOMS
		     ? SOTTO_EREFUSED
		     : gather(&o, wish.order, wish.far, wish.least, work, &g);
	if (st == SOTTO_OK) {
		g->event = e;
		g->direction = direction;
		g->remake = remake;
		g->outcomes = wanted && wanted->few ? line_outcomes : NULL;
		if (sotto_outcomes_nested_is_smooth(e)) {
			g->k_up = sotto_outcomes_nested_k_up;
			g->fall = sotto_nested_ladder;
		}
		sotto_law_gathered_of(law, g);
	} else if (st == SOTTO_EREFUSED && o.exact) {
		st = list(law, &o);
	}
	sotto_outcomes_release(&o);
	return st;
}
