/*
 * Halves the highest order that the points serve until they are few enough for a list; a
 * question about a higher order makes the list again.
 */
#include "core/account/law/clones/law_clone_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/clones/clone_heavy.h"
#include "core/account/law/clones/clone_points.h"
#include "core/account/law/clones/clone_rule.h"
#include "core/account/law/gathered/law_gathered.h"
#include "core/base/failure.h"

/* Orders are at most this over the scale of the loss, less where that would take too many points. */
#define REACH 5.0
#define REACH_OF_MANY 1.75
#define REACH_MIN 0.8
/* A higher order is of no use where points are worse than this. */
#define ERROR_MAX 1e-9
/* Nodes beyond this over the scale of the loss are not made: they are nothing beside others. */
#define FAR 8.0
#define FAR_OF_MANY 4.0

/* A large epsilon0 with few clones has losses too far apart for a list. */
static bool is_too_wide(const struct sotto_clone_pair *p)
{
	return (p->epsilon0 > 6 && p->clones < 500) || (p->epsilon0 > 2 && p->clones < 5);
}

bool sotto_clone_pair_possible(const struct sotto_event *e)
{
	struct sotto_clone_order order = {.digits = SOTTO_CLONE_DIGITS};
	struct sotto_clone_pair pair;

	if (!sotto_clone_pair_of(e, &pair) || is_too_wide(&pair))
		return false;
	order.c = REACH_MIN / sotto_clone_scale(&pair);
	return sotto_clone_points_are_few(&pair, &order);
}

static enum sotto_status
remake(const struct sotto_gathered *g, double c, struct sotto_gathered **out);

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
	g->remake = remake;
	g->work = work;
	g->error = x.error;
	sotto_gathered_limit(g, c, order.t);
	*out = g;
	return SOTTO_OK;
}

static enum sotto_status
remake(const struct sotto_gathered *g, double c, struct sotto_gathered **out)
{
	return gather(g->clones, c, false, g->work, out);
}

enum sotto_status sotto_law_clone_pair_of(struct sotto_law *law, const struct sotto_event *e,
					  struct sotto_work *work)
{
	enum sotto_status st = SOTTO_EREFUSED;
	struct sotto_clone_pair pair;
	struct sotto_gathered *g;

	law->top = sotto_rational_double_up(&e->local_epsilon);
	if (!sotto_clone_pair_of(e, &pair))
		return SOTTO_EREFUSED;
	for (double reach = law->of_many ? REACH_OF_MANY : REACH;
	     st == SOTTO_EREFUSED && reach >= REACH_MIN; reach /= 2)
		st = gather(&pair, reach / sotto_clone_scale(&pair), law->of_many, work, &g);
	if (st == SOTTO_OK)
		sotto_law_gathered_of(law, g);
	return st;
}
