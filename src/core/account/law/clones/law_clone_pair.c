#include "core/account/law/clones/law_clone_pair.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clones/chebyshev_nodes.h"
#include "core/account/law/clones/clone_far.h"
#include "core/account/law/clones/clone_points.h"
#include "core/account/integral/complex.h"
#include "core/base/failure.h"

/*
 * K on the real line is summed up to s = this over the scale of the loss, from so many losses at equal distances; less far where
 * that would take too many points.
 */
#define LISTED_REACH 5.0
#define LISTED_REACH_MIN 1.25
enum { LISTED = 192, POINTS_MAX = 1 << 12 };
/* Nodes beyond this over the scale of the loss are not made: they are nothing beside others. */
#define FAR 8.0
/* Steps (work.h) that a point takes for each Chebyshev node. */
#define NODE_STEPS 0.3
/* Errors from which on nothing is claimed. */
#define HOPELESS 1e-3

/*
 * law->clones holds the parameters; loss and mass are n losses at equal distances a apart, whose sum is K on the real line up to b, to
 * within loss_error relative to M.
 */

struct state {
	struct sotto_chebyshev_nodes nodes;
	double good_to; /* t up to which the nodes serve; INFINITY if there are none, and nothing is claimed */
	double log_m, error;
	double first_error; /* of M(c), when it was divided by */
	struct sotto_clone_far far;
};

/* From here on only the size of M(s) counts. */
static double far_from(const struct sotto_law *law)
{
	return FAR / sotto_clone_scale(law->clones);
}

/* What a cubic through four equidistant points does to e^(s loss), relative to it. */
static double cubic_error(double step)
{
	return 0.0235 * step * step * step * step * exp(2 * step);
}

static void listed_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double sum = 0, mean = 0, square = 0, last = law->loss[law->n - 1];

	for (size_t i = 0; i < law->n; i++) {
		double w = law->mass[i] * exp(s * (law->loss[i] - last));

		sum += w;
		mean += w * law->loss[i];
		square += w * law->loss[i] * law->loss[i];
	}
	mean /= sum;
	k[0] = s * last + log(sum) + 1.1 * (law->loss_error + cubic_error(s * law->a)) +
	       8 * SOTTO_U * (8 + s * last);
	k[1] = mean;
	k[2] = fmax(square / sum - mean * mean, 0);
}

/* Beyond the list no loss is above epsilon0. */
static void one_cumulants(const struct sotto_law *law, double s, double k[3])
{
	listed_cumulants(law, fmin(s, law->b), k);
	if (s <= law->b)
		return;
	k[0] += (s - law->b) * law->top;
	k[1] = law->top;
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3];

	one_cumulants(law, s, one);
	for (int i = 0; i < 3; i++)
		k[i] += (double)law->count * one[i];
}

static double terms(const struct sotto_law *law, double s)
{
	(void)s;
	return 0.25 * law->clones->points; /* of which each takes an exponential and no more */
}

/* Weights of the points at order c, which sum to 1; *log_m is log of what they were divided by. */
static void tilt(struct sotto_clone_points *x, double c, double *log_m)
{
	double sum = 0;

	for (size_t i = 0; i < x->n; i++) {
		x->mass[i] *= exp(c * x->loss[i]);
		sum += x->mass[i];
	}
	for (size_t i = 0; i < x->n; i++)
		x->mass[i] /= sum;
	*log_m = log(sum);
}

/* Nodes for t; none if that is not possible. */
static enum sotto_status
make_nodes(const struct sotto_law *law, double c, double t, struct state *st)
{
	struct sotto_clone_points x;
	enum sotto_status status =
		sotto_clone_points_for(law->clones, c, t, law->clones->work, &x);

	free(st->nodes.loss);
	st->nodes = (struct sotto_chebyshev_nodes){0};
	st->good_to = INFINITY;
	if (status != SOTTO_OK)
		return status == SOTTO_EREFUSED ? SOTTO_OK : status;
	tilt(&x, c, &st->log_m);
	status = sotto_chebyshev_nodes_of(&st->nodes, x.loss, x.mass, x.n, t);
	st->error = x.error + st->nodes.error +
		    SOTTO_U * (64 + (double)st->nodes.n) * (1 + st->nodes.size) +
		    SOTTO_U * (double)x.n;
	free(x.loss);
	sotto_work_use(law->clones->work, NODE_STEPS * (double)(st->nodes.n * x.n));
	if (status == SOTTO_OK)
		st->good_to = t;
	return status == SOTTO_EREFUSED ? SOTTO_OK : status;
}

static void end(void *state)
{
	struct state *st = state;

	free(st->nodes.loss);
	free(st);
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);
	double n = (double)law->count, k[3];

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	SOTTO_TRY(make_nodes(law, c, fmin(h * SOTTO_BLOCK, far_from(law)), st));
	if (st->nodes.n == 0) { /* M(c) is at most this, and that is all */
		one_cumulants(law, c, k);
		*log_m = n * k[0];
		*slack = 8 * SOTTO_U * (n + fabs(*log_m));
		return SOTTO_OK;
	}
	st->first_error = 1.02 * st->error;
	sotto_clone_far_init(&st->far, law->clones, c, st->log_m - st->first_error);
	*log_m = n * st->log_m;
	*slack = n * st->first_error + 8 * SOTTO_U * (n + fabs(*log_m));
	return SOTTO_OK;
}

/* From node first on only a bound of the size is known; before is the block without this law. */
static void bound_far(const struct sotto_law *law, const struct state *st,
		      const struct sotto_block *before, size_t first, struct sotto_block *b)
{
	double most = exp((double)law->count * st->first_error) * (1 + 0x1p-40);

	for (size_t j = first; j < b->n; j++) {
		double t = b->h * (double)(b->first + j),
		       bound = pow(sotto_clone_far_bound(&st->far, t), (double)law->count),
		       size = cx_abs(cx_of(before->re[j], before->im[j]));

		b->absolute[j] =
			(size * (1 + before->relative[j]) + before->absolute[j]) * bound * most;
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
static void
reach_for(const struct sotto_law *law, const struct sotto_block *b, struct state *st)
{
	double end = b->h * (double)(b->first + b->n),
	       want = st->far.known ? fmin(end, far_from(law)) : end;

	if (want > st->good_to &&
	    make_nodes(law, b->c, fmax(want, fmin(2 * want, far_from(law))), st) != SOTTO_OK)
		st->nodes.n = 0; /* no memory: nothing is claimed */
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	struct sotto_block before = *b;
	struct state *st = state;
	size_t near;

	reach_for(law, b, st);
	if (st->nodes.n == 0 || !(st->error < HOPELESS)) {
		blur(law, st, b);
		return;
	}
	near = count_near(st, b);
	if (near > 0) {
		for (size_t i = 0; i < st->nodes.n; i++)
			sotto_block_add_atom(b, st->nodes.loss[i], st->nodes.weight[i], dr, di);
		/* divided by its own sum, which is as far from M(c) as the first */
		sotto_block_multiply(b, dr, di, 2 * st->error + 2 * st->first_error,
				     law->count);
	}
	bound_far(law, st, &before, near, b);
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;
	size_t near = count_near(st, b);
	double exact = near ? 1.5 * (double)(SOTTO_BLOCK * st->nodes.n) : 0;

	return exact + (double)b->n * sotto_power_steps(law->count) +
	       3.0 * SOTTO_CLONE_RUNS * (double)(b->n - near);
}

static void release(struct sotto_law *law)
{
	free(law->loss);
	free(law->clones);
}

static const struct sotto_law_class clone_pair_class = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.apply = apply,
	.end = end,
	.release = release,
};

bool sotto_clone_pair_possible(const struct sotto_event *e)
{
	struct sotto_clone_pair pair;

	return sotto_clone_pair_of(e, &pair) &&
	       sotto_clone_points_are_few(&pair, LISTED_REACH_MIN / sotto_clone_scale(&pair));
}

/* Mass at u of the way from the second to the third of four equidistant losses, by the cubic through all. */
static void spread(double *four, double u, double mass)
{
	four[0] -= mass * u * (1 - u) * (2 - u) / 6;
	four[1] += mass * (1 + u) * (1 - u) * (2 - u) / 2;
	four[2] += mass * (1 + u) * u * (2 - u) / 2;
	four[3] -= mass * (1 + u) * u * (1 - u) / 6;
}

static enum sotto_status list(struct sotto_law *law, const struct sotto_clone_points *x)
{
	double low = x->loss[0], high = x->loss[0];

	for (size_t i = 1; i < x->n; i++) {
		low = fmin(low, x->loss[i]);
		high = fmax(high, x->loss[i]);
	}
	law->n = LISTED;
	law->a = (high - low) / (LISTED - 4) * (1 + 0x1p-30);
	law->loss = calloc(2 * LISTED, sizeof *law->loss);
	if (!law->loss)
		return SOTTO_ENOMEM;
	law->mass = law->loss + LISTED;
	for (size_t i = 0; i < LISTED; i++)
		law->loss[i] = low + ((double)i - 1) * law->a;
	for (size_t i = 0; i < x->n; i++) {
		double at = (x->loss[i] - low) / law->a;
		size_t cell = (size_t)at;

		spread(&law->mass[cell], at - (double)cell, x->mass[i]);
	}
	law->loss_error = x->whole_error + 1e-12;
	return SOTTO_OK;
}

/* The points of K, for orders up to law->b, which is as high as they are few enough for. */
static enum sotto_status
find_points(struct sotto_law *law, struct sotto_work *work, struct sotto_clone_points *x)
{
	for (double reach = LISTED_REACH; reach >= LISTED_REACH_MIN; reach /= 2) {
		enum sotto_status st;

		law->b = reach / sotto_clone_scale(law->clones);
		st = sotto_clone_points_for(law->clones, law->b, 0, work, x);
		if (st == SOTTO_OK && x->n <= POINTS_MAX)
			return SOTTO_OK;
		if (st == SOTTO_OK)
			free(x->loss);
		if (st == SOTTO_ENOMEM)
			return st;
	}
	return SOTTO_EREFUSED;
}

enum sotto_status sotto_law_clone_pair_of(struct sotto_law *law, const struct sotto_event *e,
					  struct sotto_work *work)
{
	struct sotto_clone_points x;
	enum sotto_status st = SOTTO_EREFUSED;

	law->clones = malloc(sizeof *law->clones);
	if (!law->clones)
		return SOTTO_ENOMEM;
	law->class = &clone_pair_class;
	law->top = sotto_rational_double_up(&e->a);
	if (sotto_clone_pair_of(e, law->clones))
		st = find_points(law, work, &x);
	if (st == SOTTO_OK) {
		law->clones->points = (double)x.n;
		law->clones->work = work;
		st = list(law, &x);
		free(x.loss);
	}
	if (st != SOTTO_OK)
		free(law->clones);
	return st;
}
