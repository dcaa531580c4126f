/*
 * splitmix64 words; binomial numbers by inversion if few are expected, else by rejection
 * (BTRS), and multinomial ones from binomials.
 */
#include "local/plan/simulation_rng.h"

#include <math.h>

#include "core/number/beta.h"

uint64_t sotto_simulation_word(struct sotto_simulation_rng *d)
{
	uint64_t x = d->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

double sotto_simulation_unit(struct sotto_simulation_rng *d)
{
	return ((double)(sotto_simulation_word(d) >> 11) + 0.5) * 0x1p-53;
}

double sotto_simulation_normal(struct sotto_simulation_rng *d)
{
	double r = sqrt(-2 * log(sotto_simulation_unit(d)));

	return r * cos(2 * 3.14159265358979323846 * sotto_simulation_unit(d));
}

static uint64_t invert(struct sotto_simulation_rng *d, uint64_t n, double p)
{
	double u = sotto_simulation_unit(d), odds = p / (1 - p), mass = pow(1 - p, (double)n);
	uint64_t k = 0;

	while (u > mass && k < n) {
		u -= mass;
		k++;
		mass *= odds * (double)(n - k + 1) / (double)k;
	}
	return k;
}

/* ln of k! / m! and the like, from the gamma function */
static double log_mass_ratio(double n, double p, double k, double mode)
{
	return sotto_log_gamma(mode + 1) + sotto_log_gamma(n - mode + 1) -
	       sotto_log_gamma(k + 1) - sotto_log_gamma(n - k + 1) +
	       (k - mode) * log(p / (1 - p));
}

/* Algorithm BTRS; p <= 1/2 and n p >= 10. */
static uint64_t reject(struct sotto_simulation_rng *d, double n, double p)
{
	double spread = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread;
	double a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
	double alpha = (2.83 + 5.1 / b) * spread, mode = floor((n + 1) * p);

	for (;;) {
		double v = sotto_simulation_unit(d), u = sotto_simulation_unit(d) - 0.5;
		double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + c);

		if (k < 0 || k > n)
			continue;
		if (us >= 0.07 && v <= 0.92 - 4.2 / b)
			return (uint64_t)k;
		v = log(v * alpha / (a / us / us + b));
		if (v <= log_mass_ratio(n, p, k, mode))
			return (uint64_t)k;
	}
}

uint64_t sotto_simulation_binomial(struct sotto_simulation_rng *d, uint64_t n, double p)
{
	if (n == 0 || !(p > 0))
		return 0;
	if (p >= 1)
		return n;
	if (p > 0.5)
		return n - sotto_simulation_binomial(d, n, 1 - p);
	return (double)n * p < 10 ? invert(d, n, p) : reject(d, (double)n, p);
}

void sotto_simulation_multinomial(struct sotto_simulation_rng *d, uint64_t n,
				  const double *share, size_t count, uint64_t *out)
{
	double left = 1;

	for (size_t i = 0; i < count; i++) {
		out[i] = i + 1 == count ? n
			 : left > 0 ? sotto_simulation_binomial(d, n, fmin(share[i] / left, 1))
				    : 0;
		n -= out[i];
		left -= share[i];
	}
}
