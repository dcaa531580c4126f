/* The Gaussian curve in hardware arithmetic, for when very many values are wanted (gaussian_curve.md). */
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "core/account/integral/legendre.h"
#include "core/account/integral/real.h"
#include "core/account/law/law.h"
#include "core/account/loss/gaussian_curve.h"

/* Units in the last place that erfcl, expl and logl may be wrong by. */
#define LIBM 16

/* Where an integrand exp(...) ends, and the a up to which it has its weight near 0. */
#define LAST (-44)
#define HIGH 8

/* What each way takes (work.h). */
#define DIFFERENCE_STEPS 200
#define INTEGRAL_STEPS 2000

/* From here on Mills' ratio is taken from its asymptotic series. */
#define FAR 30

long double sotto_gaussian_mu(mpq_srcptr mu2)
{
	long double mu;
	mpfr_t x;

	mpfr_init2(x, 128);
	mpfr_set_q(x, mu2, MPFR_RNDN);
	mpfr_sqrt(x, x, MPFR_RNDN);
	mu = mpfr_get_ld(x, MPFR_RNDN);
	mpfr_clear(x);
	return mu;
}

/* A logarithm, and a bound of the relative error of the number itself. */
struct rough {
	long double log_value, error;
};

/* Phi(t); *error bounds its relative error if t is wrong by at most shift. */
static long double phi(long double t, long double shift, long double *error)
{
	/* density/Phi is at most 1 + |t| below 0, and below 0.8 above */
	*error = (1 + fabsl(t)) * (shift + LDBL_EPSILON * fabsl(t)) + LIBM * LDBL_EPSILON;
	return 0.5L * erfcl(-t * 0.70710678118654752440084436210485L);
}

/*
 * e^epsilon Phi(b) = density(a) Phi(b)/density(b); far out that ratio is -1/b (1 - b^-2 + 3 b^-4 -
 * ...), in which 9 terms leave less than 1e-18.
 */
static long double far_phi(long double a, long double b, long double shift, long double *error)
{
	long double square = 1 / (b * b), sum = 1;

	for (int k = 15; k > 0; k -= 2)
		sum = 1 - (long double)k * square * sum;
	*error = (1 + fabsl(a)) * shift + LDBL_EPSILON * (a * a + LIBM);
	return 0.39894228040143267793994605993438L * expl(-a * a / 2) / -b * sum;
}

/* log of Phi(a) - e^epsilon Phi(b), a and b wrong by at most shift; good unless mu is small */
static struct rough
by_difference(long double a, long double b, long double shift, long double epsilon)
{
	long double error, error_minus, plus, minus, delta;

	plus = phi(a, shift, &error);
	if (b < -FAR) {
		minus = far_phi(a, b, shift, &error_minus);
	} else {
		minus = expl(epsilon) * phi(b, shift, &error_minus);
		error_minus += LDBL_EPSILON * (epsilon + LIBM);
	}
	delta = plus - minus;
	if (!(delta > 0))
		return (struct rough){0, 1};
	return (struct rough){logl(delta), (plus * error + minus * error_minus) / delta};
}

/*
 * log of density(a) times the integral of (1 - e^(-mu y)) e^(a y - y^2/2) over y > 0, all of
 * it positive, by panels of length 2/(1 + |a|); for mu < 1 nothing in it changes faster.
 */
static struct rough by_integral(long double mu, long double a, long double shift)
{
	double slope = (double)a, half = 1 / (1 + fabs(slope)), sum = 0, wrong = 0;
	double x[SOTTO_LEGENDRE], w[SOTTO_LEGENDRE];

	for (double y = half; slope * y - y * y / 2 > LAST || y < slope; y += 2 * half) {
		double part = 0;

		sotto_legendre(y, half, x, w);
		for (int i = 0; i < SOTTO_LEGENDRE; i++) {
			double term = w[i] * -expm1(-(double)mu * x[i]) *
				      exp((slope - x[i] / 2) * x[i]);

			part += term;
			wrong += term * (fabs(slope) + x[i]) * x[i];
		}
		sum += part;
	}
	return (struct rough){logl((long double)sum) - a * a / 2 - 0.91893853320467274178L,
			      SOTTO_U * (64 + 4 * wrong / sum) + fabsl(a) * shift};
}

/* The difference cancels |a|/mu, and its arguments move it by some |a|^2 u. */
double sotto_gaussian_rough_steps(long double mu, double epsilon)
{
	long double a = mu / 2 - (long double)epsilon / mu, size = fabsl(a),
		    error = LDBL_EPSILON * size / mu * (3 * size * (1 + size) + LIBM);

	return a < 0 && mu < 1 && error > SOTTO_GAUSSIAN_ROUGH ? INTEGRAL_STEPS
							       : DIFFERENCE_STEPS;
}

bool sotto_gaussian_log_delta_rough(long double mu, double epsilon, double *log_low,
				    double *log_high)
{
	long double e = (long double)epsilon, half = mu / 2, far = e / mu, error;
	long double shift = 2 * LDBL_EPSILON * (half + far);
	struct rough r = {0, 1};

	if (half - far > -100)
		r = by_difference(half - far, -half - far, shift, e);
	if (!(r.error < SOTTO_GAUSSIAN_ROUGH) && mu < 1 && half - far < HIGH && far < 1e4L)
		r = by_integral(mu, half - far, shift);
	if (!(r.error < SOTTO_GAUSSIAN_ROUGH))
		return false;
	error = 1.01L * r.error + LIBM * LDBL_EPSILON * (1 + fabsl(r.log_value));
	*log_low = sotto_next_down((double)(r.log_value - error));
	*log_high = fmin(0, sotto_next_up((double)(r.log_value + error)));
	return true;
}
