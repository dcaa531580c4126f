/*
 * nearest.h - returns the double nearest to a fraction
 *
 * For values that are shown, and where the rounding is harmless or counted among the errors;
 * never for a privacy parameter itself.  (mpq_get_d truncates: 0.01 would become the double below
 * it.)
 */
#ifndef SOTTO_NEAREST_H
#define SOTTO_NEAREST_H

#include <gmp.h>
#include <mpfr.h>

/* True if both numbers are exact as doubles: by IEEE 754 their quotient is then the nearest. */
static inline int sotto_is_short_fraction(const mpq_t q)
{
	return mpz_sizeinbase(mpq_numref(q), 2) <= 53 && mpz_sizeinbase(mpq_denref(q), 2) <= 53;
}

static inline double sotto_nearest_double(const mpq_t q)
{
	double d;
	mpfr_t x;

	if (sotto_is_short_fraction(q))
		return mpz_get_d(mpq_numref(q)) / mpz_get_d(mpq_denref(q));
	mpfr_init2(x, 53);
	mpfr_set_q(x, q, MPFR_RNDN);
	d = mpfr_get_d(x, MPFR_RNDN);
	mpfr_clear(x);
	return d;
}

#endif
