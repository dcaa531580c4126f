/*
 * nearest.h - the double nearest to a fraction
 *
 * For values that are shown, and for constants whose rounding is harmless;
 * never for a privacy parameter.  (mpq_get_d cuts towards zero: 0.01 would
 * become the double below it.)
 */
#ifndef SOTTO_NUMBER_NEAREST_H
#define SOTTO_NUMBER_NEAREST_H

#include <gmp.h>
#include <mpfr.h>

static inline double sotto_nearest_double(const mpq_t q)
{
	double d;
	mpfr_t x;

	mpfr_init2(x, 53);
	mpfr_set_q(x, q, MPFR_RNDN);
	d = mpfr_get_d(x, MPFR_RNDN);
	mpfr_clear(x);
	return d;
}

#endif
