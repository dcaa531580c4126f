/*
 * Variances of the discrete noise laws, which differ from the parameter if it is below
 * about 1.
 */
#include <math.h>

#include "census/exact/census_json_text.h"
#include "census/account/census_noise_variance.h"

/*
 * 2 sum n^2 e^(-n^2/2s) / (1 + 2 sum e^(-n^2/2s)).  Above s = 10 it is s but for a relative
 * 8 pi^2 s e^(-2 pi^2 s) < 1e-80 (Poisson summation).
 */
double sotto_census_gaussian_variance(const struct sotto_rational *sigma2)
{
	double s = sotto_rational_nearest(sigma2->q), square = 0, sum = 0.5;

	if (s > 10)
		return s;
	for (int n = 1; n * n < 80 * s * 2 + 4; n++) {
		double p = exp(-(double)n * n / (2 * s));

		square += (double)n * n * p;
		sum += p;
	}
	return square / sum;
}

/* 2a/(1-a)^2 with a = e^(-1/b), which is 1/(2 sinh^2(1/(2b))) */
double sotto_census_laplace_variance(const struct sotto_rational *b)
{
	double h = sinh(0.5 / sotto_rational_nearest(b->q));

	return isinf(h) ? 0 : 0.5 / (h * h);
}
