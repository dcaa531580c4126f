/* Post-processing by the normal law of the estimates: mle-apx and the power-law prior. */
#include <math.h>

#include "local/decode/consistency.h"

/* The variance of an estimate as its true count grows: null_sd^2 + slope x. */
static double variance_slope(const struct sotto_local_estimate *e, size_t count)
{
	double most = 0, slope = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(e[i].sd) && e[i].count > most) {
			most = e[i].count;
			slope = (e[i].sd * e[i].sd - e[i].null_sd * e[i].null_sd) / most;
		}
	return slope;
}

/*
 * Minimizing sum (x - e)^2 / (a + b x) under sum x = total makes (x - e)/(a + b x)
 * one number t wherever x > 0: x = (e + t a)/(1 - t b) (Wang et al. 2020).
 */
static double most_likely(const struct sotto_local_estimate *e, double t, double slope)
{
	if (!isfinite(e->sd))
		return 0;
	return fmax((e->count + t * e->null_sd * e->null_sd) / (1 - t * slope), 0);
}

static double sum_at(const struct sotto_local_estimate *e, size_t count, double t, double slope)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += most_likely(&e[i], t, slope);
	return sum;
}

void sotto_post_mle_apx(struct sotto_local_estimate *e, size_t count, double total)
{
	double slope = variance_slope(e, count), low = -1, high, t = 0;

	/* the sum grows with t, up to 1/slope if that is positive */
	high = slope > 0 ? (1 - 1e-12) / slope : 1;
	if (slope < 0)
		low = fmax(low, (1 - 1e-12) / slope);
	for (int i = 0; slope >= 0 && i < 1000 && sum_at(e, count, low, slope) > total; i++)
		low *= 2;
	for (int i = 0; slope <= 0 && i < 1000 && sum_at(e, count, high, slope) < total; i++)
		high *= 2;
	for (int i = 0; i < 200; i++) {
		t = (low + high) / 2;
		if (sum_at(e, count, t, slope) < total)
			low = t;
		else
			high = t;
	}
	for (size_t i = 0; i < count; i++)
		e[i].post = most_likely(&e[i], t, slope);
}

/* The prior mass of [x, x + width], up to the normalizing constant. */
static double prior(double x, double width, double s)
{
	return (pow(1 + x, 1 - s) - pow(1 + x + width, 1 - s)) / (s - 1);
}

enum { CELLS = 128, SAMPLE = 2000 };

/* Mass and mean of prior times likelihood of one estimate, over cells around it. */
static double posterior(const struct sotto_local_estimate *e, double slope, double total,
			double s, double *mean)
{
	double reach = 8 * fmax(e->sd, e->null_sd), mass = 0, first = 0;
	double low = fmax(e->count - reach, 0), high = fmin(fmax(e->count, 0) + reach, total);
	double width = fmax(high - low, 1) / CELLS;

	for (int i = 0; i < CELLS; i++) {
		double left = low + i * width, x = left > 0 ? left + width / 2 : 0;
		double variance = fmax(e->null_sd * e->null_sd + slope * x, 1e-300);
		double d = x - e->count;
		double m = prior(left, width, s) * exp(-d * d / 2 / variance) / sqrt(variance);

		mass += m;
		first += m * x;
	}
	*mean = mass > 0 ? first / mass : fmin(fmax(e->count, 0), total);
	return mass;
}

static double log_evidence(const struct sotto_local_estimate *e, size_t count, double slope,
			   double total, double s)
{
	size_t step = count / SAMPLE + 1;
	double sum = 0, all = prior(0, total, s), ignored;

	for (size_t i = 0; i < count; i += step)
		if (isfinite(e[i].sd) && e[i].null_sd > 0)
			sum += log(fmax(posterior(&e[i], slope, total, s, &ignored), 1e-300) /
				   all);
	return sum;
}

void sotto_post_power_law(struct sotto_local_estimate *e, size_t count, double total)
{
	double slope = variance_slope(e, count), best = -INFINITY, s = 2;

	for (double trial = 1.1; trial < 5; trial += .1) {
		double now = log_evidence(e, count, slope, total, trial);

		if (now > best) {
			best = now;
			s = trial;
		}
	}
	for (size_t i = 0; i < count; i++) {
		e[i].post = fmax(e[i].count, 0);
		if (isfinite(e[i].sd) && e[i].null_sd > 0)
			(void)posterior(&e[i], slope, total, s, &e[i].post);
	}
}
