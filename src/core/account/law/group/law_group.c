/*
 * Evaluates the points of the inner law once for all k orders, weighs them with the shares of
 * each order, and bounds far nodes by a ladder of falling terms.
 */
#include "core/account/law/group/law_group.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/account/law/group/law_group_inside.h"
#include "core/account/law/sgauss_rule.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* Points that weigh less are not looked at. */
#define FAINT 1e-19
/* Every so manyth rung of a ladder is computed from exponentials. */
enum { COMPUTED = 10 };
/* Parameters that the proof of convexity was made for. */
#define RATE_MIN 1e-9
#define RATE_MAX 0.9
#define MU_MIN 1e-6
#define MU_MAX 20.0

struct point {
	struct cx loss; /* times k */
	struct cx weight[SOTTO_GROUP_PEOPLE_MAX]; /* mass e^((kc+j) loss)/M(c) */
};

struct state {
	struct sotto_ladder
		ladder; /* first, for sotto_ladder_decay; made for the first question about far nodes */
	bool has_ladder;
	struct point *at;
	size_t n; /* 0: nothing is claimed */
	struct cx whole
		[SOTTO_GROUP_PEOPLE_MAX]; /* sums of weights: the inner M at kc+j, over M(c) */
	double log_m, error, by_t;
	struct sotto_group_near near;
};

static void end(void *state)
{
	struct state *st = state;

	free(st->near.loss);
	free(st->at);
	free(st);
}

/* log M(c) of the group from the points. */
static double
log_sum(const struct sotto_law *law, double c, const struct sotto_sgauss_points *x)
{
	double k = (double)law->people, most = -INFINITY, sum = 0;

	for (size_t i = 0; i < x->n; i++)
		for (double j = 0; j < k; j++)
			most = fmax(most,
				    x->at[i].log_mass.re + (k * c + j) * x->at[i].loss.re);
	for (size_t i = 0; i < x->n; i++)
		for (double j = 0; j < k; j++) {
			const struct sotto_sgauss_point *p = &x->at[i];
			double order = k * c + j;

			sum += sotto_group_share(k, j, cx_of(c, 0)).re *
			       cx_exp(p->log_mass.re + order * p->loss.re - most,
				      p->log_mass.im + order * p->loss.im)
				       .re;
		}
	return most + log(sum);
}

/*
 * Weights of the points that weigh something, and the errors of what is computed from them.  All shares are at most 1 in size.
 */
static void weigh(const struct sotto_law *law, double c, const struct sotto_sgauss_points *x,
		  struct state *st)
{
	double k = (double)law->people, gone = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct sotto_sgauss_point *p = &x->at[i];
		struct point *to = &st->at[st->n];
		double size = 0;

		for (size_t j = 0; j < law->people; j++) {
			double order = k * c + (double)j;

			to->weight[j] = cx_exp(p->log_mass.re + order * p->loss.re - st->log_m,
					       p->log_mass.im + order * p->loss.im);
			st->whole[j] = cx_add(st->whole[j], to->weight[j]);
			size += cx_abs(to->weight[j]);
		}
		to->loss = cx_scale(p->loss, k);
		st->error += size *
			     (p->mass_error + (sotto_group_order(law, c) + 1) * p->loss_error +
			      SOTTO_U * (48 + (double)x->n / 4 +
					 8 * sotto_group_order(law, c) * cx_abs(p->loss)));
		st->by_t += size * (k * p->loss_error + 4 * SOTTO_U * cx_abs(to->loss));
		st->n += size > FAINT;
		gone += size > FAINT ? 0 : size;
	}
	st->error += 2 * gone + SOTTO_U * (64 + 8 * fabs(st->log_m));
	for (size_t j = 0; j < law->people; j++)
		st->error += 2 * x->error * cx_abs(st->whole[j]);
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);
	double n = (double)law->count, k[3] = {0};
	struct sotto_sgauss_points x;
	struct sotto_law event = sotto_group_inner(law);
	enum sotto_status status;

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	status = sotto_sgauss_points_for(&event, sotto_group_order(law, c), &x);
	if (status == SOTTO_EREFUSED) { /* M(c) is at most this, and that is all */
		sotto_group_cumulants(law, c, k);
		*log_m = k[0];
		*slack = 8 * SOTTO_U * (n + fabs(*log_m)) + n * 1e-9;
		return SOTTO_OK;
	}
	SOTTO_TRY(status);
	st->at = malloc((x.n + 1) * sizeof *st->at);
	if (!st->at) {
		free(x.at);
		return SOTTO_ENOMEM;
	}
	st->log_m = log_sum(law, c, &x);
	weigh(law, c, &x, st);
	free(x.at);
	*log_m = n * st->log_m;
	*slack = n * 1.02 * st->error + 8 * SOTTO_U * (n + fabs(*log_m));
	return sotto_group_near_of(law, c, h * SOTTO_BLOCK, st->log_m, &st->near);
}

/* The sums over all points of weights times exp(i t loss) - 1, one for each j. */
static void sum_points(const struct sotto_law *law, const struct state *st,
		       const struct sotto_block *b,
		       struct cx sums[SOTTO_GROUP_PEOPLE_MAX][SOTTO_BLOCK])
{
	double xr[SOTTO_BLOCK], xi[SOTTO_BLOCK];

	for (size_t i = 0; i < st->n; i++) {
		sotto_sgauss_turns(b, st->at[i].loss, xr, xi);
		for (size_t j = 0; j < law->people; j++) {
			struct cx w = st->at[i].weight[j];

			for (size_t m = 0; m < SOTTO_BLOCK; m++) {
				sums[j][m].re += w.re * xr[m] - w.im * xi[m];
				sums[j][m].im += w.re * xi[m] + w.im * xr[m];
			}
		}
	}
}

/* The sum over j of share_j(s) (W_j + D_j), less that at t = 0, which is 1: W_j the whole, D_j the sums. */
static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	struct cx sums[SOTTO_GROUP_PEOPLE_MAX][SOTTO_BLOCK] = {{{0}}};
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, k = (double)law->people;
	double t = b->h * (double)(b->first + SOTTO_BLOCK), error;
	const struct state *st = state;
	bool is_near = t <= st->near.t;

	if (st->n == 0) {
		sotto_block_blur(b);
		return;
	}
	if (is_near)
		sotto_group_near_sum(law, &st->near, b, sums);
	else
		sum_points(law, st, b, sums);
	for (size_t j = 0; j < law->people; j++) {
		double first = sotto_group_share(k, (double)j, cx_of(b->c, 0)).re;
		struct cx whole = is_near ? cx_of(st->near.whole[j], 0) : st->whole[j];

		for (size_t m = 0; m < SOTTO_BLOCK; m++) {
			struct cx s = cx_of(b->c, b->h * (double)(b->first + m)),
				  a = sotto_group_share(k, (double)j, s),
				  z = cx_mul(a, sums[j][m]);

			a.re -= first;
			z = cx_add(z, cx_mul(a, whole));
			dr[m] += z.re;
			di[m] += z.im;
		}
	}
	/* what the whole is wrong by makes the first node, which is 1, wrong by as much */
	error = is_near ? st->error + 2 * st->near.error + st->near.by_t * t +
				  2 * st->near.rule * exp(st->near.growth * t)
			: st->error + st->by_t * t;
	sotto_block_multiply(b, dr, di, 1.01 * error, law->count);
}

/* |share_j(c+it)| is at most (c+1)/(kc+j+1), whatever t is. */
static double size_of(const struct sotto_law *law, double c, const struct point *p)
{
	double sum = 0, k = (double)law->people;

	for (size_t j = 0; j < law->people; j++)
		sum += (c + 1) / (k * c + (double)j + 1) * cx_abs(p->weight[j]);
	return sum;
}

/* The terms of a bound in size: each falls with t. */
struct falling {
	double *size, *now; /* one allocation: free size; now: e^(-t Im loss) */
};

/* The sum of all terms at t: a bound for all larger t too.  From one t to its double every e^(-t Im loss) is squared, but for every tenth, which is computed. */
static double bound_at(const struct state *st, const struct falling *f, double t, int number)
{
	double sum = 0;

	for (size_t i = 0; i < st->n; i++) {
		f->now[i] = number % COMPUTED == 0 ? exp(-t * st->at[i].loss.im)
						   : f->now[i] * f->now[i];
		sum += f->size[i] * f->now[i];
	}
	return sum * (1 + 0x1p-30) + 2 * st->error;
}

static void climb(const struct sotto_law *law, struct state *st, double c)
{
	struct falling f = {.size = malloc(2 * st->n * sizeof *f.size)};
	double spread = 0, t;

	if (!f.size)
		return;
	f.now = f.size + st->n;
	for (size_t i = 0; i < st->n; i++) {
		f.size[i] = size_of(law, c, &st->at[i]);
		spread += f.size[i] * cx_abs(st->at[i].loss);
	}
	t = 0.5 / (spread + 1e-300);
	for (int i = 0; i < 80 && st->ladder.n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = fmin(1, bound_at(st, &f, t, i));

		if (st->ladder.n == 0 && bound > 0.85)
			continue;
		if (st->ladder.n == 0)
			st->ladder.first = t;
		st->ladder.bound[st->ladder.n++] = bound;
		if ((double)law->count * log(bound) < -60)
			break;
	}
	free(f.size);
}

static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double last)
{
	struct state *st = state;

	if (!st->has_ladder && st->n > 0)
		climb(law, st, c);
	st->has_ladder = true;
	return sotto_ladder_decay(law, state, c, t, last);
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;
	double k = (double)law->people;

	double terms =
		(double)(b->h * (double)(b->first + SOTTO_BLOCK) <= st->near.t ? st->near.n
									       : st->n);

	return (double)b->n *
	       (sotto_power_steps(law->count) + 12 * k + (0.8 + 0.6 * k) * terms);
}

static void release(struct sotto_law *law)
{
	free(law->loss);
}

static const struct sotto_law_class group_class = {
	.cumulants = sotto_group_cumulants,
	.terms = sotto_group_terms,
	.steps = steps,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.by_its_own = true,
	.end = end,
	.release = release,
};

bool sotto_group_possible(const struct sotto_event *e)
{
	const struct sotto_event *sampled = e->n_children ? e->children[0] : NULL, *noise;
	double mu, rate;

	if (e->kind != SOTTO_EVENT_GROUP || e->size > SOTTO_GROUP_PEOPLE_MAX ||
	    sampled->kind != SOTTO_EVENT_SAMPLED || sampled->count != 1)
		return false;
	noise = sampled->children[0];
	if (noise->kind != SOTTO_EVENT_GAUSSIAN || noise->count != 1)
		return false;
	mu = sqrt(mpq_get_d(noise->mu_squared.q));
	rate = mpq_get_d(sampled->rate.q);
	return mu >= MU_MIN && mu <= MU_MAX && rate >= RATE_MIN && rate <= RATE_MAX &&
	       sotto_group_is_convex(mu, rate, (double)e->size);
}

enum sotto_status sotto_law_group_of(struct sotto_law *law, const struct sotto_event *e,
				     enum sotto_direction direction)
{
	if (!sotto_group_possible(e))
		return SOTTO_EREFUSED;
	law->class = &group_class;
	law->direction = direction;
	law->people = e->size;
	law->mu = sqrt(sotto_nearest_double(e->children[0]->children[0]->mu_squared.q));
	law->rate = sotto_nearest_double(e->children[0]->rate.q);
	law->of_many = true;
	SOTTO_TRY(sotto_sgauss_list(law, SOTTO_GROUP_DIGITS));
	return law->loss ? SOTTO_OK : sotto_sgauss_list(law, SOTTO_SGAUSS_STEERING);
}
