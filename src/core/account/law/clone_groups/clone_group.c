/* Lowers orders and lengthens lists until one is good for the other. */
#include "core/account/law/clone_groups/clone_group.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clone_groups/clone_hull.h"
#include "core/account/law/clone_groups/clone_lift.h"
#include "core/account/law/clones/clone_points.h"
#include "core/account/law/clones/clone_rule.h"
#include "core/base/failure.h"

/* Nodes that a list is made for, over the scale of the loss; and without which it is of no use. */
#define FAR 4.0
#define FAR_MIN 0.5
enum { TRIES = 8 };
/* What the other half of a list takes of its reach (gathered_list.h). */
#define MIRRORED 1
/* What corners that are left out may weigh. */
#define GONE_MAX 1e-15

void sotto_clone_group_free(struct sotto_clone_group *g)
{
	if (!g)
		return;
	free(g->list.loss);
	free(g);
}

double sotto_clone_group_scale(const struct sotto_clone_pair *p, size_t people)
{
	return (double)people * sotto_clone_scale(p);
}

/* Keeps corners of more than so much, and their opposites; none if that are too many. */
static void keep(const struct sotto_clone_hull *h, double least, struct sotto_heavy *heavy)
{
	size_t many = 0;

	for (size_t i = 0; i < h->n; i++)
		many += h->mass[i] > least;
	heavy->n = 0;
	if (many > SOTTO_HEAVY / 2)
		return;
	for (size_t i = 0; i < h->n; i++) {
		if (!(h->mass[i] > least))
			continue;
		heavy->loss[heavy->n] = h->loss[i];
		heavy->mass[heavy->n++] = h->mass[i] * (1 - 0x1p-40);
		heavy->loss[heavy->n] = -h->loss[i];
		heavy->mass[heavy->n++] = h->mass[i] * exp(-h->loss[i]) * (1 - 0x1p-40);
	}
}

/* Keeps the heaviest corners, or all of few. */
static void keep_heavy(const struct sotto_clone_hull *h, struct sotto_clone_group *g)
{
	g->heavy_is_all = h->n <= SOTTO_HEAVY / 2;
	keep(h, g->heavy_is_all ? -1 : ldexp(1, -40), &g->heavy);
	for (int round = 1; round < 40 && g->heavy.n == 0; round++)
		keep(h, ldexp(1, round - 40), &g->heavy);
}

/* How many corners are left when the last, which together weigh next to nothing up to this order, are left out and charged. */
static size_t trim(const struct sotto_clone_hull *h, double order, double *error)
{
	size_t n = h->n;

	*error = 0;
	for (; n > 1; n--) {
		double weight = 4 * h->mass[n - 1] * exp(order * h->loss[n - 1]);

		if (!(*error + weight < GONE_MAX))
			break;
		*error += weight;
	}
	return n;
}

/* A list of that size, of both halves, and what it is good for; refused if that is too little. */
static enum sotto_status gather(struct sotto_clone_group *g, const double *loss,
				const double *mass, size_t n, size_t size)
{
	sotto_work_use(g->work, 20 * (double)n);
	SOTTO_TRY(sotto_gathered_list_of(&g->list, loss, mass, n, size / 2));
	return sotto_gathered_list_mirror(&g->list);
}

/* Lowers order and far to what a list of such a reach is good for; false if that is too little. */
static bool is_enough(struct sotto_clone_group *g, double reach, double order, double far)
{
	double n = (double)g->shares;

	g->order = fmin(order, (0.6 * reach - (n - 1)) / n);
	g->far = fmin(far, 0.8 * reach / n);
	return g->order >= order * (1 - 0x1p-40) && g->far >= far * FAR_MIN / FAR;
}

/* Lower orders, and longer lists, until a list is good for the order; only that is made. */
static enum sotto_status gather_hull(struct sotto_clone_group *g,
				     const struct sotto_clone_hull *h, size_t size,
				     double order, double far)
{
	for (int i = 0; i < TRIES; i++, order *= i % 2 ? 0.5 : 1, size *= i % 2 ? 1 : 2) {
		size_t n = trim(h, order, &g->error),
		       room = size < SOTTO_GATHERED_MAX ? size : SOTTO_GATHERED_MAX;
		double reach = sotto_gathered_reach_of(h->loss[0], h->loss[n - 1], room / 2);

		if (is_enough(g, reach - MIRRORED, order, far))
			return gather(g, h->loss, h->mass, n, room);
	}
	return SOTTO_EREFUSED;
}

/* The largest loss, where it is one of the corners: all reports alike. */
static void note_top(struct sotto_clone_group *g, const struct sotto_clone_hull *h)
{
	double top = h->loss[h->n - 1], all = (double)g->people * g->pair.epsilon0;

	if (fabs(top - all) > 0x1p-46 * all ||
	    !(4 * h->curve_error < SOTTO_CLONE_GROUP_TOP_ERROR))
		return;
	g->top_mass = h->mass[h->n - 1];
	g->gap = (top - (h->n > 1 ? h->loss[h->n - 2] : -h->loss[0])) * (1 - 0x1p-30);
}

static enum sotto_status
list_hull(struct sotto_clone_group *g, size_t size, double order, double far, double *left_out)
{
	struct sotto_clone_hull h;
	enum sotto_status st;

	g->shares = 1;
	SOTTO_TRY(sotto_clone_hull_of(&g->pair, g->people, SOTTO_CLONE_GROUP_OUTCOMES, g->work,
				      &h));
	st = gather_hull(g, &h, size, order, far);
	keep_heavy(&h, g);
	g->corners = h.n;
	note_top(g, &h);
	g->curve_error = h.curve_error;
	g->slope_error = h.slope_error;
	g->moved = h.moved;
	*left_out = h.left_out;
	free(h.loss);
	return st;
}

/* One person's outcomes for the highest order that the group needs. */
static enum sotto_status
gather_points(struct sotto_clone_group *g, size_t size, double order, double far)
{
	double k = (double)g->people;
	struct sotto_clone_order wanted = {k * order + k - 1, k * far, SOTTO_CLONE_DIGITS};
	struct sotto_clone_points x;
	enum sotto_status st;

	if (!sotto_clone_lift_of(&g->pair, k, order).known)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_clone_points_for(&g->pair, &wanted, g->work, &x));
	st = gather(g, x.loss, x.mass, x.n, size);
	g->error = x.error;
	free(x.loss);
	if (st == SOTTO_OK && !is_enough(g, sotto_gathered_list_reach(&g->list), order, far)) {
		free(g->list.loss);
		g->list.loss = NULL;
		st = SOTTO_EREFUSED;
	}
	return st;
}

/* Lower orders, and longer lists, until the list is good for the order. */
static enum sotto_status
list_points(struct sotto_clone_group *g, size_t size, double order, double far)
{
	enum sotto_status st = SOTTO_EREFUSED;

	g->shares = g->people;
	for (int i = 0; st == SOTTO_EREFUSED && i < TRIES;
	     i++, order *= i % 2 ? 0.5 : 1, size *= i % 2 ? 1 : 2)
		st = gather_points(g, size < SOTTO_GATHERED_MAX ? size : SOTTO_GATHERED_MAX,
				   order, far);
	return st;
}

enum sotto_status sotto_clone_group_new(const struct sotto_clone_pair *p, size_t people,
					const struct sotto_clone_group_wish *wish,
					struct sotto_work *work, struct sotto_clone_group **out,
					double *left_out)
{
	size_t size = wish->of_many ? SOTTO_GATHERED_OF_MANY : SOTTO_GATHERED_OF_FEW;
	double far = FAR / sotto_clone_group_scale(p, people);
	struct sotto_clone_group *g = calloc(1, sizeof *g);
	enum sotto_status st;

	if (!g)
		return SOTTO_ENOMEM;
	g->pair = *p;
	g->people = people;
	g->work = work;
	*left_out = 0;
	st = wish->hull ? list_hull(g, size, wish->order, far, left_out)
			: list_points(g, size, wish->order, far);
	if (st != SOTTO_OK) {
		sotto_clone_group_free(g);
		return st;
	}
	*out = g;
	return SOTTO_OK;
}
