/*
 * Subtracts two Mills ratios in MPFR, with as many more bits as the cancellation can cost.
 */
#include "core/account/loss/gaussian_curve.h"

#include <math.h>
#include <mpfr.h>

#include "core/account/integral/real.h"
#include "core/account/integral/work.h"
#include "core/account/loss/mills_ratio.h"

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

double sotto_gaussian_steps(mpq_srcptr mu2, double epsilon)
{
	double mu = sqrt(mpq_get_d(mu2));
	double bits = (double)precision(mu, mu / 2 + epsilon / mu, epsilon);

	if (mu / 2 - epsilon / mu > SOTTO_MILLS_FAR)
		return 1;
	return 0.5 * SOTTO_WORK_PRECISE * (1 + pow(bits / 400, 1.6));
}

void sotto_gaussian_log_delta(mpq_srcptr mu2, double epsilon, double *log_low, double *log_high)
{
	double mu = sqrt(mpq_get_d(mu2));
	mpfr_t a, b, x, y;

	*log_low = -INFINITY;
	*log_high = 0;
	if (mu / 2 - epsilon / mu >
	    SOTTO_MILLS_FAR) { /* delta is 1 but for exp(-SOTTO_MILLS_FAR^2/2) */
		*log_low = -1e-300;
		return;
	}
	mpfr_inits2(precision(mu, mu / 2 + epsilon / mu, epsilon), a, b, x, y, (mpfr_ptr)0);
	arguments(a, b, mu2, epsilon);
	sotto_mills_ratio(x, a);
	sotto_mills_ratio(y, b);
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
