/*
 * Joins what a node and its children measure, and shares a parent's variance among its
 * children, in the basis of marginals; adds the variance of rounding to whole numbers.
 */
#include "census/account/census_predictor.h"

#include <math.h>
#include <string.h>

#include "census/plan/census_query.h"

bool sotto_predictor_is_fixed_level(const struct sotto_census_plan *p, size_t plan_level)
{
	for (size_t i = 0; plan_level != SIZE_MAX && i < p->invariant_count; i++)
		if (p->queries[p->invariants[i].query].cells == 1 && !p->invariants[i].nodes &&
		    sotto_census_level_find(p, p->invariants[i].level) >= plan_level)
			return true;
	return false;
}

bool sotto_predictor_looks_below(const struct sotto_predictor *p, size_t plan_level)
{
	bool measured =
		plan_level != SIZE_MAX && p->w->plan.levels[plan_level].measure_count > 0;

	return p->mode == SOTTO_CENSUS_GLS || (p->mode == SOTTO_CENSUS_TOPDOWN && !measured);
}

void sotto_predictor_join(struct sotto_predictor *p, const double *info, const double *children,
			  bool fixed, double *out)
{
	size_t size = sotto_census_spread_size(&p->basis);
	uint64_t all =
		p->basis.places == 64 ? UINT64_MAX : (UINT64_C(1) << p->basis.places) - 1;
	double share[SOTTO_CENSUS_EXPLICIT_MAX];

	if (children)
		memcpy(out, children, size * sizeof *out);
	else
		sotto_census_spread_forget(&p->basis, all, out);
	sotto_census_spread_measure(&p->basis, info, out, p->matrices, p->work);
	if (fixed)
		sotto_census_spread_fix_total(&p->basis, out, share, p->work);
}

void sotto_predictor_descend(struct sotto_predictor *p, const double *child, const double *sum,
			     const double *v, double *out)
{
	size_t size = sotto_census_spread_size(&p->basis);
	double *kept = p->matrices + 4 * p->basis.block;
	struct sotto_census_shares sharing;

	sotto_census_shares_init(&sharing, &p->basis, sum, p->matrices, p->work);
	memcpy(kept, child, size * sizeof *kept);
	sotto_census_shares_apply(&sharing, &p->basis, v, kept,
				  p->matrices + 3 * p->basis.block, p->work);
	memcpy(out, kept, size * sizeof *out);
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

void sotto_predictor_count(struct sotto_predictor *p, size_t plan_level, size_t node,
			   const double *v, double whole, double nodes)
{
	struct sotto_census_prediction one =
		prediction_of(sotto_census_spread_total(&p->basis, v), whole);

	if (plan_level == SIZE_MAX)
		return;
	if (p->watched >= node && (double)(p->watched - node) < nodes)
		p->seen = one;
	p->sums[plan_level].sd += nodes * one.sd;
	p->sums[plan_level].mae_linear += nodes * one.mae_linear;
	p->sums[plan_level].mae += nodes * one.mae;
	p->sums[plan_level].n += nodes;
}

double sotto_predictor_round_variance(const struct sotto_predictor *p, double n, bool alike)
{
	if (p->mode == SOTTO_CENSUS_NAIVE || n <= 1)
		return 0;
	return p->mode == SOTTO_CENSUS_TOPDOWN && alike ? (1 - 1 / (n * n)) / 6
							: (1 - 1 / n) * (1 + 2 / n) / 12;
}

double sotto_predictor_whole_variance(const struct sotto_predictor *p, const double *child,
				      const double *sum, double parent, double own)
{
	double all = sotto_census_spread_total(&p->basis, sum);
	double share = all > 0 && isfinite(all)
			       ? sotto_census_spread_total(&p->basis, child) / all
			       : 0;

	return p->mode == SOTTO_CENSUS_NAIVE ? 0 : share * share * parent + own;
}
