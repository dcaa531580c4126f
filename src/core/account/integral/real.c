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

/* A denominator of more bits is not made; what is rounded keeps so many. */
enum { SUM_BITS_MAX = 4096, SUM_BITS = 2048 };

/* q as a multiple of a power of 2, rounded up */
static void shorten_up(mpq_t q)
{
	mpfr_t x;

	mpfr_init2(x, SUM_BITS);
	mpfr_set_q(x, q, MPFR_RNDU);
	mpfr_get_q(q, x);
	mpfr_clear(x);
}

void sotto_real_add_up(mpq_t sum, mpq_srcptr x, uint64_t count)
{
	mpq_t part;

	if (mpq_sgn(x) == 0)
		return;
	mpq_init(part);
	mpq_set_ui(part, count, 1);
	mpq_mul(part, part, x);
	if (mpz_sizeinbase(mpq_denref(sum), 2) + mpz_sizeinbase(mpq_denref(part), 2) >
	    SUM_BITS_MAX) {
		shorten_up(part);
		shorten_up(sum);
	}
	mpq_add(sum, sum, part);
	mpq_clear(part);
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
