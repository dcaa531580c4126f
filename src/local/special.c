#include "local/special.h"

#include <math.h>

double sotto_normal_tail(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

/* Bisection on the tail, then Newton: the tail is exact where a quantile formula is not. */
double sotto_normal_upper(double tail)
{
	double low = -40, high = 40, z = 0;

	if (!(tail > 0) || tail >= 1)
		return tail >= 1 ? -INFINITY : INFINITY;
	for (int i = 0; i < 60; i++) {
		z = (low + high) / 2;
		if (sotto_normal_tail(z) > tail)
			low = z;
		else
			high = z;
	}
	return z;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		result *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		result *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return result;
}

double sotto_beta_regularized(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double sotto_gamma_regularized(double a, double x)
{
	double front, sum, term;

	if (x <= 0)
		return 0;
	front = exp(a * log(x) - x - lgamma(a));
	if (x < a + 1) { /* series */
		sum = term = 1 / a;
		for (double n = a + 1; fabs(term) > 1e-17 * fabs(sum); n++)
			sum += term *= x / n;
		return front * sum;
	}
	/* continued fraction of the complement */
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
		return 1 - front * h;
	}
}

double sotto_binomial_mass(uint64_t n, double p, uint64_t k)
{
	double x = (double)n, y = (double)k;

	if (k > n)
		return 0;
	if (p <= 0 || p >= 1)
		return (p <= 0 ? k == 0 : k == n) ? 1 : 0;
	return exp(lgamma(x + 1) - lgamma(y + 1) - lgamma(x - y + 1) + y * log(p) +
		   (x - y) * log1p(-p));
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
