/* Tilts the list, makes it a few Chebyshev nodes, and adds up all errors.  All bounds here are derived in clone_group.md. */
#include "core/account/law/clone_groups/clone_group_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/clone_groups/clone_lift.h"
#include "core/base/failure.h"

/* Steps (work.h) that a loss takes for each Chebyshev node. */
#define NODE_STEPS 0.3

/* Weights of the list at the order shares c, which sum to 1; returns the sum of their sizes. */
static double
tilt(const struct sotto_gathered_list *l, double order, double *weight, double *log_m)
{
	double sum = 0, size = 0, last = l->loss[l->n - 1];

	sotto_gathered_list_powers(l, order, weight);
	for (size_t i = 0; i < l->n; i++) {
		weight[i] *= l->mass[i];
		sum += weight[i];
		size += fabs(weight[i]);
	}
	for (size_t i = 0; i < l->n; i++)
		weight[i] /= sum;
	*log_m = log(sum) + order * last;
	return size / sum;
}

/* M of the list at shares c + j, from the nodes; all divided by M(c), of which *log_m becomes the logarithm. */
static void weigh(struct sotto_clone_group_line *st, double c, double *log_m)
{
	double n = (double)st->g->shares, sum = 0;

	memset(st->whole, 0, sizeof st->whole);
	for (size_t i = 0; i < st->nodes.n; i++) {
		double w = st->nodes.weight[i], y = exp(st->nodes.loss[i]);

		for (size_t j = 0; j < st->g->shares; j++, w *= y)
			st->whole[j] += w;
	}
	for (size_t j = 0; j < st->g->shares; j++)
		sum += sotto_clone_group_share(n, (double)j, cx_of(c, 0), st->bend).re *
		       st->whole[j];
	for (size_t j = 0; j < st->g->shares; j++)
		st->whole[j] /= sum;
	for (size_t i = 0; i < st->nodes.n; i++)
		st->nodes.weight[i] /= sum;
	st->nodes.size /= sum;
	*log_m += log(sum);
}

/* How far the curve of many clones lies above its hull: half of what it can at most is taken off, and the other half charged. */
static void
weigh_lift(struct sotto_clone_group_line *st, const struct sotto_clone_lift *lift, double c)
{
	double n = (double)st->g->shares, sum = 0;

	for (size_t j = 1; j < st->g->shares; j++)
		sum += n * (double)j * (n - (double)j) / (n * c + (double)j) *
		       fabs(st->whole[j] - st->whole[j - 1]);
	sum = 1.01 * sum + 1e-11;
	st->by_s2 = st->bend * sum +
		    1.01 * lift->rest * fabs(st->whole[st->g->shares - 1]) / (c * (c + 1)) +
		    1.01 * lift->aside * exp(-st->log_m);
	st->by_s3 = 2 * st->bend * lift->cell * sum;
	st->lift = 2 * st->bend * sum + st->by_s2;
}

/* What a hull is wrong by, where a mean size of the loss is at most the root of its mean square. */
static void weigh_hull(struct sotto_clone_group_line *st, double c)
{
	double square = sotto_clone_group_square_up(st->g, c, st->log_m);

	st->by_s2 = sotto_clone_group_by_s2(st->g, square);
	st->by_s = 4 * st->g->slope_error * sqrt(square) + 4 * st->g->moved;
}

enum sotto_status
sotto_clone_group_line_reach(struct sotto_clone_group_line *st, double c, double t)
{
	const struct sotto_clone_group *g = st->g;
	double weight[2 * SOTTO_GATHERED_MAX], n = (double)g->shares, size, growth, errors;
	struct sotto_clone_lift lift = {.known = true};
	enum sotto_status status;

	free(st->nodes.loss);
	st->nodes = (struct sotto_chebyshev_nodes){0};
	st->good_to = INFINITY;
	if (!(c <= g->order && t <= g->far))
		return SOTTO_OK;
	size = tilt(&g->list, n * c, weight, &st->log_m);
	status = sotto_chebyshev_nodes_of(&st->nodes, g->list.loss, weight, g->list.n,
					  hypot(n - 1, n * t));
	sotto_work_use(g->work, NODE_STEPS * (double)(st->nodes.n * g->list.n));
	if (status != SOTTO_OK)
		return status == SOTTO_EREFUSED ? SOTTO_OK : status;
	growth = exp((n - 1) * g->list.loss[g->list.n - 1]);
	errors = size * (st->nodes.error + SOTTO_U * (64 + (double)g->list.n)) +
		 SOTTO_U * (64 + (double)st->nodes.n) * (1 + st->nodes.size);
	if (g->shares > 1) {
		lift = sotto_clone_lift_of(&g->pair, n, c);
		st->bend = 0.5 * lift.bend;
	}
	weigh(st, c, &st->log_m);
	st->error = n * growth * errors;
	for (size_t j = 0; j < g->shares; j++)
		st->error += fabs(st->whole[j]) *
			     (g->error + 1.1 * sotto_gathered_list_error(
						       &g->list, n * c + (double)j, n * t));
	if (g->shares > 1)
		weigh_lift(st, &lift, c);
	else
		weigh_hull(st, c);
	if (g->shares > 1 && !lift.known)
		st->by_s2 = INFINITY;
	st->good_to = t;
	return SOTTO_OK;
}

/* A list for this order, if the law's own is for lower ones. */
static enum sotto_status need_order(struct sotto_clone_group_line *st, double c)
{
	struct sotto_clone_group_wish wish = {.hull = st->g->shares == 1, .order = c};
	enum sotto_status status;
	double left_out;

	if (c <= st->g->order)
		return SOTTO_OK;
	status = sotto_clone_group_new(&st->g->pair, st->g->people, &wish, st->g->work,
				       &st->own, &left_out);
	if (status == SOTTO_OK)
		st->g = st->own;
	return status == SOTTO_EREFUSED ? SOTTO_OK : status;
}

double sotto_clone_group_line_error(const struct sotto_clone_group_line *st, double c, double t)
{
	double size = hypot(c, t), higher = hypot(c + 1, t),
	       error = (st->by_s2 + st->by_s3 * size) * size;

	if (st->g->shares == 1) /* either bound of a hull's error holds */
		error = fmin(error, st->by_s);
	return st->error + error * higher * (1 + 0x1p-30);
}

enum sotto_status sotto_clone_group_line_init(struct sotto_clone_group_line *st,
					      const struct sotto_clone_group *g, double c,
					      double t)
{
	struct sotto_clone_lift lift;

	*st = (struct sotto_clone_group_line){.g = g};
	SOTTO_TRY(need_order(st, c));
	SOTTO_TRY(sotto_clone_group_line_reach(st, c, fmin(t, st->g->far)));
	if (st->nodes.n == 0)
		return SOTTO_OK;
	st->first_sum_error = 1.02 * st->error;
	st->first_error = 1.02 * sotto_clone_group_line_error(st, c, 0);
	if (st->g->shares > 1)
		return SOTTO_OK;
	lift = sotto_clone_lift_of(&g->pair, (double)g->people, c);
	st->lift = lift.known ? lift.whole * exp(st->first_error - st->log_m) : INFINITY;
	return SOTTO_OK;
}

void sotto_clone_group_line_release(struct sotto_clone_group_line *st)
{
	free(st->nodes.loss);
	free(st->far);
	sotto_clone_group_free(st->own);
}

/* The sum over j of share_j(s) (W_j + D_j), less that at t = 0, which is 1: W_j the whole, D_j the sums over turns. */
void sotto_clone_group_line_sum(const struct sotto_clone_group_line *st,
				const struct sotto_block *b, double *dr, double *di)
{
	struct cx sums[SOTTO_CLONE_GROUP_PEOPLE][SOTTO_BLOCK] = {{{0}}};
	double n = (double)st->g->shares, xr[SOTTO_BLOCK], xi[SOTTO_BLOCK];

	for (size_t i = 0; i < st->nodes.n; i++) {
		double w = st->nodes.weight[i], y = exp(st->nodes.loss[i]);

		sotto_block_turns(b, n * st->nodes.loss[i], xr, xi);
		for (size_t j = 0; j < st->g->shares; j++, w *= y)
			for (size_t m = 0; m < SOTTO_BLOCK; m++) {
				sums[j][m].re += w * xr[m];
				sums[j][m].im += w * xi[m];
			}
	}
	for (size_t j = 0; j < st->g->shares; j++) {
		double first =
			sotto_clone_group_share(n, (double)j, cx_of(b->c, 0), st->bend).re;

		for (size_t m = 0; m < SOTTO_BLOCK; m++) {
			struct cx s = cx_of(b->c, b->h * (double)(b->first + m)),
				  a = sotto_clone_group_share(n, (double)j, s, st->bend),
				  z = cx_mul(a, sums[j][m]);

			dr[m] += z.re + (a.re - first) * st->whole[j];
			di[m] += z.im + a.im * st->whole[j];
		}
	}
}
