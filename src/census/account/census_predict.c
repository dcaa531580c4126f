/*
 * Variances of totals on the real tree: the component without contrasts alone, on the explicit
 * axes (marginals.md).  Bounds are not taken into account, fixed totals are.
 */
#include "census/account/census_predict.h"
#include "census/plan/census_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { MATRIX_MAX = SOTTO_CENSUS_EXPLICIT_MAX * SOTTO_CENSUS_EXPLICIT_MAX };
static const size_t memory_max = (size_t)1 << 30;

/* ---- a regular tree -------------------------------------------------------------------------------------------- */

static void predict_regular(struct sotto_predictor *p, double *matrices)
{
	const struct sotto_census_plan *plan = &p->w->plan;
	size_t last = plan->level_count - 1;
	double *sum = p->sum, nodes = 1, *v = matrices + (last + 1) * p->size;
	double whole = 0;

	for (size_t l = last + 1; l-- > 0;) {
		bool below = l < last && sotto_predictor_looks_below(p, l);

		for (size_t i = 0; below && i < p->size; i++)
			sum[i] = plan->fanout[l] * matrices[(l + 1) * p->size + i];
		sotto_predictor_join(p, p->info[l], below ? sum : NULL,
				     p->mode != SOTTO_CENSUS_NAIVE &&
					     sotto_predictor_is_fixed_level(plan, l),
				     matrices + l * p->size);
	}
	for (size_t l = 0; l <= last; l++) {
		const double *own = matrices + l * p->size;

		if (l == 0 || p->mode == SOTTO_CENSUS_NAIVE) {
			memcpy(v, own, p->size * sizeof *v);
		} else {
			for (size_t i = 0; i < p->size; i++)
				sum[i] = plan->fanout[l - 1] * own[i];
			sotto_predictor_descend(p, own, sum, v, v);
			whole = sotto_predictor_is_fixed_level(plan, l)
					? 0
					: sotto_predictor_whole_variance(
						  p, own, sum, whole,
						  sotto_predictor_round_variance(
							  p, plan->fanout[l - 1], true));
		}
		sotto_predictor_count(p, l, 0, v, whole, nodes);
		nodes *= l < last ? plan->fanout[l] : 1;
	}
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static enum sotto_status prepare(struct sotto_predictor *p)
{
	struct sotto_census_basis full;
	const struct sotto_census_plan *plan = &p->w->plan;

	SOTTO_TRY(sotto_census_basis_init(&full, &p->w->schema));
	p->basis = full;
	p->basis.components = 1;
	p->basis.block = full.places * full.places;
	p->size = sotto_census_spread_size(&p->basis);
	for (size_t l = 0; l < plan->level_count; l++) {
		p->info[l] = calloc(p->basis.block, sizeof(double));
		if (!p->info[l])
			return SOTTO_ENOMEM;
		sotto_census_level_info(&p->basis, l, p->info[l]);
	}
	p->work = malloc(sotto_census_spread_work(&p->basis) * sizeof *p->work);
	p->matrices = malloc(7 * p->basis.block * sizeof *p->matrices);
	p->sum = malloc((SOTTO_CENSUS_LEVELS_MAX + 3) * p->size * sizeof *p->sum);
	if (!p->work || !p->matrices || !p->sum)
		return SOTTO_ENOMEM;
	p->own = p->matrices + 6 * p->basis.block;
	if (p->w->has_shape) {
		size_t inner = p->w->shape.start[p->w->shape.level_count - 1];

		p->up = malloc((inner + 1) * p->size * sizeof *p->up);
		p->whole = malloc((inner + 1) * sizeof *p->whole);
		if (!p->up || !p->whole)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static void release(struct sotto_predictor *p)
{
	for (size_t l = 0; l < p->w->plan.level_count; l++)
		free(p->info[l]);
	free(p->up);
	free(p->whole);
	free(p->work);
	free(p->matrices);
	free(p->sum);
	sotto_census_basis_release(&p->basis);
}

static void run(struct sotto_predictor *p, enum sotto_census_mode mode,
		struct sotto_census_predictions *out)
{
	memset(p->sums, 0, sizeof p->sums);
	p->mode = mode;
	if (p->w->has_shape)
		sotto_predictor_run_tree(p, p->sum + p->size, p->sum + 2 * p->size);
	else
		predict_regular(p, p->sum + p->size);
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
	struct sotto_predictor p = {.w = w, .watched = SIZE_MAX};
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
	struct sotto_predictor p = {.w = w, .watched = node};
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
