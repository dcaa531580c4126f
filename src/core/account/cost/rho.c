/*
 * Closed forms in MPFR, widened upwards at the end; below 2^-64, where they cancel, epsilon^2/2
 * (or /8) bounds them.
 */
#include "core/account/cost/rho.h"

#include <stdbool.h>

#include "core/account/integral/real.h"

/*
 * Below 2^-64 the closed forms cancel, but all four are at most epsilon^2/2 and
 * that is above them by less than a relative 2^-62.
 */
static bool small_case(mpfr_t rho, mpq_srcptr epsilon)
{
	if (mpq_sgn(epsilon) == 0) {
		mpfr_set_zero(rho, 1);
		return true;
	}
	mpfr_set_q(rho, epsilon, MPFR_RNDU);
	if (mpfr_cmp_ui_2exp(rho, 1, -64) >= 0)
		return false;
	mpfr_sqr(rho, rho, MPFR_RNDU);
	mpfr_div_2ui(rho, rho, 1, MPFR_RNDU);
	return true;
}

void sotto_rho_pure_up(mpfr_t rho, mpq_srcptr epsilon)
{
	mpfr_t t;

	if (small_case(rho, epsilon))
		return;
	mpfr_init2(t, mpfr_get_prec(rho));
	mpfr_div_2ui(t, rho, 1, MPFR_RNDU);
	mpfr_tanh(t, t, MPFR_RNDU);
	mpfr_mul(rho, rho, t, MPFR_RNDU);
	mpfr_clear(t);
}

/* log(exp(x) - 1) = x + log(1 - exp(-x)): no overflow for any x > 0 */
static void log_expm1(mpfr_t r, const mpfr_t x)
{
	mpfr_neg(r, x, MPFR_RNDN);
	mpfr_expm1(r, r, MPFR_RNDN);
	mpfr_neg(r, r, MPFR_RNDN);
	mpfr_log(r, r, MPFR_RNDN);
	mpfr_add(r, r, x, MPFR_RNDN);
}

void sotto_rho_bounded_range_up(mpfr_t rho, mpq_srcptr epsilon)
{
	mpfr_t y, x;

	if (small_case(rho, epsilon)) {
		mpfr_div_2ui(rho, rho, 2, MPFR_RNDU); /* epsilon^2/8 */
		return;
	}
	mpfr_inits2(mpfr_get_prec(rho), x, y, (mpfr_ptr)0);
	mpfr_set(x, rho, MPFR_RNDN);
	log_expm1(rho, x);
	mpfr_neg(y, rho, MPFR_RNDN);
	mpfr_exp(y, y, MPFR_RNDN);
	mpfr_mul(y, x, y, MPFR_RNDN);
	mpfr_log(x, x, MPFR_RNDN);
	mpfr_sub(rho, rho, x, MPFR_RNDN);
	mpfr_add(rho, rho, y, MPFR_RNDN);
	mpfr_sub_ui(rho, rho, 1, MPFR_RNDN);
	mpfr_set_ui(y, 1, MPFR_RNDN);
	mpfr_abs(x, x, MPFR_RNDN);
	mpfr_add(y, y, x, MPFR_RNDN);
	mpfr_add(y, y, rho, MPFR_RNDN);
	sotto_real_widen_up(rho, y);
	mpfr_clears(x, y, (mpfr_ptr)0);
}

void sotto_rho_laplace_up(mpfr_t rho, mpq_srcptr epsilon)
{
	mpfr_t e;

	if (small_case(rho, epsilon))
		return;
	mpfr_init2(e, mpfr_get_prec(rho));
	mpfr_neg(e, rho, MPFR_RNDN);
	mpfr_expm1(e, e, MPFR_RNDN);
	mpfr_add(rho, rho, e, MPFR_RNDU);
	mpfr_set_ui(e, 1, MPFR_RNDN);
	sotto_real_widen_up(rho, e);
	mpfr_clear(e);
}

void sotto_rho_geometric_up(mpfr_t rho, mpq_srcptr a, const mpz_t steps)
{
	mpfr_t an, ratio, scale;
	mpq_t epsilon;

	mpq_init(epsilon);
	mpq_set_z(epsilon, steps);
	mpq_mul(epsilon, epsilon, a);
	if (small_case(rho, epsilon)) {
		mpq_clear(epsilon);
		return;
	}
	mpfr_inits2(mpfr_get_prec(rho), an, ratio, scale, (mpfr_ptr)0);
	mpfr_set_q(an, epsilon, MPFR_RNDN);
	mpfr_set_q(ratio, a, MPFR_RNDN);
	mpfr_sinh(rho, ratio, MPFR_RNDN);
	mpfr_div(ratio, ratio, rho, MPFR_RNDN);
	mpfr_neg(rho, an, MPFR_RNDN);
	mpfr_expm1(rho, rho, MPFR_RNDN);
	mpfr_mul(rho, rho, ratio, MPFR_RNDN);
	mpfr_add(rho, rho, an, MPFR_RNDN);
	mpfr_add_ui(scale, an, 1, MPFR_RNDN);
	sotto_real_widen_up(rho, scale);
	mpfr_clears(an, ratio, scale, (mpfr_ptr)0);
	mpq_clear(epsilon);
}
