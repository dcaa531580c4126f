/*
 * Quantiles of sums of Laplace variables come from sorted public samples; half widths allow for counts being whole.
 */
#include "census/solve/information/census_quantile.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/splitmix.h"
#include "core/number/normal.h"

enum { TERMS_MAX = 64, SUMS = 20000 };

static int compare_doubles(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;

	return (l > r) - (l < r);
}

double sotto_census_sample_quantile(double *ratios, size_t n, double confidence)
{
	qsort(ratios, n, sizeof *ratios, compare_doubles);
	return ratios[(size_t)((double)(n - 1) * confidence)];
}

/* Laplace of scale 1 as a difference of two exponentials; its variance is 2. */
static double sum_of_laplaces(uint64_t *state, size_t terms)
{
	double sum = 0;

	for (size_t i = 0; i < terms; i++)
		sum += log(sotto_splitmix_unit(state) / sotto_splitmix_unit(state));
	return fabs(sum) / sqrt(2 * (double)terms);
}

double sotto_census_sum_quantile(bool laplace, double confidence, size_t terms)
{
	double *sums, quantile;
	uint64_t state = terms;

	if (laplace && terms == 1)
		return -log1p(-confidence) / M_SQRT2;
	sums = laplace && terms <= TERMS_MAX ? malloc(SUMS * sizeof *sums) : NULL;
	if (!sums)
		return sotto_normal_upper((1 - confidence) / 2);
	for (size_t i = 0; i < SUMS; i++)
		sums[i] = sum_of_laplaces(&state, terms);
	quantile = sotto_census_sample_quantile(sums, SUMS, confidence);
	free(sums);
	return quantile;
}

double sotto_census_half_width(double quantile, double sd, bool whole)
{
	double half = quantile * sd;

	if (sd == 0)
		return 0;
	if (whole)
		return ceil(half - 0.5);
	return sd < 1 ? half + 0.5 : half;
}
