/*
 * The gap between both epsilons is rounded to each side before expm1 and log, whose few ulps
 * are then added.
 */
#include "core/account/loss/laplace/laplace_curve.h"

#include <math.h>

#include "core/account/integral/real.h"

/* epsilon0 - epsilon, rounded down or up as the direction says */
static double gap(mpq_srcptr epsilon0, double epsilon, mpfr_rnd_t direction)
{
	mpfr_t x;
	double d;

	mpfr_init2(x, 160);
	mpfr_set_q(x, epsilon0, direction);
	mpfr_sub_d(x, x, epsilon, direction);
	d = mpfr_get_d(x, direction);
	mpfr_clear(x);
	return d;
}

void sotto_laplace_once_delta(mpq_srcptr epsilon0, double epsilon, double *log_low,
			      double *log_high)
{
	double low = gap(epsilon0, epsilon, MPFR_RNDD),
	       high = gap(epsilon0, epsilon, MPFR_RNDU);

	*log_low = *log_high = -INFINITY;
	if (high > 0) /* 4 ulps each of expm1 and of log */
		*log_high = fmin(0, log(-expm1(-high / 2)) + 0x1p-50);
	if (low > 0)
		*log_low = log(-expm1(-low / 2)) - 0x1p-50;
	*log_high = fmin(0, sotto_ulps_up(*log_high, 4));
	*log_low = sotto_ulps_down(*log_low, 4);
}

void sotto_laplace_once_epsilon(mpq_srcptr epsilon0, const mpfr_t delta, double *lower,
				double *upper)
{
	mpfr_t fall, low, high;

	mpfr_inits2(REAL_BITS, fall, low, high, (mpfr_ptr)0);
	mpfr_neg(fall, delta, MPFR_RNDN);
	mpfr_log1p(fall, fall, MPFR_RNDN);
	mpfr_mul_2ui(fall, fall, 1, MPFR_RNDN);
	mpfr_set_q(low, epsilon0, MPFR_RNDD);
	mpfr_set_q(high, epsilon0, MPFR_RNDU);
	mpfr_add(low, low, fall, MPFR_RNDD);
	mpfr_add(high, high, fall, MPFR_RNDU);
	if (!mpfr_zero_p(fall)) { /* without delta the parameter itself is the answer */
		sotto_real_widen_down(low, fall);
		sotto_real_widen_up(high, fall);
	}
	*lower = fmax(0, sotto_real_double_down(low));
	*upper = fmax(0, sotto_real_double_up(high));
	mpfr_clears(fall, low, high, (mpfr_ptr)0);
}
