/* All bounds here are derived in gathered.md. */
#include "core/account/law/gathered/law_gathered.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/law/clones/clone_far.h"
#include "core/account/law/gathered/chebyshev_nodes.h"
#include "core/base/failure.h"

/* Steps (work.h) that a loss takes for each Chebyshev node. */
#define NODE_STEPS 0.3
/* Errors from which on nothing is claimed. */
#define HOPELESS 1e-3
/* Sums over outcomes that are wrong by more say nothing. */
#define HIDDEN 1e-2
/* Logarithms of what is nothing beside 1. */
#define NOTHING (-600)
/* log of M(c) is wrong by less, wherever it is said to be known. */
#define SURELY 0.01
/* Steps (work.h) for how a law falls. */
#define FALL_STEPS 4e3

struct state {
	const struct sotto_gathered *g;
	struct sotto_gathered *own; /* for an order beyond the law's; or NULL */
	struct sotto_chebyshev_nodes nodes;
	double good_to; /* t up to which the nodes serve; INFINITY if there are none, and nothing is claimed */
	double log_m, error;
	double first_error; /* of M(c), when it was divided by */
	bool remade; /* for more nodes */
	struct sotto_clone_far *far; /* once it is wanted */
	struct sotto_ladder ladder; /* likewise, where the law knows how it falls */
	bool has_ladder;
};

void sotto_gathered_limit(struct sotto_gathered *g, double order, double far)
{
	double reach = sotto_gathered_list_reach(&g->list);

	g->order = fmin(order, 0.6 * reach);
	g->far = fmin(far, 0.8 * reach);
}

void sotto_gathered_free(struct sotto_gathered *g)
{
	if (!g)
		return;
	free(g->list.loss);
	free(g->all.loss);
	free(g->clones);
	free(g->others);
	free(g);
}

/* Sum of the list at real s, over e^(s last); mean and square of the loss. */
static double
list_sum(const struct sotto_gathered_list *l, double s, double *mean, double *square)
{
	double power[2 * SOTTO_GATHERED_MAX], sum = 0;

	*mean = *square = 0;
	sotto_gathered_list_powers(l, s, power);
	for (size_t i = 0; i < l->n; i++) {
		double w = l->mass[i] * power[i];

		sum += w;
		*mean += w * l->loss[i];
		*square += w * l->loss[i] * l->loss[i];
	}
	*mean /= sum;
	*square /= sum;
	return sum;
}

/* What all outcomes' sum at order c, and at t, is wrong by. */
static double all_error(const struct sotto_all_outcomes *all, double c, double t)
{
	return all->error + 16 * SOTTO_U * ((double)all->n + (c + t) * all->loss[0]);
}

/* What M(c+it) may be wrong by as the law may lie above its list, over M(c), of which a logarithm that is no larger is given; it is at least 1. */
static double rise_error(const struct sotto_gathered *g, double c, double t, double log_m)
{
	double error = sotto_rise_error(&g->rise, c, t);

	return error > 0 ? error * exp(-fmax(0, log_m)) : 0;
}

/* By all outcomes, the first of which has the largest loss. */
static void all_cumulants(const struct sotto_all_outcomes *all, double s, double k[3])
{
	double sum = 0, mean = 0, square = 0, top = all->loss[0];

	for (size_t i = 0; i < all->n; i++) {
		double x = all->loss[i] - top, w;

		if (s * x < NOTHING)
			continue;
		w = all->mass[i] * exp(s * x);
		sum += w;
		mean += w * x;
		square += w * x * x;
	}
	mean /= sum;
	k[0] = s * top + log(sum) + 1.1 * all_error(all, s, 0);
	k[1] = top + mean;
	k[2] = fmax(square / sum - mean * mean, 0);
}

/* What the event itself says, with rough slopes. */
static void event_cumulants(const struct sotto_gathered *g, double s, double k[3])
{
	double more = 1e-3 * s;

	k[0] = g->k_up(g->event, g->direction, s);
	k[1] = (g->k_up(g->event, g->direction, s + more) - k[0]) / more;
}

/* Beyond the list's order all outcomes tell, or the event, or that no loss is above the top. */
static void one_cumulants(const struct sotto_law *law, double s, double k[3])
{
	const struct sotto_gathered *g = law->gathered;
	double order = fmin(s, g->order), last = g->list.loss[g->list.n - 1], mean, square, sum;

	if (s > order && g->all.n > 0) {
		all_cumulants(&g->all, s, k);
		k[0] += rise_error(g, s, 0, k[0] - SURELY);
		return;
	}
	sum = list_sum(&g->list, order, &mean, &square);
	k[0] = order * last + log(sum) +
	       1.1 * (g->error + sotto_gathered_list_error(&g->list, order, 0)) +
	       8 * SOTTO_U * (16 + order * fabs(last));
	k[0] += rise_error(g, order, 0, k[0] - SURELY);
	k[1] = mean;
	k[2] = fmax(square - mean * mean, 0);
	if (s <= order)
		return;
	if (g->k_up && isinf(law->top)) {
		event_cumulants(g, s, k);
		return;
	}
	k[0] += (s - order) * law->top;
	k[1] = law->top;
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3];

	one_cumulants(law, s, one);
	sotto_law_add_cumulants(law, one, k);
}

static double terms(const struct sotto_law *law, double s)
{
	const struct sotto_gathered *g = law->gathered;

	if (s > g->order && g->all.n > 0)
		return 0.5 * (double)g->all.n;
	return 0.05 * (double)g->list.n; /* each takes a few products */
}

/* Weights of the list at order c, which sum to 1; returns the sum of their sizes, *log_m is log of what they were divided by. */
static double tilt(const struct sotto_gathered_list *l, double c, double *weight, double *log_m)
{
	double sum = 0, size = 0, last = l->loss[l->n - 1];

	sotto_gathered_list_powers(l, c, weight);
	for (size_t i = 0; i < l->n; i++) {
		weight[i] *= l->mass[i];
		sum += weight[i];
		size += fabs(weight[i]);
	}
	for (size_t i = 0; i < l->n; i++)
		weight[i] /= sum;
	*log_m = log(sum) + c * last;
	return size / sum;
}

/* Nodes for t; none if that is not possible. */
static enum sotto_status make_nodes(double c, double t, struct state *st)
{
	const struct sotto_gathered *g = st->g;
	double weight[SOTTO_GATHERED_MAX], size;
	enum sotto_status status;

	free(st->nodes.loss);
	st->nodes = (struct sotto_chebyshev_nodes){0};
	st->good_to = INFINITY;
	if (!(c <= g->order && t <= g->far))
		return SOTTO_OK;
	size = tilt(&g->list, c, weight, &st->log_m);
	status = sotto_chebyshev_nodes_of(&st->nodes, g->list.loss, weight, g->list.n, t);
	sotto_work_use(g->work, NODE_STEPS * (double)(st->nodes.n * g->list.n));
	if (status != SOTTO_OK)
		return status == SOTTO_EREFUSED ? SOTTO_OK : status;
	st->error = g->error + 1.1 * sotto_gathered_list_error(&g->list, c, t) +
		    size * (st->nodes.error + SOTTO_U * (64 + (double)g->list.n)) +
		    SOTTO_U * (64 + (double)st->nodes.n) * (1 + st->nodes.size);
	st->good_to = t;
	return SOTTO_OK;
}

static void end(void *state)
{
	struct state *st = state;

	free(st->nodes.loss);
	free(st->far);
	sotto_gathered_free(st->own);
	free(st);
}

/* A list for this order, if the law's own is for lower ones and another can be made. */
static enum sotto_status need_order(const struct sotto_law *law, double c, struct state *st)
{
	enum sotto_status status;

	st->g = law->gathered;
	if (c <= st->g->order || !st->g->remake)
		return SOTTO_OK;
	status = st->g->remake(st->g, c, &st->own);
	if (status == SOTTO_OK)
		st->g = st->own;
	return status == SOTTO_EREFUSED ? SOTTO_OK : status;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);
	double n = (double)law->count, k[3];

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	SOTTO_TRY(need_order(law, c, st));
	SOTTO_TRY(make_nodes(c, fmin(h * SOTTO_BLOCK, st->g->far), st));
	if (st->nodes.n == 0 &&
	    law->gathered->all.n == 0) { /* M(c) is at most this, and that is all */
		one_cumulants(law, c, k);
		*log_m = n * k[0];
		*slack = 8 * SOTTO_U * (n + fabs(*log_m));
		return SOTTO_OK;
	}
	if (st->nodes.n == 0) {
		all_cumulants(&law->gathered->all, c, k);
		st->log_m = k[0];
		st->error = 2.2 * all_error(&law->gathered->all, c, 0);
	}
	st->first_error = 1.02 * (st->error + rise_error(st->g, c, 0, st->log_m - SURELY));
	*log_m = n * st->log_m;
	*slack = n * st->first_error + 8 * SOTTO_U * (n + fabs(*log_m));
	return SOTTO_OK;
}

/* What shuffled reports say of their own; NULL if there is no memory for it. */
static const struct sotto_clone_far *far_of(struct state *st, double c)
{
	if (!st->far && st->g->clones) {
		st->far = malloc(sizeof *st->far);
		if (st->far)
			sotto_clone_far_init(st->far, st->g->clones, c,
					     st->log_m - st->first_error);
	}
	return st->far && st->far->known ? st->far : NULL;
}

/* How M falls, with what it is divided by for M(c); NULL if that is not known. */
static const struct sotto_ladder *
ladder_of(const struct sotto_law *law, struct state *st, double c)
{
	const struct sotto_gathered *g = law->gathered;

	if (g->fall && !st->has_ladder) {
		double k[3];

		one_cumulants(law, fmin(c, g->order), k);
		g->fall(g->event, g->direction, c, sqrt(k[2]) + 1e-300, &st->ladder);
		sotto_work_use(g->work, FALL_STEPS);
	}
	st->has_ladder = true;
	return st->ladder.n > 0 ? &st->ladder : NULL;
}

static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double last)
{
	struct state *st = state;
	const struct sotto_ladder *ladder = ladder_of(law, st, c);

	(void)last;
	if (!ladder)
		return 0;
	return sotto_ladder_log(ladder, t, (double)law->count) +
	       (double)law->count * 1.01 * st->first_error;
}

static size_t
heaviest(const struct sotto_law *law, void *state, double c, double *loss, double *weight)
{
	const struct state *st = state;

	(void)law;
	if (st->nodes.n == 0 || sotto_rise_is(&st->g->rise))
		return 0; /* M(c) is not known, or outcomes are not */
	return sotto_heavy_first(&st->g->heavy, c, st->log_m + st->first_error, 0, loss,
				 weight);
}

/* From node first on only a bound of the size is known; before is the block without this law. */
static void bound_far(const struct sotto_law *law, struct state *st,
		      const struct sotto_block *before, size_t first, struct sotto_block *b)
{
	double most = exp((double)law->count * st->first_error) * (1 + 0x1p-40);
	const struct sotto_clone_far *far;
	const struct sotto_ladder *ladder;
	double bound[SOTTO_BLOCK];

	if (first >= b->n)
		return;
	far = far_of(st, b->c);
	ladder = ladder_of(law, st, b->c);
	sotto_heavy_bounds(&st->g->heavy, b, st->log_m + st->first_error, bound);
	for (size_t j = first; j < b->n; j++) {
		double t = b->h * (double)(b->first + j),
		       size = cx_abs(cx_of(before->re[j], before->im[j]));

		if (far)
			bound[j] = fmin(bound[j], sotto_clone_far_bound(far, t));
		if (ladder)
			bound[j] = fmin(bound[j], exp(sotto_ladder_log(ladder, t, 1)));
		bound[j] = fmin(1, bound[j] + rise_error(st->g, b->c, t, st->log_m - SURELY));
		b->absolute[j] = (size * (1 + before->relative[j]) + before->absolute[j]) *
				 pow(bound[j], (double)law->count) * most;
		b->re[j] = b->im[j] = b->relative[j] = 0;
	}
}

/* |M(s)| is at most M(c), which is within its error of what it is divided by. */
static void blur(const struct sotto_law *law, const struct state *st, struct sotto_block *b)
{
	double most = exp((double)law->count * st->first_error) * (1 + 0x1p-50);

	sotto_block_blur(b);
	for (size_t j = 0; j < b->n; j++)
		b->absolute[j] *= most;
}

/* How many nodes of the block the Chebyshev nodes serve. */
static size_t count_near(const struct state *st, const struct sotto_block *b)
{
	double n = floor(st->good_to / b->h) + 1 - (double)b->first;

	return n <= 0 ? 0 : n >= (double)b->n ? b->n : (size_t)n;
}

/* Nodes for this block, as far as they are wanted. */
static void reach_for(const struct sotto_block *b, struct state *st)
{
	double want = fmin(b->h * (double)(b->first + b->n), st->g->far);

	if (b->h * (double)b->first > st->g->far)
		return;
	if (!(want > st->good_to))
		return;
	if (make_nodes(b->c, fmin(2 * want, st->g->far), st) != SOTTO_OK)
		st->nodes.n = 0; /* no memory: nothing is claimed */
	st->remade = true;
}

/* Charges each near node with what the law may lie above. */
static void charge_rise(const struct sotto_law *law, const struct state *st,
			const struct sotto_block *before, size_t near, struct sotto_block *b)
{
	if (!sotto_rise_is(&st->g->rise))
		return;
	for (size_t j = 0; j < near; j++) {
		double t = b->h * (double)(b->first + j),
		       size = cx_abs(cx_of(before->re[j], before->im[j])),
		       error = rise_error(st->g, b->c, t, st->log_m - SURELY);

		b->absolute[j] += (size * (1 + before->relative[j]) + before->absolute[j]) *
				  expm1(1.02 * (double)law->count * error) * (1 + 0x1p-40);
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	struct sotto_block before = *b;
	struct state *st = state;
	size_t near;

	reach_for(b, st);
	if (st->nodes.n == 0 || !(st->error < HOPELESS)) {
		blur(law, st, b);
		return;
	}
	near = count_near(st, b);
	if (near > 0) {
		for (size_t i = 0; i < st->nodes.n; i++)
			sotto_block_add_atom(b, st->nodes.loss[i], st->nodes.weight[i], dr, di);
		/* over the first sum; others are divided by their own, which is as far from M(c) as the first */
		sotto_block_multiply(b, dr, di,
				     st->remade || st->g->n_others > 0
					     ? 2 * st->error + 2 * st->first_error
					     : 1.01 * st->error,
				     law->count);
		charge_rise(law, st, &before, near, b);
	}
	bound_far(law, st, &before, near, b);
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;
	size_t near = count_near(st, b);
	double exact = near ? 1.5 * (double)(SOTTO_BLOCK * st->nodes.n) : 0,
	       heavy = near < b->n ? 1.5 * (double)(SOTTO_BLOCK * st->g->heavy.n) : 0,
	       runs = st->g->clones ? 3.0 * SOTTO_CLONE_RUNS * (double)(b->n - near) : 0;

	return exact + heavy + runs + (double)b->n * sotto_power_steps(law->count);
}

/* All of them, from the first node on where the list is for lower orders. */
static enum sotto_status weigh_all(const struct sotto_gathered *g, const struct state *st,
				   double c, double last, struct sotto_law_outcomes *out)
{
	size_t n = g->all.n;

	*out = (struct sotto_law_outcomes){.loss = malloc(2 * n * sizeof *out->loss),
					   .n = n,
					   .error = 1.1 * all_error(&g->all, c, last),
					   .from = st->nodes.n == 0 ? 0 : st->g->far,
					   .to = last};
	if (!out->loss)
		return SOTTO_ENOMEM;
	out->weight = out->loss + n;
	for (size_t i = 0; i < n; i++) {
		out->loss[i] = g->all.loss[i];
		out->weight[i] = g->all.mass[i] * exp(c * g->all.loss[i] - st->log_m);
	}
	return SOTTO_OK;
}

/* Up to where what the law may lie above its outcomes does not hide them. */
static double
known_up_to(const struct sotto_law *law, const struct state *st, double c, double last)
{
	while (last > st->g->far &&
	       rise_error(st->g, c, last, st->log_m - SURELY) * (double)law->count > HIDDEN)
		last /= 2;
	return last;
}

static enum sotto_status outcomes(const struct sotto_law *law, void *state, double c,
				  double last, double digits, struct sotto_law_outcomes *out)
{
	const struct state *st = state;

	if (sotto_rise_is(&st->g->rise)) {
		last = known_up_to(law, st, c, last);
		if (!(last > st->g->far))
			return SOTTO_EREFUSED;
	}
	if (law->gathered->all.n > 0)
		SOTTO_TRY(weigh_all(law->gathered, st, c, last, out));
	else if (st->nodes.n == 0 || !st->g->outcomes)
		return SOTTO_EREFUSED;
	else
		SOTTO_TRY(st->g->outcomes(st->g, c, last, digits, st->log_m, out));
	out->error += 2 * (st->first_error + st->error) +
		      rise_error(st->g, c, last, st->log_m - SURELY);
	return SOTTO_OK;
}

static void release(struct sotto_law *law)
{
	sotto_gathered_free(law->gathered);
}

static const struct sotto_law_class gathered_class = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.by_its_own = true,
	.outcomes = outcomes,
	.heaviest = heaviest,
	.end = end,
	.release = release,
};

void sotto_law_gathered_of(struct sotto_law *law, struct sotto_gathered *g)
{
	law->class = &gathered_class;
	law->gathered = g;
}
