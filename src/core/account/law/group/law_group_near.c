/* The points of the real line's rule, as a few Chebyshev nodes: near the real line they say the same as complex ones (argument in law_group.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/gathered/chebyshev_nodes.h"
#include "core/account/law/group/law_group_inside.h"
#include "core/account/law/sgauss_rule.h"
#include "core/base/failure.h"

/* Points that weigh less are not looked at. */
#define FAINT 1e-19
/* So far nodes go at least, over the range of the losses, which takes some thirty of them. */
#define FAR 12.0
/* And the error of the rule no larger than e^this times what it is on the real line. */
#define GROWTH 3.0

/* Losses that weigh something, times k, and their weights at each order. */
struct weighed {
	double loss[SOTTO_SGAUSS_LIST_MAX],
		weight[SOTTO_GROUP_PEOPLE_MAX][SOTTO_SGAUSS_LIST_MAX];
	size_t n;
	double low, high;
};

/* The error of a point's loss, and of its mass, where z is what its weight says. */
static double loss_error(const struct sotto_law *law, double l, double z)
{
	return sotto_sgauss_loss_error(law, z, cx_of(l, 0));
}

/* Weights over e^log_m; what they are wrong by is added to *out. */
static void weigh(const struct sotto_law *law, double c, double log_m, double step,
		  struct weighed *all, struct sotto_group_near *out)
{
	double k = (double)law->people, sign = law->direction == SOTTO_REMOVE ? 1 : -1,
	       order = sotto_group_order(law, c), gone = 0;

	*all = (struct weighed){.low = INFINITY, .high = -INFINITY};
	for (size_t i = 0; i < law->n; i++) {
		double l = law->loss[i],
		       x = -2 * (law->mass[i] - log(step) + SOTTO_LOG_ROOT_2PI),
		       e = loss_error(law, l, sqrt(fmax(0, x)) + 1e-3), size = 0,
		       first = law->mass[i] + (law->direction == SOTTO_REMOVE ? l : 0) +
			       sign * k * c * l - log_m;

		for (size_t j = 0; j < law->people; j++) {
			double w = exp(first + sign * (double)j * l);

			all->weight[j][all->n] = w;
			size += w;
		}
		if (!(size > FAINT)) {
			gone += size;
			continue;
		}
		all->loss[all->n++] = sign * k * l;
		all->low = fmin(all->low, sign * k * l);
		all->high = fmax(all->high, sign * k * l);
		out->error += size * (SOTTO_U * (2 * fmax(0, x) + 80 +
						 8 * (order + 1) * fabs(l) + 4 * fabs(log_m)) +
				      (order + 2) * e);
		out->by_t += size * (k * e + 4 * SOTTO_U * k * fabs(l));
	}
	out->error += 2 * gone;
}

static enum sotto_status
gather(const struct sotto_law *law, const struct weighed *all, struct sotto_group_near *out)
{
	for (size_t j = 0; j < law->people; j++) {
		struct sotto_chebyshev_nodes nodes;
		double sum = 0;

		for (size_t i = 0; i < all->n; i++)
			sum += all->weight[j][i];
		SOTTO_TRY(sotto_chebyshev_nodes_of(&nodes, all->loss, all->weight[j], all->n,
						   out->t));
		if (!out->loss) {
			out->n = nodes.n;
			out->loss = malloc((law->people + 1) * nodes.n * sizeof *out->loss);
		}
		if (!out->loss) {
			free(nodes.loss);
			return SOTTO_ENOMEM;
		}
		out->weight[j] = out->loss + (j + 1) * nodes.n;
		for (size_t i = 0; i < nodes.n; i++) {
			out->loss[i] = nodes.loss[i];
			out->weight[j][i] = nodes.weight[i];
			out->whole[j] += nodes.weight[i];
		}
		out->error += fmax(1, sum) * nodes.error +
			      SOTTO_U * (64 + 2 * (double)nodes.n) * (sum + nodes.size);
		free(nodes.loss);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_group_near_of(const struct sotto_law *law, double c, double t,
				      double log_m, struct sotto_group_near *out)
{
	struct sotto_law event = sotto_group_inner(law);
	struct sotto_sgauss_rule rule;
	struct weighed all;
	enum sotto_status st;

	*out = (struct sotto_group_near){.t = t};
	out->growth = (double)law->people * fmin(1.2 * law->mu, 0.45 * M_PI);
	rule = sotto_sgauss_rule_for(&event, SOTTO_SGAUSS_LISTED_REACH, SOTTO_GROUP_DIGITS);
	if (!sotto_group_is_listed(law, c) || law->n != rule.n || out->growth * t > GROWTH) {
		out->t = 0;
		return SOTTO_OK;
	}
	weigh(law, c, log_m, rule.step, &all, out);
	out->t = fmax(t, fmin(FAR / (all.high - all.low + 1e-300), GROWTH / out->growth));
	st = all.n > 0 ? gather(law, &all, out) : SOTTO_EREFUSED;
	for (size_t j = 0; j < law->people; j++)
		out->rule += 4 * exp(-SOTTO_GROUP_DIGITS) * fmax(1, out->whole[j]);
	if (st == SOTTO_EREFUSED) {
		free(out->loss);
		*out = (struct sotto_group_near){.n = 0};
		return SOTTO_OK;
	}
	return st;
}

void sotto_group_near_sum(const struct sotto_law *law, const struct sotto_group_near *near,
			  const struct sotto_block *b,
			  struct cx sums[SOTTO_GROUP_PEOPLE_MAX][SOTTO_BLOCK])
{
	double xr[SOTTO_BLOCK], xi[SOTTO_BLOCK];

	for (size_t i = 0; i < near->n; i++) {
		sotto_block_turns(b, near->loss[i], xr, xi);
		for (size_t j = 0; j < law->people; j++)
			for (size_t m = 0; m < SOTTO_BLOCK; m++) {
				sums[j][m].re += near->weight[j][i] * xr[m];
				sums[j][m].im += near->weight[j][i] * xi[m];
			}
	}
}
