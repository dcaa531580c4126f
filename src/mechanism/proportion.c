#include "mechanism/proportion.h"

#include <math.h>

/*
 * The continued fraction of the incomplete beta function (Lentz's method); converges
 * in O(sqrt(a + b)) steps for x below the mean a/(a + b).
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (double m = 1; m < 1e8; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return f;
}

/* lgamma itself writes a global variable. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function, x in (0, 1). */
static double beta_share(double a, double b, double x)
{
	double log_front =
		log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x);

	if (x < (a + 1) / (a + b + 2))
		return exp(log_front) * beta_fraction(a, b, x) / a;
	return 1 - exp(log_front) * beta_fraction(b, a, 1 - x) / b;
}

double sotto_proportion_tail(uint64_t successes, uint64_t n, double p)
{
	if (successes == 0)
		return 1;
	if (p <= 0 || p >= 1)
		return p >= 1;
	return beta_share((double)successes, (double)(n - successes) + 1, p);
}

/* The p in [0, 1] at which P[Binomial(n, p) >= successes] is `tail`, from below or above. */
static double solve(uint64_t successes, uint64_t n, double tail, int upper)
{
	double low = 0, high = 1;

	for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
		double middle = 0.5 * (low + high);

		if (sotto_proportion_tail(successes, n, middle) < tail)
			low = middle;
		else
			high = middle;
	}
	return upper ? high : low;
}

void sotto_proportion_interval(uint64_t successes, uint64_t n, double beta, double *low,
			       double *high)
{
	*low = successes == 0 ? 0 : solve(successes, n, beta / 2, 0);
	*high = successes == n ? 1 : solve(successes + 1, n, 1 - beta / 2, 1);
}
