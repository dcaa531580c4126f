/*
 * Subtracts two Mills ratios in MPFR, with as many more bits as the cancellation can cost; far
 * out the ratio is its asymptotic series.
 */
#include "core/account/loss/gaussian_curve.h"

#include <math.h>
#include <mpfr.h>

#include "core/account/integral/real.h"
#include "core/account/integral/work.h"

/* From here on Mills' ratio is taken from its asymptotic series. */
#define FAR 3e4

/* Bits that survive cancellation, and those that it may cost (gaussian_curve.md). */
static mpfr_prec_t precision(double mu, double b, double epsilon)
{
	double lost = 2 * fabs(log2(mu)) + 4 * log2(fabs(b) + 2) + log2(epsilon + 2);

	return (mpfr_prec_t)(160 + fmin(lost, 20000));
}

/* a = mu/2 - epsilon/mu, b = -mu/2 - epsilon/mu */
static void arguments(mpfr_t a, mpfr_t b, mpq_srcptr mu2, double epsilon)
{
	mpfr_set_q(b, mu2, MPFR_RNDN);
	mpfr_sqrt(b, b, MPFR_RNDN);
	mpfr_d_div(a, epsilon, b, MPFR_RNDN);
	mpfr_div_2ui(b, b, 1, MPFR_RNDN);
	mpfr_neg(b, b, MPFR_RNDN);
	mpfr_sub(b, b, a, MPFR_RNDN);
	mpfr_mul_2ui(a, a, 1, MPFR_RNDN);
	mpfr_add(a, a, b, MPFR_RNDN);
	mpfr_neg(a, a, MPFR_RNDN);
}

/* log of the normal density at t */
static void log_density(mpfr_t out, const mpfr_t t)
{
	mpfr_t pi;

	mpfr_init2(pi, mpfr_get_prec(out));
	mpfr_const_pi(pi, MPFR_RNDN);
	mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
	mpfr_log(pi, pi, MPFR_RNDN);
	mpfr_sqr(out, t, MPFR_RNDN);
	mpfr_add(out, out, pi, MPFR_RNDN);
	mpfr_div_si(out, out, -2, MPFR_RNDN);
	mpfr_clear(pi);
}

/* Phi(t)/density(t) = x^-1 - x^-3 + 3 x^-5 - ..., x = -t; the first term left out is 1e-40 of it */
static void far_ratio(mpfr_t out, const mpfr_t t)
{
	static const int ahead[] = {9, 7, 5, 3, 1};
	mpfr_t square;

	mpfr_init2(square, mpfr_get_prec(out));
	mpfr_sqr(square, t, MPFR_RNDN);
	mpfr_set_ui(out, 1, MPFR_RNDN);
	for (int i = 0; i < 5; i++) {
		mpfr_mul_si(out, out, -ahead[i], MPFR_RNDN);
		mpfr_div(out, out, square, MPFR_RNDN);
		mpfr_add_ui(out, out, 1, MPFR_RNDN);
	}
	mpfr_div(out, out, t, MPFR_RNDN);
	mpfr_neg(out, out, MPFR_RNDN);
	mpfr_clear(square);
}

/* Phi(t)/density(t) for t < FAR */
static void ratio(mpfr_t out, const mpfr_t t)
{
	mpfr_t x;

	if (mpfr_cmp_d(t, -FAR) < 0) {
		far_ratio(out, t);
		return;
	}
	mpfr_init2(x, mpfr_get_prec(out));
	mpfr_sqrt_ui(x, 2, MPFR_RNDN);
	mpfr_div(x, t, x, MPFR_RNDN);
	mpfr_neg(x, x, MPFR_RNDN);
	mpfr_erfc(out, x, MPFR_RNDN);
	mpfr_div_2ui(out, out, 1, MPFR_RNDN);
	log_density(x, t);
	mpfr_neg(x, x, MPFR_RNDN);
	mpfr_exp(x, x, MPFR_RNDN);
	mpfr_mul(out, out, x, MPFR_RNDN);
	mpfr_clear(x);
}

double sotto_gaussian_steps(mpq_srcptr mu2, double epsilon)
{
	double mu = sqrt(mpq_get_d(mu2));
	double bits = (double)precision(mu, mu / 2 + epsilon / mu, epsilon);

	if (mu / 2 - epsilon / mu > FAR)
		return 1;
	return SOTTO_WORK_PRECISE * (1 + pow(bits / 400, 1.6));
}

void sotto_gaussian_log_delta(mpq_srcptr mu2, double epsilon, double *log_low, double *log_high)
{
	double mu = sqrt(mpq_get_d(mu2));
	mpfr_t a, b, x, y;

	*log_low = -INFINITY;
	*log_high = 0;
	if (mu / 2 - epsilon / mu > FAR) { /* delta is 1 but for exp(-FAR^2/2) */
		*log_low = -1e-300;
		return;
	}
	mpfr_inits2(precision(mu, mu / 2 + epsilon / mu, epsilon), a, b, x, y, (mpfr_ptr)0);
	arguments(a, b, mu2, epsilon);
	ratio(x, a);
	ratio(y, b);
	mpfr_sub(x, x, y, MPFR_RNDN); /* delta = density(a) (ratio(a) - ratio(b)) */
	mpfr_log(x, x, MPFR_RNDN);
	log_density(y, a);
	mpfr_add(x, x, y, MPFR_RNDN);
	mpfr_set_ui_2exp(b, 1, -90, MPFR_RNDU);
	mpfr_sub(y, x, b, MPFR_RNDD);
	mpfr_add(x, x, b, MPFR_RNDU);
	if (!mpfr_nan_p(x)) {
		*log_low = sotto_real_double_down(y);
		*log_high = fmin(0, sotto_real_double_up(x));
	}
	mpfr_clears(a, b, x, y, (mpfr_ptr)0);
}
