/* Error of totals on the real tree, node by node. */
#include "census/account/census_predictor.h"

#include <math.h>
#include <string.h>

static bool is_fixed(const struct sotto_predictor *p, size_t node, size_t level)
{
	const struct sotto_census_shape *s = &p->w->shape;

	if (p->mode == SOTTO_CENSUS_NAIVE) /* it publishes noise, whatever the plan fixes */
		return false;
	return s->total_low[node] == s->total_high[node] || s->plan_level[level] == SIZE_MAX ||
	       sotto_predictor_is_fixed_level(&p->w->plan, s->plan_level[level]);
}

/* The information of a node's own level, with that of the chain of only children below it. */
static void own_info(struct sotto_predictor *p, size_t node, size_t level, double *out)
{
	const struct sotto_census_shape *s = &p->w->shape;

	memset(out, 0, p->basis.block * sizeof *out);
	for (;; node = s->first[node], level++) {
		const double *info =
			s->plan_level[level] == SIZE_MAX ? NULL : p->info[s->plan_level[level]];

		for (size_t i = 0; info && i < p->basis.block; i++)
			out[i] += info[i];
		if (!p->w->plan.bypass || p->mode != SOTTO_CENSUS_TOPDOWN ||
		    level + 1 == s->level_count || s->count[node] != 1)
			return;
	}
}

/* The sum of the children's spreads. */
static void
sum_children(struct sotto_predictor *p, size_t node, const double *leaf, double *sum)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t inner = s->start[s->level_count - 1];

	memset(sum, 0, p->size * sizeof *sum);
	for (size_t c = s->first[node]; c < s->first[node] + s->count[node]; c++) {
		const double *from = c < inner ? p->up + c * p->size : leaf;

		for (size_t i = 0; i < p->size; i++)
			sum[i] += from[i];
		if (c >= inner) { /* all leaves are alike */
			for (size_t i = 0; i < p->size; i++)
				sum[i] *= s->count[node];
			break;
		}
	}
}

/* Are the totals of all children known equally well? */
static bool are_alike(const struct sotto_predictor *p, size_t node)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t first = s->first[node], inner = s->start[s->level_count - 1];
	double one;

	if (first >= inner)
		return true;
	one = sotto_census_spread_total(&p->basis, p->up + first * p->size);
	for (size_t c = first + 1; c < first + s->count[node]; c++)
		if (!(fabs(sotto_census_spread_total(&p->basis, p->up + c * p->size) - one) <=
		      1e-9 * one))
			return false;
	return true;
}

static void predict_up(struct sotto_predictor *p, double *leaf)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t last = s->level_count - 1, inner = s->start[last];
	double *sum = p->sum, *info = p->own;

	own_info(p, inner, last, info);
	sotto_predictor_join(p, info, NULL, is_fixed(p, inner, last), leaf);
	for (size_t l = last; l-- > 0;)
		for (size_t node = s->start[l]; node < s->start[l + 1]; node++) {
			bool below = sotto_predictor_looks_below(p, s->plan_level[l]);

			if (below)
				sum_children(p, node, leaf, sum);
			own_info(p, node, l, info);
			sotto_predictor_join(p, info, below ? sum : NULL, is_fixed(p, node, l),
					     p->up + node * p->size);
		}
}

static void predict_children(struct sotto_predictor *p, size_t node, size_t level,
			     const double *leaf, double *v)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t inner = s->start[s->level_count - 1];
	double *sum = p->sum;
	double rounding = sotto_predictor_round_variance(p, s->count[node], are_alike(p, node));

	sum_children(p, node, leaf, sum);
	for (size_t c = s->first[node]; c < s->first[node] + s->count[node]; c++) {
		const double *own = c < inner ? p->up + c * p->size : leaf;
		double *to = c < inner ? p->up + c * p->size : v;
		double whole =
			sotto_predictor_whole_variance(p, own, sum, p->whole[node], rounding);

		if (p->mode != SOTTO_CENSUS_NAIVE)
			sotto_predictor_descend(p, own, sum, p->up + node * p->size, to);
		else if (to == v)
			memcpy(to, own, p->size * sizeof *to);
		if (is_fixed(p, c, level + 1))
			whole = 0;
		sotto_predictor_count(p, s->plan_level[level + 1], c, to, whole,
				      c < inner ? 1 : s->count[node]);
		if (c >= inner)
			break;
		p->whole[c] = whole;
	}
}

void sotto_predictor_run_tree(struct sotto_predictor *p, double *leaf, double *v)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t last = s->level_count - 1;

	predict_up(p, leaf);
	if (last == 0) {
		sotto_predictor_count(p, s->plan_level[0], 0, leaf, 0, 1);
		return;
	}
	p->whole[0] = 0;
	sotto_predictor_count(p, s->plan_level[0], 0, p->up, 0, 1);
	for (size_t l = 0; l < last; l++)
		for (size_t node = s->start[l]; node < s->start[l + 1]; node++)
			predict_children(p, node, l, leaf, v);
}
