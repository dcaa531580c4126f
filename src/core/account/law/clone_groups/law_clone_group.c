/*
 * Near the real line sums over nodes (clone_group_line.h); far out only the size of M(s) is bounded, by what shuffled reports say of it and by
 * the heaviest corners of the hull.
 */
#include "core/account/law/clone_groups/law_clone_group.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clone_groups/clone_group.h"
#include "core/account/law/clone_groups/clone_group_line.h"
#include "core/account/law/clone_groups/clone_hull.h"
#include "core/account/law/clone_groups/clone_lift.h"
#include "core/base/failure.h"

/* Hulls of more corners are not made anew for a line. */
enum { CORNERS_OF_LINE = 20000 };
/* Errors from which on nothing is claimed. */
#define HOPELESS 1e-3
/* And sums over all corners, of masses rounded down. */
#define CORNERS_ERROR 0x1p-37

/* Beyond the list's order no loss is above the top. */
static void one_cumulants(const struct sotto_law *law, double s, double k[3])
{
	const struct sotto_clone_group *g = law->clone_group;
	double order = fmin(s, g->order);

	sotto_clone_group_cumulants(g, order, k);
	if (g->shares ==
	    1) /* of a hull that may be a little higher; the mean square is good to many digits too */
		k[0] += order * (order + 1) *
			sotto_clone_group_by_s2(g, 1.5 * (k[2] + k[1] * k[1]) + 1e-9);
	if (s <= order)
		return;
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
	(void)s;
	return (0.05 + 0.01 * (double)law->clone_group->shares) *
	       (double)law->clone_group->list.n;
}

static void end(void *state)
{
	sotto_clone_group_line_release(state);
	free(state);
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct sotto_clone_group_line *st = calloc(1, sizeof *st);
	double n = (double)law->count, k[3];

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	SOTTO_TRY(sotto_clone_group_line_init(st, law->clone_group, c, h * SOTTO_BLOCK));
	if (st->nodes.n == 0) { /* M(c) is at most this, and that is all */
		one_cumulants(law, c, k);
		*log_m = n * k[0];
		*slack = 8 * SOTTO_U * (n + fabs(*log_m));
		return SOTTO_OK;
	}
	*log_m =
		n *
		(st->log_m +
		 st->first_error); /* no less than M(c): errors are charged once, at the nodes */
	*slack = 8 * SOTTO_U * (n + fabs(*log_m));
	return SOTTO_OK;
}

/* What shuffled reports say of far nodes; NULL if that is nothing, or there is no memory for it. */
static const struct sotto_clone_far *far_of(struct sotto_clone_group_line *st, double c)
{
	if (!st->far && isfinite(st->lift)) {
		st->far = malloc(sizeof *st->far);
		if (st->far)
			sotto_clone_group_far_init(st->far, &st->g->pair, (double)st->g->people,
						   c, st->log_m - st->first_error);
	}
	return st->far && st->far->known ? st->far : NULL;
}

/* bound[j]: of |M(s)/M(c)| at each node, by the corners that are known one by one. */
static void heavy_bounds(const struct sotto_clone_group_line *st, const struct sotto_block *b,
			 double *bound)
{
	sotto_heavy_bounds(&st->g->heavy, b, st->log_m + st->first_error, bound);
	for (size_t j = 0; j < b->n; j++)
		bound[j] = fmin(1, bound[j] + hypot(b->c + 1, b->h * (double)(b->first + j)) *
						      st->by_s);
}

/* The heaviest corners of a hull: what slopes may be wrong by is taken off. */
static size_t
heaviest(const struct sotto_law *law, void *state, double c, double *loss, double *weight)
{
	const struct sotto_clone_group_line *st = state;

	(void)law;
	if (st->nodes.n == 0 || st->g->shares > 1)
		return 0;
	return sotto_heavy_first(&st->g->heavy, c, st->log_m + st->first_error,
				 4 * st->g->slope_error, loss, weight);
}

/* From node first on only a bound of the size is known; before is the block without this law. */
static void bound_far(const struct sotto_law *law, struct sotto_clone_group_line *st,
		      const struct sotto_block *before, size_t first, struct sotto_block *b)
{
	double most = exp((double)law->count * st->first_error) * (1 + 0x1p-40),
	       k = (double)st->g->people, bound[SOTTO_BLOCK];
	const struct sotto_clone_far *far;

	if (first >= b->n)
		return;
	far = far_of(st, b->c);
	heavy_bounds(st, b, bound);
	for (size_t j = first; j < b->n; j++) {
		double t = b->h * (double)(b->first + j),
		       size = cx_abs(cx_of(before->re[j], before->im[j]));

		if (far)
			bound[j] = fmin(bound[j],
					sotto_clone_far_bound(far, k * t) +
						st->lift * hypot(b->c, t) * hypot(b->c + 1, t));
		b->absolute[j] = (size * (1 + before->relative[j]) + before->absolute[j]) *
				 pow(bound[j], (double)law->count) * most;
		b->re[j] = b->im[j] = b->relative[j] = 0;
	}
}

/* |M(s)| is at most M(c), which is within its error of what it is divided by. */
static void blur(const struct sotto_law *law, const struct sotto_clone_group_line *st,
		 struct sotto_block *b)
{
	double most = exp((double)law->count * st->first_error) * (1 + 0x1p-50);

	sotto_block_blur(b);
	for (size_t j = 0; j < b->n; j++)
		b->absolute[j] *= most;
}

/* How many nodes of the block the Chebyshev nodes serve. */
static size_t count_near(const struct sotto_clone_group_line *st, const struct sotto_block *b)
{
	double n = floor(st->good_to / b->h) + 1 - (double)b->first;

	return n <= 0 ? 0 : n >= (double)b->n ? b->n : (size_t)n;
}

/* Nodes for this block, as far as they are wanted. */
static void reach_for(const struct sotto_block *b, struct sotto_clone_group_line *st)
{
	double want = fmin(b->h * (double)(b->first + b->n), st->g->far);

	if (b->h * (double)b->first > st->g->far)
		return;
	if (want > st->good_to &&
	    sotto_clone_group_line_reach(st, b->c, fmin(2 * want, st->g->far)) != SOTTO_OK)
		st->nodes.n = 0; /* no memory: nothing is claimed */
}

/* All corners of a hull that has few, at every node: their masses were rounded down a bit. */
static void sum_corners(const struct sotto_law *law, const struct sotto_clone_group_line *st,
			struct sotto_block *b)
{
	const struct sotto_heavy *heavy = &st->g->heavy;
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, sum = -1, phase = 0;

	for (size_t i = 0; i < heavy->n; i++) {
		double weight = heavy->mass[i] *
				exp(b->c * heavy->loss[i] - st->log_m - st->first_error);

		sum += weight;
		phase = fmax(phase, fabs(heavy->loss[i]));
		sotto_block_add_atom(b, heavy->loss[i], weight, dr, di);
	}
	for (size_t j = 0; j < b->n; j++)
		dr[j] += sum;
	phase *= b->h * (double)(b->first + b->n);
	sotto_block_multiply(b, dr, di,
			     2 * st->first_sum_error + CORNERS_ERROR + 8 * SOTTO_U * phase,
			     law->count);
}

/* Charges each near node with what grows with |s|: over a block that is much. */
static void charge_near(const struct sotto_law *law, const struct sotto_clone_group_line *st,
			const struct sotto_block *before, size_t near, struct sotto_block *b)
{
	double n = (double)law->count;

	for (size_t j = 0; j < near; j++) {
		double t = b->h * (double)(b->first + j),
		       size = cx_abs(cx_of(before->re[j], before->im[j])),
		       error = sotto_clone_group_line_error(st, b->c, t) - st->error;

		b->absolute[j] += (size * (1 + before->relative[j]) + before->absolute[j]) *
				  expm1(1.02 * n * error) * (1 + 0x1p-40);
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	struct sotto_block before = *b;
	struct sotto_clone_group_line *st = state;
	size_t near;

	if (!st->g->heavy_is_all)
		reach_for(b, st);
	if (st->nodes.n == 0 ||
	    !(sotto_clone_group_line_error(
		      st, b->c, fmin(b->h * (double)(b->first + b->n), st->good_to)) <
	      HOPELESS)) {
		blur(law, st, b);
		return;
	}
	if (st->g->heavy_is_all) {
		sum_corners(law, st, b);
		charge_near(law, st, &before, b->n, b);
		return;
	}
	near = count_near(st, b);
	if (near > 0) {
		double less = expm1(-st->first_error);

		sotto_clone_group_line_sum(st, b, dr, di);
		for (size_t j = 0; j < b->n; j++) {
			dr[j] += less * (1 + dr[j]);
			di[j] += less * di[j];
		}
		/* divided by its own sum, which is as far from that of the first nodes as either is from the truth */
		sotto_block_multiply(b, dr, di, 2 * st->error + 2 * st->first_sum_error,
				     law->count);
		charge_near(law, st, &before, near, b);
	}
	bound_far(law, st, &before, near, b);
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct sotto_clone_group_line *st = state;
	size_t near = count_near(st, b), shares = st->g->shares;
	double exact = near ? SOTTO_BLOCK * (0.9 + 0.6 * (double)shares) * (double)st->nodes.n +
				       SOTTO_BLOCK * 12 * (double)shares
			    : 0,
	       heavy = near < b->n ? 1.5 * (double)(SOTTO_BLOCK * st->g->heavy.n) : 0,
	       runs = 3.0 * SOTTO_CLONE_RUNS * (double)(b->n - near);

	return exact + heavy + runs + (double)b->n * sotto_power_steps(law->count);
}

/* What sums over the corners err by on a line, up to t, once for each |s + 1|. */
static double corners_error(const struct sotto_clone_hull *h, double c, double log_m, double t)
{
	double sum = 0;

	for (size_t i = 0; i < h->n; i++)
		sum += h->mass[i] * h->loss[i] *
		       (exp(c * h->loss[i] - log_m) + exp(-(c + 1) * h->loss[i] - log_m));
	return hypot(c + 1, t) * (2 * h->slope_error * sum + 4 * h->moved) +
	       SOTTO_U * (64 + (double)h->n);
}

/* The corners of a hull, made anew, and their opposites. */
static enum sotto_status outcomes(const struct sotto_law *law, void *state, double c,
				  double last, double digits, struct sotto_law_outcomes *out)
{
	const struct sotto_clone_group_line *st = state;
	const struct sotto_clone_group *g = st->g;
	struct sotto_clone_hull h;

	(void)law;
	(void)digits;
	if (st->nodes.n == 0 || g->shares > 1 || g->corners > CORNERS_OF_LINE)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_clone_hull_of(&g->pair, g->people, SOTTO_CLONE_GROUP_OUTCOMES, g->work,
				      &h));
	*out = (struct sotto_law_outcomes){.loss = malloc(4 * h.n * sizeof *out->loss),
					   .n = 2 * h.n,
					   .error = corners_error(&h, c, st->log_m, last) +
						    2 * st->first_error,
					   .from = g->far,
					   .to = last};
	out->weight = out->loss + out->n;
	for (size_t i = 0; out->loss && i < h.n; i++) {
		out->loss[2 * i] = h.loss[i];
		out->weight[2 * i] = h.mass[i] * exp(c * h.loss[i] - st->log_m);
		out->loss[2 * i + 1] = -h.loss[i];
		out->weight[2 * i + 1] = h.mass[i] * exp(-(c + 1) * h.loss[i] - st->log_m);
	}
	free(h.loss);
	return out->loss ? SOTTO_OK : SOTTO_ENOMEM;
}

static void release(struct sotto_law *law)
{
	sotto_clone_group_free(law->clone_group);
}

const struct sotto_law_class sotto_clone_group_class = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.apply = apply,
	.outcomes = outcomes,
	.heaviest = heaviest,
	.end = end,
	.release = release,
};
