/*
 * The law of a sum of independent noises, from its characteristic function.
 *
 * Laplace noise of scale a has the characteristic function 1/(1 + a^2 t^2), Gaussian noise
 * exp(-sigma^2 t^2 / 2), and f(t) of a sum is the product.  As the sum S is symmetric,
 *
 *	P(|S| <= z) = 2/pi * integral over t > 0 of sin(z t) / t * f(t)
 *
 * (Gil-Pelaez, 1951).  With S scaled to a variance of 1, f(t) falls at least as fast as that of one
 * Laplace noise, 1/(1 + t^2/2): beyond T the integral is about 2/(z T^3) at most.
 */
#include "central/price/joint_noise.h"

#include <math.h>

enum { NODES = 2500 }; /* even, for Simpson's rule */

static const double spacing = 0.04; /* sin(z t) turns by a tenth in it: z is about 2 */

static bool is_laplace(const struct sotto_noise_term *t)
{
	return t->noise->kind == SOTTO_NOISE_LAPLACE;
}

static double width(const struct sotto_noise_term *t)
{
	return fabs(t->factor) * sotto_added_noise_scale(t->noise);
}

static double variance(const struct sotto_noise_term *t)
{
	return (is_laplace(t) ? 2 : 1) * width(t) * width(t);
}

/* f(t) of the sum divided by `deviation`. */
static double
characteristic(const struct sotto_noise_term *terms, size_t count, double deviation, double t)
{
	double f = 1;

	for (size_t i = 0; i < count; i++) {
		double at = width(&terms[i]) * t / deviation;

		f *= is_laplace(&terms[i]) ? 1 / (1 + at * at) : exp(-at * at / 2);
	}
	return f;
}

static double probability_within(const double *weights, double z)
{
	double p = weights[0] * z;

	for (size_t k = 1; k <= NODES; k++)
		p += weights[k] * sin(z * spacing * (double)k);
	return p;
}

/* The z that 95 % of the sums of variance 1 are within. */
static double
standard_size(const struct sotto_noise_term *terms, size_t count, double deviation)
{
	double weights[NODES + 1], low = 0, high = 4;

	weights[0] = 2 / M_PI * spacing / 3;
	for (size_t k = 1; k <= NODES; k++) {
		double simpson = k == NODES ? 1 : k % 2 ? 4 : 2, t = spacing * (double)k;

		weights[k] = 2 / M_PI * spacing / 3 * simpson *
			     characteristic(terms, count, deviation, t) / t;
	}
	for (int i = 0; i < 24; i++) {
		double middle = (low + high) / 2;

		if (probability_within(weights, middle) < 0.95)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* P(|X + Y| > z) of Laplace laws with scales a and b. */
static double tail_of_two(double a, double b, double z)
{
	if (fabs(a - b) < 1e-6 * (a + b))
		return (1 + z / (a + b)) * exp(-2 * z / (a + b));
	return (a * a * exp(-z / a) - b * b * exp(-z / b)) / (a * a - b * b);
}

/* The same for two Laplace noises, in closed form: averages, of which there may be a thousand. */
static double size_of_two(double a, double b)
{
	double low = 0, high = (a + b) * 20;

	for (int i = 0; i < 40; i++) {
		double middle = (low + high) / 2;

		if (tail_of_two(a, b, middle) > 0.05)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double sotto_joint_noise_size(const struct sotto_noise_term *terms, size_t count)
{
	double sum = 0, largest = 0;
	bool all_gaussian = true;

	for (size_t i = 0; i < count; i++) {
		sum += variance(&terms[i]);
		largest = fmax(largest, variance(&terms[i]));
		all_gaussian = all_gaussian && !is_laplace(&terms[i]);
	}
	if (all_gaussian)
		return 1.96 * sqrt(sum);
	if (largest == sum) /* one Laplace noise, the rest is 0 */
		return log(20) * sqrt(sum / 2);
	if (count == 2 && is_laplace(&terms[0]) && is_laplace(&terms[1]))
		return size_of_two(width(&terms[0]), width(&terms[1]));
	return standard_size(terms, count, sqrt(sum)) * sqrt(sum);
}
