/*
 * Grids: multiplies by a power of 2 and takes floor or ceiling.  Doubles are moved outwards by
 * whole ulps, MPFR numbers by 2^-REAL_GUARD of their largest term.
 */
#include "core/account/integral/real.h"

#include <float.h>
#include <math.h>

double sotto_real_double_up(const mpfr_t x)
{
	return mpfr_get_d(x, MPFR_RNDU);
}

double sotto_real_double_down(const mpfr_t x)
{
	return mpfr_get_d(x, MPFR_RNDD);
}

void sotto_real_rational_up(struct sotto_rational *r, const mpfr_t x, unsigned bits)
{
	mpfr_t scaled;
	mpz_t n;

	mpfr_init2(scaled, mpfr_get_prec(x));
	mpz_init(n);
	mpfr_mul_2ui(scaled, x, bits, MPFR_RNDN); /* exact */
	mpfr_get_z(n, scaled, MPFR_RNDU);
	mpq_set_z(r->q, n);
	mpq_div_2exp(r->q, r->q, bits);
	mpz_clear(n);
	mpfr_clear(scaled);
}

static void widen(mpfr_t x, const mpfr_t scale, int sign)
{
	mpfr_t step;

	mpfr_init2(step, 64);
	mpfr_abs(step, scale, MPFR_RNDU);
	mpfr_div_2ui(step, step, REAL_GUARD, MPFR_RNDU);
	if (sign > 0)
		mpfr_add(x, x, step, MPFR_RNDU);
	else
		mpfr_sub(x, x, step, MPFR_RNDD);
	mpfr_clear(step);
}

void sotto_real_widen_up(mpfr_t x, const mpfr_t scale)
{
	widen(x, scale, 1);
}

void sotto_real_widen_down(mpfr_t x, const mpfr_t scale)
{
	widen(x, scale, -1);
}

double sotto_next_up(double x)
{
	return isinf(x) ? x : nextafter(x, INFINITY);
}

double sotto_next_down(double x)
{
	return isinf(x) ? x : nextafter(x, -INFINITY);
}

double sotto_ulps_up(double x, unsigned n)
{
	return isinf(x) ? x : sotto_next_up(x + n * DBL_EPSILON * fabs(x));
}

double sotto_ulps_down(double x, unsigned n)
{
	return isinf(x) ? x : sotto_next_down(x - n * DBL_EPSILON * fabs(x));
}
