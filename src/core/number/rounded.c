/*
 * Every function here grows with its argument, so the argument and the result are
 * rounded to the same side; the last cut goes that way too.
 */
#include "core/number/rounded.h"

#include <assert.h>
#include <mpfr.h>

typedef int (*real_function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

static void cut(mpq_t out, mpfr_t value, unsigned digits, mpfr_rnd_t side)
{
	mpfr_mul_2ui(value, value, digits, MPFR_RNDN); /* exact */
	mpfr_get_z(mpq_numref(out), value, side);
	mpz_set_ui(mpq_denref(out), 1);
	mpz_mul_2exp(mpq_denref(out), mpq_denref(out), digits);
	mpq_canonicalize(out);
}

/*
 * The precision that makes the two roundings small against 2^-digits: as many
 * digits before the point as the result may have, and room for the derivative.
 */
static mpfr_prec_t precision_of(const mpq_t x, unsigned digits)
{
	size_t bits = mpz_sizeinbase(mpq_numref(x), 2) + mpz_sizeinbase(mpq_denref(x), 2);

	return (mpfr_prec_t)(digits + bits + 64);
}

static void apply(mpq_t out, const mpq_t x, unsigned digits, real_function f, mpfr_rnd_t side)
{
	mpfr_t value;

	mpfr_init2(value, precision_of(x, digits));
	mpfr_set_q(value, x, side);
	(void)f(value, value, side);
	cut(out, value, digits, side);
	mpfr_clear(value);
}

void sotto_log_down(mpq_t out, const mpq_t x, unsigned digits)
{
	assert(mpq_sgn(x) > 0);
	apply(out, x, digits, mpfr_log, MPFR_RNDD);
}

void sotto_log_up(mpq_t out, const mpq_t x, unsigned digits)
{
	assert(mpq_sgn(x) > 0);
	apply(out, x, digits, mpfr_log, MPFR_RNDU);
}

void sotto_sqrt_up(mpq_t out, const mpq_t x, unsigned digits)
{
	assert(mpq_sgn(x) >= 0);
	apply(out, x, digits, mpfr_sqrt, MPFR_RNDU);
}

void sotto_cbrt_down(mpq_t out, const mpq_t x, unsigned digits)
{
	assert(mpq_sgn(x) >= 0);
	apply(out, x, digits, mpfr_cbrt, MPFR_RNDD);
}
