#include "census/account/census_predictor.h"

#include <math.h>
#include <string.h>

#include "census/plan/census_query.h"

static void invert(struct sotto_predictor *p, const double *from, double *to)
{
	uint64_t all =
		p->basis.places == 64 ? UINT64_MAX : (UINT64_C(1) << p->basis.places) - 1;

	sotto_census_info_invert(&p->basis, all, from, to, p->work);
}

/* A fixed total: S -= S1 1'S / 1'S1. */
static void fix_total(const struct sotto_predictor *p, double *s)
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

bool sotto_predictor_is_fixed_level(const struct sotto_census_plan *p, size_t plan_level)
{
	for (size_t i = 0; plan_level != SIZE_MAX && i < p->invariant_count; i++)
		if (p->queries[p->invariants[i].query].cells == 1 && !p->invariants[i].nodes &&
		    sotto_census_level_find(p, p->invariants[i].level) >= plan_level)
			return true;
	return false;
}

void sotto_predictor_join(struct sotto_predictor *p, const double *info, const double *children,
			  bool fixed, double *out)
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

void sotto_predictor_descend(struct sotto_predictor *p, const double *child, const double *sum,
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

void sotto_predictor_count(struct sotto_predictor *p, size_t plan_level, size_t node,
			   const double *v, double whole, double nodes)
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
	double all = sotto_census_total_variance(&p->basis, sum);
	double share = all > 0 ? sotto_census_total_variance(&p->basis, child) / all : 0;

	return p->mode == SOTTO_CENSUS_NAIVE ? 0 : share * share * parent + own;
}
