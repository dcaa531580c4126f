/*
 * Chernoff's bounds for counts and for chi-square sums, and Massart's for distribution
 * functions; a verdict counts the answers below its threshold.
 */
#include "testlib/statistics/stats.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void verdict_init(struct verdict *v)
{
	memset(v, 0, sizeof *v);
}

bool verdict_is_clean(const struct verdict *v)
{
	assert(v->answers > 0 && v->answers <= STATS_MAX);
	return v->faults == 0;
}

void verdict_add(struct verdict *v, double log_p, const char *format, ...)
{
	const double threshold = log(1e-9) - log(STATS_SUITE);
	va_list args;

	v->answers++;
	v->faults += !(log_p >= threshold); /* a NaN is a fault */
	if (!(log_p >= v->worst)) {
		v->worst = log_p;
		va_start(args, format);
		vsnprintf(v->worst_name, sizeof v->worst_name, format, args);
		va_end(args);
	}
}

/* q log(q/p), and its limit at 0 */
static double weighed_log(double q, double p)
{
	return q > 0 ? q * log(q / p) : 0;
}

/* Chernoff 1952: at most exp(-n KL(count/n, p)) on either side. */
double log_p_count(double n, double p, double count)
{
	double q = count / n, divergence;

	if (n == 0 || q == p)
		return 0;
	if (fabs(q - p) < 1e-3 * p && fabs(q - p) < 1e-3 * (1 - p)) {
		/* the logarithms would cancel: d^2/(2p(1-p)) - d^3(1-2p)/(6 p^2 (1-p)^2) + ... */
		double d = q - p, v = p * (1 - p);

		divergence = d * d / (2 * v) - d * d * d * (1 - 2 * p) / (6 * v * v);
	} else {
		divergence = weighed_log(q, p) + weighed_log(1 - q, 1 - p);
	}
	return fmin(0, log(2) - n * divergence);
}

/* P[X >= x] <= exp(-(x - k - k log(x/k))/2) for a chi-square X of k degrees. */
double log_p_chi_square(const double *expected, const double *observed, size_t cells)
{
	double x = 0, k = (double)cells - 1;

	assert(cells >= 2);
	for (size_t i = 0; i < cells; i++) {
		double d = observed[i] - expected[i];

		assert(expected[i] >= 100);
		x += d * d / expected[i];
	}
	return x <= k ? 0 : -(x - k - k * log(x / k)) / 2;
}

/* Massart 1990: P[sup |F_n - F| > d] <= 2 exp(-2 n d^2). */
double log_p_distance(double n, double distance)
{
	return fmin(0, log(2) - 2 * n * distance * distance);
}
