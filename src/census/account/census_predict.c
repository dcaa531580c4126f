/*
 * Variances of totals on the real tree: the component without contrasts alone, on the explicit
 * axes (marginals.md).  Bounds are not taken into account, fixed totals are.
 */
#include "census/account/census_predict.h"
#include "census/plan/census_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/census_info.h"
#include "core/base/failure.h"

enum { MATRIX_MAX = SOTTO_CENSUS_EXPLICIT_MAX * SOTTO_CENSUS_EXPLICIT_MAX };
static const size_t memory_max = (size_t)1 << 30;

struct predictor {
	const struct sotto_census_world *w;
	struct sotto_census_basis basis; /* of one component */
	size_t size; /* doubles of a matrix */
	double *info[SOTTO_CENSUS_LEVELS_MAX]; /* of a node, by plan level */
	double *up, *v; /* of each node above the leaves: covariance from below, in all */
	double *whole; /* of each node above the leaves: what whole numbers add to the variance */
	double *work; /* 3 matrices for inverting, 6 to spare */
	enum sotto_census_mode mode;
	struct {
		double sd, mae_linear, mae, n;
	} sums[SOTTO_CENSUS_LEVELS_MAX];
	size_t watched; /* a node of interest, or SIZE_MAX */
	struct sotto_census_prediction seen; /* of it */
};

static void invert(struct predictor *p, const double *from, double *to)
{
	uint64_t all =
		p->basis.places == 64 ? UINT64_MAX : (UINT64_C(1) << p->basis.places) - 1;

	sotto_census_info_invert(&p->basis, all, from, to, p->work);
}

/* A fixed total: S -= S1 1'S / 1'S1. */
static void fix_total(const struct predictor *p, double *s)
{
	size_t d = p->basis.places;
	double u[SOTTO_CENSUS_EXPLICIT_MAX], sum = 0;

	for (size_t e = 0; e < d; e++) {
		u[e] = 0;
		for (size_t f = 0; f < d; f++)
			u[e] += s[e * d + f];
		sum += u[e];
	}
	for (size_t e = 0; sum > 0 && e < d; e++)
		for (size_t f = 0; f < d; f++)
			s[e * d + f] -= u[e] * u[f] / sum;
}

/* Fixed totals of a whole level fix every level above it too. */
static bool is_fixed_level(const struct sotto_census_plan *p, size_t plan_level)
{
	for (size_t i = 0; plan_level != SIZE_MAX && i < p->invariant_count; i++)
		if (p->queries[p->invariants[i].query].cells == 1 && !p->invariants[i].nodes &&
		    sotto_census_level_find(p, p->invariants[i].level) >= plan_level)
			return true;
	return false;
}

/* ---- one node ------------------------------------------------------------------------------------------------ */

/* Covariance of a node from its own queries and n children's sum (NULL: none). */
static void
join(struct predictor *p, const double *info, const double *children, bool fixed, double *out)
{
	double *j = p->work + 3 * p->size;

	if (info)
		memcpy(j, info, p->size * sizeof *j);
	else
		memset(j, 0, p->size * sizeof *j);
	if (children) {
		invert(p, children, out);
		for (size_t i = 0; i < p->size; i++)
			j[i] += out[i];
	}
	invert(p, j, out);
	if (fixed)
		fix_total(p, out);
}

/* V_c = S_c - S_c T^-1 S_c + S_c T^-1 V T^-1 S_c, all symmetric */
static void descend(struct predictor *p, const double *child, const double *sum,
		    const double *v, double *out)
{
	size_t d = p->basis.places;
	double *inverse = p->work + 4 * p->size, *a = p->work + 5 * p->size,
	       *b = p->work + 6 * p->size;

	invert(p, sum, inverse);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++) {
			a[i * d + j] = 0;
			for (size_t k = 0; k < d; k++)
				a[i * d + j] += child[i * d + k] * inverse[k * d + j];
		}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++) {
			b[i * d + j] = 0;
			for (size_t k = 0; k < d; k++)
				b[i * d + j] += a[i * d + k] * (v[k * d + j] - sum[k * d + j]);
		}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++) {
			double x = child[i * d + j];

			for (size_t k = 0; k < d; k++)
				x += b[i * d + k] * a[j * d + k];
			p->work[7 * p->size + i * d + j] = x;
		}
	memcpy(out, p->work + 7 * p->size, p->size * sizeof *out);
}

/* Error of a total with this variance, before and after it is made whole, which adds `whole`. */
static struct sotto_census_prediction prediction_of(double variance, double whole)
{
	double sd = sqrt(fmax(variance, 0)), error;

	if (sd < 1e-3)
		sd = whole = 0;
	error = sqrt(sd * sd + whole);
	return (struct sotto_census_prediction){.sd = sd,
						.mae_linear = 0.7978845608 * sd,
						.mae = 0.7978845608 * error -
						       (error > 0.3 ? 0.0665 / error : 0)};
}

/* Takes note of so many nodes from `node` on that are alike. */
static void count(struct predictor *p, size_t plan_level, size_t node, const double *v,
		  double whole, double nodes)
{
	struct sotto_census_prediction one =
		prediction_of(sotto_census_total_variance(&p->basis, v), whole);

	if (plan_level == SIZE_MAX)
		return;
	if (p->watched >= node && (double)(p->watched - node) < nodes)
		p->seen = one;
	p->sums[plan_level].sd += nodes * one.sd;
	p->sums[plan_level].mae_linear += nodes * one.mae_linear;
	p->sums[plan_level].mae += nodes * one.mae;
	p->sums[plan_level].n += nodes;
}

/*
 * What rounding adds to the variance of each of n children's totals whose sum is given
 * (rounding.md).  Of measurements that are whole numbers and equally good, all have one fraction;
 * otherwise fractions are spread evenly.
 */
static double round_variance(const struct predictor *p, double n, bool alike)
{
	if (p->mode == SOTTO_CENSUS_NAIVE || n <= 1)
		return 0;
	return p->mode == SOTTO_CENSUS_TOPDOWN && alike ? (1 - 1 / (n * n)) / 6
							: (1 - 1 / n) * (1 + 2 / n) / 12;
}

/* That of a child: its own, and its share of the parent's. */
static double whole_variance(const struct predictor *p, const double *child, const double *sum,
			     double parent, double own)
{
	double all = sotto_census_total_variance(&p->basis, sum);
	double share = all > 0 ? sotto_census_total_variance(&p->basis, child) / all : 0;

	return p->mode == SOTTO_CENSUS_NAIVE ? 0 : share * share * parent + own;
}

/* ---- a regular tree -------------------------------------------------------------------------------------------- */

static void predict_regular(struct predictor *p, double *matrices)
{
	const struct sotto_census_plan *plan = &p->w->plan;
	size_t last = plan->level_count - 1;
	double *sum = p->work + 8 * p->size, nodes = 1, *v = matrices + (last + 1) * p->size;
	double whole = 0;

	for (size_t l = last + 1; l-- > 0;) {
		bool below = p->mode == SOTTO_CENSUS_GLS && l < last;

		for (size_t i = 0; below && i < p->size; i++)
			sum[i] = plan->fanout[l] * matrices[(l + 1) * p->size + i];
		join(p, p->info[l], below ? sum : NULL,
		     p->mode != SOTTO_CENSUS_NAIVE && is_fixed_level(plan, l),
		     matrices + l * p->size);
	}
	for (size_t l = 0; l <= last; l++) {
		const double *own = matrices + l * p->size;

		if (l == 0 || p->mode == SOTTO_CENSUS_NAIVE) {
			memcpy(v, own, p->size * sizeof *v);
		} else {
			for (size_t i = 0; i < p->size; i++)
				sum[i] = plan->fanout[l - 1] * own[i];
			descend(p, own, sum, v, v);
			whole = is_fixed_level(plan, l)
					? 0
					: whole_variance(
						  p, own, sum, whole,
						  round_variance(p, plan->fanout[l - 1], true));
		}
		count(p, l, 0, v, whole, nodes);
		nodes *= l < last ? plan->fanout[l] : 1;
	}
}

/* ---- the real tree ----------------------------------------------------------------------------------------------- */

static bool is_fixed(const struct predictor *p, size_t node, size_t level)
{
	const struct sotto_census_shape *s = &p->w->shape;

	if (p->mode == SOTTO_CENSUS_NAIVE) /* it publishes noise, whatever the plan fixes */
		return false;
	return s->total_low[node] == s->total_high[node] || s->plan_level[level] == SIZE_MAX ||
	       is_fixed_level(&p->w->plan, s->plan_level[level]);
}

/* The information of a node's own level, with that of the chain of only children below it. */
static void own_info(struct predictor *p, size_t node, size_t level, double *out)
{
	const struct sotto_census_shape *s = &p->w->shape;

	memset(out, 0, p->size * sizeof *out);
	for (;; node = s->first[node], level++) {
		const double *info =
			s->plan_level[level] == SIZE_MAX ? NULL : p->info[s->plan_level[level]];

		for (size_t i = 0; info && i < p->size; i++)
			out[i] += info[i];
		if (!p->w->plan.bypass || p->mode != SOTTO_CENSUS_TOPDOWN ||
		    level + 1 == s->level_count || s->count[node] != 1)
			return;
	}
}

/* The sum of the children's covariances. */
static void sum_children(struct predictor *p, size_t node, const double *leaf, double *sum)
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
static bool are_alike(const struct predictor *p, size_t node)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t first = s->first[node], inner = s->start[s->level_count - 1];
	double one;

	if (first >= inner)
		return true;
	one = sotto_census_total_variance(&p->basis, p->up + first * p->size);
	for (size_t c = first + 1; c < first + s->count[node]; c++)
		if (fabs(sotto_census_total_variance(&p->basis, p->up + c * p->size) - one) >
		    1e-9 * one)
			return false;
	return true;
}

static void predict_up(struct predictor *p, double *leaf)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t last = s->level_count - 1, inner = s->start[last];
	double *sum = p->work + 8 * p->size, *info = p->work + 9 * p->size;

	own_info(p, inner, last, info);
	join(p, info, NULL, is_fixed(p, inner, last), leaf);
	for (size_t l = last; l-- > 0;)
		for (size_t node = s->start[l]; node < s->start[l + 1]; node++) {
			bool below = p->mode == SOTTO_CENSUS_GLS;

			if (below)
				sum_children(p, node, leaf, sum);
			own_info(p, node, l, info);
			join(p, info, below ? sum : NULL, is_fixed(p, node, l),
			     p->up + node * p->size);
		}
}

static void
predict_children(struct predictor *p, size_t node, size_t level, const double *leaf, double *v)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t inner = s->start[s->level_count - 1];
	double *sum = p->work + 8 * p->size;
	double rounding = round_variance(p, s->count[node], are_alike(p, node));

	sum_children(p, node, leaf, sum);
	for (size_t c = s->first[node]; c < s->first[node] + s->count[node]; c++) {
		const double *own = c < inner ? p->up + c * p->size : leaf;
		double *to = c < inner ? p->v + c * p->size : v;
		double whole = whole_variance(p, own, sum, p->whole[node], rounding);

		if (p->mode == SOTTO_CENSUS_NAIVE)
			memcpy(to, own, p->size * sizeof *to);
		else
			descend(p, own, sum, p->v + node * p->size, to);
		if (is_fixed(p, c, level + 1))
			whole = 0;
		count(p, s->plan_level[level + 1], c, to, whole,
		      c < inner ? 1 : s->count[node]);
		if (c >= inner)
			break;
		p->whole[c] = whole;
	}
}

static void predict_tree(struct predictor *p, double *leaf, double *v)
{
	const struct sotto_census_shape *s = &p->w->shape;
	size_t last = s->level_count - 1;

	predict_up(p, leaf);
	if (last == 0) {
		count(p, s->plan_level[0], 0, leaf, 0, 1);
		return;
	}
	memcpy(p->v, p->up, p->size * sizeof *v);
	p->whole[0] = 0;
	count(p, s->plan_level[0], 0, p->up, 0, 1);
	for (size_t l = 0; l < last; l++)
		for (size_t node = s->start[l]; node < s->start[l + 1]; node++)
			predict_children(p, node, l, leaf, v);
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static enum sotto_status prepare(struct predictor *p)
{
	struct sotto_census_basis full;
	const struct sotto_census_plan *plan = &p->w->plan;

	SOTTO_TRY(sotto_census_basis_init(&full, &p->w->schema));
	p->basis = full;
	p->basis.components = 1;
	p->basis.block = p->size = full.places * full.places;
	for (size_t l = 0; l < plan->level_count; l++) {
		p->info[l] = calloc(p->size, sizeof(double));
		if (!p->info[l])
			return SOTTO_ENOMEM;
		sotto_census_level_info(&p->basis, l, p->info[l]);
	}
	p->work = malloc((10 + SOTTO_CENSUS_LEVELS_MAX + 3) * p->size * sizeof *p->work);
	if (!p->work)
		return SOTTO_ENOMEM;
	if (p->w->has_shape) {
		size_t inner = p->w->shape.start[p->w->shape.level_count - 1];

		p->up = malloc((inner + 1) * p->size * sizeof *p->up);
		p->v = malloc((inner + 1) * p->size * sizeof *p->v);
		p->whole = malloc((inner + 1) * sizeof *p->whole);
		if (!p->up || !p->v || !p->whole)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static void release(struct predictor *p)
{
	for (size_t l = 0; l < p->w->plan.level_count; l++)
		free(p->info[l]);
	free(p->up);
	free(p->v);
	free(p->whole);
	free(p->work);
	sotto_census_basis_release(&p->basis);
}

static void
run(struct predictor *p, enum sotto_census_mode mode, struct sotto_census_predictions *out)
{
	memset(p->sums, 0, sizeof p->sums);
	p->mode = mode;
	if (p->w->has_shape)
		predict_tree(p, p->work + 10 * p->size, p->work + 11 * p->size);
	else
		predict_regular(p, p->work + 10 * p->size);
	for (size_t l = 0; l < p->w->plan.level_count; l++) {
		double n = p->sums[l].n > 0 ? p->sums[l].n : 1;

		out->levels[l][mode] = (struct sotto_census_prediction){
			.sd = p->sums[l].sd / n,
			.mae_linear = p->sums[l].mae_linear / n,
			.mae = p->sums[l].mae / n};
	}
}

static bool can_predict(const struct sotto_census_world *w)
{
	size_t inner = w->has_shape ? w->shape.start[w->shape.level_count - 1] : 0;

	return (w->has_shape || w->plan.fanout) &&
	       inner * w->schema.places * w->schema.places * 2 * sizeof(double) <= memory_max;
}

enum sotto_status
sotto_census_predict(const struct sotto_census_world *w, struct sotto_census_predictions *out)
{
	struct predictor p = {.w = w, .watched = SIZE_MAX};
	enum sotto_status st;

	memset(out, 0, sizeof *out);
	out->known = can_predict(w);
	if (!out->known)
		return SOTTO_OK;
	st = prepare(&p);
	for (int mode = SOTTO_CENSUS_NAIVE; st == SOTTO_OK && mode <= SOTTO_CENSUS_GLS; mode++)
		run(&p, (enum sotto_census_mode)mode, out);
	release(&p);
	return st;
}

enum sotto_status sotto_census_predict_node(const struct sotto_census_world *w, size_t node,
					    struct sotto_census_prediction out[3], bool *known)
{
	struct sotto_census_predictions ignored;
	struct predictor p = {.w = w, .watched = node};
	enum sotto_status st;

	*known = can_predict(w);
	if (!*known)
		return SOTTO_OK;
	st = prepare(&p);
	for (int mode = SOTTO_CENSUS_NAIVE; st == SOTTO_OK && mode <= SOTTO_CENSUS_GLS;
	     mode++) {
		run(&p, (enum sotto_census_mode)mode, &ignored);
		out[mode] = p.seen;
	}
	release(&p);
	return st;
}
