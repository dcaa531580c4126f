/* The law in the middle of two polygons, gathered, which rises and falls by half of what is between them. */
#include "core/account/law/between/law_between.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/law/between/between_polygons.h"
#include "core/account/law/between/mirrored.h"
#include "core/account/law/gathered/law_gathered.h"
#include "core/base/failure.h"

/* Orders, and nodes, that a list is for, over the spread of the loss; rises go farther. */
#define ORDER 3.0
#define FAR 16.0
#define RISE_OF_MANY 16.0
#define RISE_OF_FEW 64.0
/* Outcomes of one of few laws that are kept for higher orders and far nodes. */
enum { ALL_MAX = 12000 };
/* Opposites that weigh less do not matter. */
#define GONE 1e-20

bool sotto_law_between_possible(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	struct sotto_between_event r;

	return neighbours == SOTTO_REPLACE && sotto_between_read(e, &r);
}

/* Outcomes in the middle of both polygons, as half of all: the others have -loss and mass e^-loss. */
struct outcomes {
	double *loss, *mass;
	size_t n;
	double spread; /* the root of the mean square of the loss */
};

static void add_half(struct outcomes *o, const struct sotto_corners *c)
{
	for (size_t i = 0; i < c->n; i++) {
		double mass = 0.5 * c->mass[i];

		o->loss[o->n] = c->loss[i];
		o->mass[o->n++] = mass;
		o->spread += mass * (1 + exp(-c->loss[i])) * c->loss[i] * c->loss[i];
	}
}

static enum sotto_status outcomes_of(const struct sotto_polygons *p, struct outcomes *o)
{
	size_t room = p->below.n + p->above.n;

	*o = (struct outcomes){.loss = malloc(2 * room * sizeof *o->loss)};
	if (!o->loss)
		return SOTTO_ENOMEM;
	o->mass = o->loss + room;
	add_half(o, &p->below);
	add_half(o, &p->above);
	o->spread = sqrt(o->spread) + 1e-300;
	return SOTTO_OK;
}

static void keep_one(struct sotto_heavy *heavy, double loss, double mass, double least)
{
	if (!(mass > least) || heavy->n == SOTTO_HEAVY)
		return;
	heavy->loss[heavy->n] = loss;
	heavy->mass[heavy->n++] = mass * (1 - 0x1p-40);
}

static void keep_heavy(const struct outcomes *o, struct sotto_heavy *heavy)
{
	double least = 1;
	size_t many = 0;

	while (least > 1e-6 && many < SOTTO_HEAVY / 2) {
		least /= 2;
		many = 0;
		for (size_t i = 0; i < o->n; i++)
			many += o->mass[i] > least;
	}
	least *= many > SOTTO_HEAVY / 2 ? 2 : 1;
	for (size_t i = 0; i < o->n; i++) {
		keep_one(heavy, o->loss[i], o->mass[i], least);
		keep_one(heavy, -o->loss[i], o->mass[i] * exp(-o->loss[i]), least);
	}
}

/* A list that is long enough for the order, or as long as can be. */
static enum sotto_status gather(struct sotto_gathered *g, const struct outcomes *o,
				bool of_many, struct sotto_work *work)
{
	double order = ORDER / o->spread, low = o->loss[0], high = low;
	size_t size = (of_many ? SOTTO_GATHERED_OF_MANY : SOTTO_GATHERED_OF_FEW) / 2;

	for (size_t i = 1; i < o->n; i++) {
		low = o->loss[i] < low ? o->loss[i] : low;
		high = o->loss[i] > high ? o->loss[i] : high;
	}
	while (size < SOTTO_GATHERED_MAX / 2 &&
	       0.6 * (sotto_gathered_reach_of(low, high, size) - 1) < order)
		size *= 2;
	sotto_work_use(work, 25 * (double)o->n);
	SOTTO_TRY(sotto_gathered_list_of(&g->list, o->loss, o->mass, o->n, size));
	SOTTO_TRY(sotto_gathered_list_mirror(&g->list));
	sotto_gathered_limit(g, g->rise.order[SOTTO_RISE_ORDERS - 1], FAR / o->spread);
	return SOTTO_OK;
}

/* Both halves, the largest loss first. */
static enum sotto_status keep_all(struct sotto_gathered *g, const struct outcomes *o)
{
	struct sotto_all_outcomes *all = &g->all;
	size_t top = 0;

	all->loss = malloc(4 * o->n * sizeof *all->loss);
	if (!all->loss)
		return SOTTO_ENOMEM;
	all->mass = all->loss + 2 * o->n;
	for (size_t i = 1; i < o->n; i++)
		top = o->loss[i] > o->loss[top] ? i : top;
	for (size_t i = 0; i < o->n; i++) {
		size_t from = i == 0 ? top : i == top ? 0 : i;
		double loss = o->loss[from], opposite = o->mass[from] * exp(-loss);

		all->loss[all->n] = loss;
		all->mass[all->n++] = o->mass[from];
		if (!(opposite > GONE))
			continue;
		all->loss[all->n] = -loss;
		all->mass[all->n++] = opposite;
	}
	all->error = g->error + GONE * (double)o->n;
	return SOTTO_OK;
}

static enum sotto_status middle_of(struct sotto_gathered *g, const struct sotto_polygons *p,
				   bool of_many, struct sotto_work *work)
{
	struct outcomes o;
	enum sotto_status st;

	SOTTO_TRY(outcomes_of(p, &o));
	g->rise = sotto_rise_none((of_many ? RISE_OF_MANY : RISE_OF_FEW) / o.spread);
	sotto_corners_add_rise(&p->above, &p->below, p->wrong, p->moved, &g->rise);
	for (int i = 0; i < SOTTO_RISE_ORDERS; i++)
		g->rise.area[i] *= 0.5;
	g->error = SOTTO_U * (256 + 32 * (double)o.n);
	keep_heavy(&o, &g->heavy);
	st = gather(g, &o, of_many, work);
	if (st == SOTTO_OK && !of_many && 2 * o.n <= ALL_MAX)
		st = keep_all(g, &o);
	free(o.loss);
	return st;
}

enum sotto_status sotto_law_between_polygons(struct sotto_law *law, struct sotto_polygons *p,
					     double top, struct sotto_work *work)
{
	struct sotto_gathered *g = calloc(1, sizeof *g);
	enum sotto_status st = g ? middle_of(g, p, law->of_many, work) : SOTTO_ENOMEM;

	sotto_polygons_release(p);
	if (st != SOTTO_OK) {
		sotto_gathered_free(g);
		return st;
	}
	g->work = work;
	law->top = top;
	sotto_law_gathered_of(law, g);
	return SOTTO_OK;
}

enum sotto_status sotto_law_between_of(struct sotto_law *law, const struct sotto_event *e,
				       const struct sotto_between_share *share,
				       struct sotto_work *work, double *left_out)
{
	struct sotto_between_event r;
	struct sotto_polygons p;

	if (!sotto_between_read(e, &r))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_polygons_of(&r, share, work, &p));
	*left_out = 2 * p.left_out;
	return sotto_law_between_polygons(
		law, &p,
		(double)r.people * sotto_rational_double_up(&r.shuffle->local_epsilon) *
			(1 + 0x1p-40),
		work);
}
