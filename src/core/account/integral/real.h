/*
 * real.h - high-precision evaluation of costs, rounded to the named side
 *
 * Work is done at REAL_BITS with rounding to nearest; every formula here loses far fewer than
 * REAL_GUARD bits to cancellation and accumulation, so moving a result outwards by 2^-REAL_GUARD
 * of its largest term makes it a bound.
 */
#ifndef SOTTO_REAL_H
#define SOTTO_REAL_H

#include <mpfr.h>
#include <stdint.h>

#include "sotto/rational.h"

enum { REAL_BITS = 640, REAL_GUARD = 256 };

/* Return the nearest double at or above (below) x; infinities pass. */
double sotto_real_double_up(const mpfr_t x);
double sotto_real_double_down(const mpfr_t x);

/* r = x rounded up to a multiple of 2^-bits; x must be finite. */
void sotto_real_rational_up(struct sotto_rational *r, const mpfr_t x, unsigned bits);

/*
 * Adds count x, x >= 0, to a sum of such.  It is exact until denominators would pass some thousand bits;
 * from then on it is too large, relatively by 2^-2000 at most, so that a long list of fractions takes no
 * longer than a list of decimals.
 */
void sotto_real_add_up(mpq_t sum, mpq_srcptr x, uint64_t count);

/* Compute x += 2^-REAL_GUARD |scale| (or -=). */
void sotto_real_widen_up(mpfr_t x, const mpfr_t scale);
void sotto_real_widen_down(mpfr_t x, const mpfr_t scale);

/* Return the double next to x on the named side. */
double sotto_next_up(double x);
double sotto_next_down(double x);

/* Return x moved up (down) by n units in the last place. */
double sotto_ulps_up(double x, unsigned n);
double sotto_ulps_down(double x, unsigned n);

#endif
