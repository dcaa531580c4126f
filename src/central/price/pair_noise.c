/*
 * Discrete noise Z is compared with real noise Y by way of Z + U, U uniform within 1/2.
 *
 * Say that V is more peaked than Y if P(|V| >= t) <= P(|Y| >= t) for all t.  For symmetric unimodal
 * laws this carries over to sums with any factors (Birnbaum, 1948).  Z + U is symmetric and
 * unimodal, and |f Z + g Z'| <= |f (Z + U) + g (Z' + U')| + (|f| + |g|) / 2.  So a bound for
 * real noises that are less peaked, and half of |f| + |g| more, is one for the discrete noises.
 *
 * Laplace.  With h = 1/(2b), P(|Z + U| >= m + 1/2) = exp(-(2m + 1) h) / cosh h, and the tail of
 * Z + U is linear between half-numbers.  Y has the scale b' = 1/(2 tanh h).  For t <= 1/2 the
 * tail of Z + U is 1 - 2 t tanh h <= exp(-2 t tanh h).  For t = m + s with m >= 1 and |s| <= 1/2
 * it is exp(-2 m h) (1 - 2 s tanh h) <= exp(-2 m h - 2 s tanh h), which is
 * exp(-2 t tanh h) exp(-2 m (h - tanh h)) <= exp(-2 t tanh h), since tanh h <= h.
 *
 * Gauss.  g(x) = exp(-x^2 / (2 sigma^2)) is concave within sigma and convex beyond, so that at
 * half-numbers sums of g over whole numbers are on the right side of the integral, and the tail of
 * Z + U is below that of real noise; its sum over all numbers is the integral but for a part of
 * 2 exp(-2 pi^2 sigma^2), 6e-9 at sigma = 1.  Between half-numbers it is linear, a chord of a
 * convex tail.  Y has the variance sigma^2 + 1/4, where that of Z + U is sigma^2 + 1/12;
 * test_pair_noise compares the tails.
 */
#include "central/price/pair_noise.h"

#include <math.h>
#include <pthread.h>

enum { PARTS = 128 };

static double sizes[PARTS + 1]; /* of Laplace noises with scales 1 and i / PARTS */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* P(|X + Y| > z) of Laplace laws with scales 1 and b <= 1. */
static double tail(double b, double z)
{
	if (1 - b < 1e-5)
		return (1 + z / 2) * exp(-z); /* of two with scale 1: no less */
	return (exp(-z) - b * b * exp(-z / b)) / (1 - b * b);
}

static void fill_sizes(void)
{
	for (int i = 0; i <= PARTS; i++) {
		double low = 0, high = 10;

		for (int k = 0; k < 50; k++) {
			double middle = (low + high) / 2;

			if (i == 0 ? exp(-middle) > 0.05
				   : tail((double)i / PARTS, middle) > 0.05)
				low = middle;
			else
				high = middle;
		}
		sizes[i] = high;
	}
}

/*
 * The size is convex in the factors: it is the support function of a floating body, which of a
 * symmetric log-concave law is convex (Meyer and Reisner, 1991).  So a chord is above it.
 */
static double laplace_size_up(double a, double b)
{
	double large = fmax(a, b), at = large > 0 ? fmin(a, b) / large * PARTS : 0;
	size_t i = (size_t)fmin(at, PARTS - 1);

	(void)pthread_once(&once, fill_sizes);
	return large * (sizes[i] + (at - (double)i) * (sizes[i + 1] - sizes[i])) * (1 + 1e-9);
}

/* Of real noise that is less peaked than the discrete one with half a step more. */
static double real_width(const struct sotto_added_noise *n)
{
	double width = sotto_added_noise_scale(n);

	return n->kind == SOTTO_NOISE_LAPLACE ? 1 / (2 * tanh(1 / (2 * width)))
					      : sqrt(width * width + 0.25);
}

bool sotto_pair_noise_fits(const struct sotto_added_noise *x, const struct sotto_added_noise *y)
{
	return x->kind == y->kind &&
	       (x->kind == SOTTO_NOISE_LAPLACE ||
		(x->kind == SOTTO_NOISE_GAUSSIAN && sotto_added_noise_scale(x) >= 1 &&
		 sotto_added_noise_scale(y) >= 1));
}

double sotto_pair_noise_size_up(const struct sotto_added_noise *x, double f,
				const struct sotto_added_noise *y, double g)
{
	double a = fabs(f) * real_width(x), b = fabs(g) * real_width(y);
	double real =
		x->kind == SOTTO_NOISE_LAPLACE ? laplace_size_up(a, b) : 1.96 * hypot(a, b);

	return real + (fabs(f) + fabs(g)) / 2;
}
