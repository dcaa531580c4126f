/*
 * Halves the highest order that the points serve until they are few enough for a list; a
 * question about a higher order makes the list again.
 */
#include "core/account/law/clones/law_clone_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/clones/clone_above.h"
#include "core/account/law/clones/clone_heavy.h"
#include "core/account/law/clones/clone_points.h"
#include "core/account/law/clones/clone_rule.h"
#include "core/account/law/gathered/law_gathered.h"
#include "core/account/loss/finite/finite_pair.h"
#include "core/base/failure.h"

/* Orders are at most this over the scale of the loss, less where that would take too many points. */
#define REACH 20.0
#define REACH_OF_MANY 1.75
#define REACH_MIN 0.8
enum { TRIES = 5 };
/* Where a contour goes is some 5 over the scale of all losses together: far enough beyond, laws are made anew. */
#define REACH_OF_ALL 16.0
/* A higher order is of no use where points are worse than this. */
#define ERROR_MAX 1e-9
/* Nodes beyond this over the scale of the loss are not made from the list. */
#define FAR 8.0
#define FAR_OF_MANY 4.0
/* Beside more terms than this finite pairs take too long. */
enum { BARE_MAX = 100 };

bool sotto_clone_pair_possible(const struct sotto_event *e)
{
	struct sotto_clone_order order = {.digits = SOTTO_CLONE_DIGITS};
	struct sotto_clone_pair pair;

	if (!sotto_clone_pair_of(e, &pair))
		return false;
	order.c = REACH_MIN / sotto_clone_scale(&pair);
	return sotto_clone_points_are_few(&pair, &order);
}

/* Few users who are hardly ever hidden: nearly all of the mass is at the largest loss, where orders have no end.  A finite pair has none either. */
static bool is_bare(const struct sotto_event *e)
{
	struct sotto_clone_pair pair;

	return e->users <= SOTTO_PAIR_USERS && sotto_clone_pair_of(e, &pair) &&
	       pair.epsilon0 > 2 && pair.clones < 5;
}

bool sotto_clone_pair_is_used(const struct sotto_event *e, size_t terms)
{
	return terms >= SOTTO_CLONE_PAIR_TERMS && sotto_clone_pair_possible(e) &&
	       !(terms <= BARE_MAX && is_bare(e));
}

static enum sotto_status
remake(const struct sotto_gathered *g, double c, struct sotto_gathered **out);
static enum sotto_status list_outcomes(const struct sotto_gathered *g, double c, double last,
				       double digits, double log_m,
				       struct sotto_law_outcomes *out);

/* The outcomes for orders up to c. */
static enum sotto_status gather(const struct sotto_clone_pair *p, double c, bool of_many,
				struct sotto_work *work, struct sotto_gathered **out)
{
	struct sotto_clone_order order = {
		c, (of_many ? FAR_OF_MANY : FAR) / sotto_clone_scale(p),
		of_many ? SOTTO_CLONE_DIGITS_OF_MANY : SOTTO_CLONE_DIGITS};
	struct sotto_clone_points x;
	struct sotto_gathered *g;
	enum sotto_status st;

	SOTTO_TRY(sotto_clone_points_for(p, &order, work, &x));
	g = calloc(1, sizeof *g);
	st = !g ? SOTTO_ENOMEM : x.error > ERROR_MAX ? SOTTO_EREFUSED : SOTTO_OK;
	if (st == SOTTO_OK)
		st = sotto_gathered_list_of(
			&g->list, x.loss, x.mass, x.n,
			(of_many ? SOTTO_GATHERED_OF_MANY : SOTTO_GATHERED_OF_FEW) / 2);
	if (st == SOTTO_OK)
		st = sotto_gathered_list_mirror(&g->list);
	free(x.loss);
	if (st == SOTTO_OK)
		st = sotto_clone_heavy(p, &g->heavy);
	if (st == SOTTO_OK) {
		g->clones = malloc(sizeof *g->clones);
		st = g->clones ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (st != SOTTO_OK) {
		sotto_gathered_free(g);
		return st;
	}
	*g->clones = *p;
	g->rise = sotto_rise_none(c);
	g->remake = remake;
	g->outcomes = list_outcomes;
	g->work = work;
	g->error = x.error;
	sotto_gathered_limit(g, c, order.t);
	*out = g;
	return SOTTO_OK;
}

/* Keeps the others, for higher orders, and what they lie above it. */
static enum sotto_status
raise(struct sotto_gathered *g, const struct sotto_clone_pair *others, size_t n)
{
	g->others = malloc(n * sizeof *others);
	if (!g->others)
		return SOTTO_ENOMEM;
	memcpy(g->others, others, n * sizeof *others);
	g->n_others = n;
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(sotto_clone_above_add(&others[i], g->clones, g->work, &g->rise));
	return SOTTO_OK;
}

static enum sotto_status
remake(const struct sotto_gathered *g, double c, struct sotto_gathered **out)
{
	struct sotto_gathered *again;
	enum sotto_status st;

	SOTTO_TRY(gather(g->clones, c, false, g->work, &again));
	st = g->n_others > 0 ? raise(again, g->others, g->n_others) : SOTTO_OK;
	if (st == SOTTO_OK)
		*out = again;
	else
		sotto_gathered_free(again);
	return st;
}

/* Both halves of the points: an outcome's opposite has mass exp(-loss) at -loss. */
static enum sotto_status list_outcomes(const struct sotto_gathered *g, double c, double last,
				       double digits, double log_m,
				       struct sotto_law_outcomes *out)
{
	struct sotto_clone_order order = {c, last, digits};
	enum sotto_status st = SOTTO_EREFUSED;
	struct sotto_clone_points x;

	for (; st == SOTTO_EREFUSED && order.t > g->far && !sotto_work_is_spent(g->work);
	     order.t /= 2)
		st = sotto_clone_points_for(g->clones, &order, g->work, &x);
	SOTTO_TRY(st);
	*out = (struct sotto_law_outcomes){.loss = malloc(4 * x.n * sizeof *out->loss),
					   .n = 2 * x.n,
					   .error = 1.01 * x.error,
					   .from = g->far,
					   .to = 2 * order.t};
	if (!out->loss) {
		free(x.loss);
		return SOTTO_ENOMEM;
	}
	out->weight = out->loss + out->n;
	for (size_t i = 0; i < x.n; i++) {
		out->loss[2 * i] = x.loss[i];
		out->weight[2 * i] = x.mass[i] * exp(c * x.loss[i] - log_m);
		out->loss[2 * i + 1] = -x.loss[i];
		out->weight[2 * i + 1] = x.mass[i] * exp(-(c + 1) * x.loss[i] - log_m);
	}
	free(x.loss);
	return SOTTO_OK;
}

/* Both halves of all outcomes, the largest loss first; none if they are too many. */
static enum sotto_status gather_all(const struct sotto_clone_pair *p, struct sotto_work *work,
				    struct sotto_all_outcomes *out)
{
	struct sotto_clone_points x;
	enum sotto_status st = sotto_clone_points_all(p, work, &x);

	if (st != SOTTO_OK)
		return st == SOTTO_EREFUSED ? SOTTO_OK : st;
	*out = (struct sotto_all_outcomes){
		.loss = malloc(4 * x.n * sizeof *out->loss), .n = 2 * x.n, .error = x.error};
	if (!out->loss) {
		free(x.loss);
		return SOTTO_ENOMEM;
	}
	out->mass = out->loss + out->n;
	for (size_t i = 0; i < x.n; i++) {
		out->loss[i] = x.loss[i];
		out->mass[i] = x.mass[i];
		out->loss[x.n + i] = -x.loss[i];
		out->mass[x.n + i] = x.mass[i] * exp(-x.loss[i]);
	}
	free(x.loss);
	return SOTTO_OK;
}

enum sotto_status sotto_law_clone_pair_of(struct sotto_law *law, const struct sotto_event *e,
					  double scale, struct sotto_work *work)
{
	enum sotto_status st = SOTTO_EREFUSED;
	struct sotto_clone_pair pair;
	struct sotto_gathered *g;
	double c;

	law->top = sotto_rational_double_up(&e->local_epsilon);
	if (!sotto_clone_pair_of(e, &pair))
		return SOTTO_EREFUSED;
	c = law->of_many ? fmin(REACH_OF_MANY / sotto_clone_scale(&pair), REACH_OF_ALL / scale)
			 : REACH / sotto_clone_scale(&pair);
	for (int i = 0; st == SOTTO_EREFUSED && i < TRIES; i++, c /= 2)
		st = gather(&pair, c, law->of_many, work, &g);
	if (st == SOTTO_OK) {
		sotto_law_gathered_of(law, g);
		if (!law->of_many)
			st = gather_all(&pair, work, &g->all);
		if (st != SOTTO_OK)
			law->class->release(law);
	}
	return st;
}

enum sotto_status sotto_law_clone_pair_raise(struct sotto_law *law,
					     const struct sotto_clone_pair *others, size_t n)
{
	struct sotto_gathered *g = law->gathered;

	for (size_t i = 0; i < n; i++)
		law->top = fmax(law->top, others[i].epsilon0 * (1 + 0x1p-50));
	free(g->all.loss); /* which are its own, and no others */
	g->all = (struct sotto_all_outcomes){0};
	return raise(g, others, n);
}
