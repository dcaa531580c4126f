/*
 * The incomplete gamma function by its series or its continued fraction; Clopper-Pearson by
 * bisection on tails, which are accurate far out.
 */
#include "local/decode/special.h"

#include <math.h>

#include "core/number/beta.h"

/* P(a, x) by its series; good for x below a + 1. */
static double gamma_series(double a, double x)
{
	double sum, term;

	sum = term = 1 / a;
	for (double n = a + 1; fabs(term) > 1e-17 * fabs(sum); n++)
		sum += term *= x / n;
	return sum;
}

/* 1 - P(a, x) by its continued fraction; good for x above. */
static double gamma_fraction(double a, double x)
{
	double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;

	for (int i = 1; i < 10000; i++) {
		double an = -i * (i - a), step;

		b += 2;
		d = 1 / (an * d + b);
		c = b + an / c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return h;
}

double sotto_chi_square_tail(double x, double degrees)
{
	double a = degrees / 2, half = x / 2, front;

	if (!(degrees > 0) || !(x > 0))
		return 1;
	front = exp(a * log(half) - half - sotto_log_gamma(a));
	return half < a + 1 ? 1 - front * gamma_series(a, half)
			    : front * gamma_fraction(a, half);
}

double sotto_binomial_mass(uint64_t n, double p, uint64_t k)
{
	double x = (double)n, y = (double)k;

	if (k > n)
		return 0;
	if (p <= 0 || p >= 1)
		return (p <= 0 ? k == 0 : k == n) ? 1 : 0;
	return exp(sotto_log_gamma(x + 1) - sotto_log_gamma(y + 1) -
		   sotto_log_gamma(x - y + 1) + y * log(p) + (x - y) * log1p(-p));
}

double sotto_binomial_at_most(uint64_t n, double p, int64_t k)
{
	if (k < 0)
		return 0;
	if ((uint64_t)k >= n)
		return 1;
	return sotto_beta_regularized((double)n - (double)k, (double)k + 1, 1 - p);
}

/* The p at which P(Bin(n, p) >= k) is alpha, by bisection. */
double sotto_binomial_low(uint64_t n, uint64_t k, double alpha)
{
	double low = 0, high = 1;

	if (k == 0)
		return 0;
	for (int i = 0; i < 100; i++) {
		double p = (low + high) / 2;

		if (p <= low || p >= high)
			break;
		if (sotto_beta_regularized((double)k, (double)(n - k) + 1, p) < alpha)
			low = p;
		else
			high = p;
	}
	return low;
}

double sotto_binomial_high(uint64_t n, uint64_t k, double alpha)
{
	return 1 - sotto_binomial_low(n, n - k, alpha);
}
