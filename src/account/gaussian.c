#include "account/gaussian.h"

#include <math.h>
#include <mpfr.h>

#include "account/real.h"

/* Bits that survive cancellation, and those that it may cost (gaussian.md). */
static mpfr_prec_t precision(double mu, double a, double epsilon)
{
	double lost = 2 * fabs(log2(mu)) + 4 * log2(fabs(a) + 2) + log2(epsilon + 2);

	return (mpfr_prec_t)(160 + fmin(lost, 20000));
}

/* x = Phi(t) = erfc(-t/sqrt 2)/2 */
static void normal_cdf(mpfr_t x, const mpfr_t t)
{
	mpfr_t root;

	mpfr_init2(root, mpfr_get_prec(x));
	mpfr_sqrt_ui(root, 2, MPFR_RNDN);
	mpfr_div(root, t, root, MPFR_RNDN);
	mpfr_neg(root, root, MPFR_RNDN);
	mpfr_erfc(x, root, MPFR_RNDN);
	mpfr_div_2ui(x, x, 1, MPFR_RNDN);
	mpfr_clear(root);
}

/* a = mu/2 - epsilon/mu, b = -mu/2 - epsilon/mu */
static void arguments(mpfr_t a, mpfr_t b, const mpq_t mu2, double epsilon)
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

void sotto_gaussian_log_delta(const mpq_t mu2, double epsilon, double *log_low,
			      double *log_high)
{
	double mu = sqrt(mpq_get_d(mu2)), rough = mu / 2 - epsilon / mu;
	mpfr_t a, b, x, y;

	if (!(rough > -4e8)) {
		*log_low = -INFINITY;
		*log_high = rough > -1e154 ? -0.5 * rough * rough * (1 - 1e-12) : -1e308;
		return;
	}
	mpfr_inits2(precision(mu, rough, epsilon), a, b, x, y, (mpfr_ptr)0);
	arguments(a, b, mu2, epsilon);
	normal_cdf(x, a);
	normal_cdf(y, b);
	mpfr_set_d(a, epsilon, MPFR_RNDN);
	mpfr_exp(a, a, MPFR_RNDN);
	mpfr_mul(y, y, a, MPFR_RNDN);
	mpfr_sub(x, x, y, MPFR_RNDN);
	mpfr_log(x, x, MPFR_RNDN);
	mpfr_set_ui_2exp(b, 1, -100, MPFR_RNDU);
	mpfr_sub(y, x, b, MPFR_RNDD);
	mpfr_add(x, x, b, MPFR_RNDU);
	*log_low = sotto_real_double_down(y);
	*log_high = fmin(0, sotto_real_double_up(x));
	mpfr_clears(a, b, x, y, (mpfr_ptr)0);
}
