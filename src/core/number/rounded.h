/*
 * rounded.h - computes real functions as rationals, rounded to a named side
 *
 * Each writes a multiple of 2^-digits on the named side of the true value and within 2^(1-digits)
 * of it.  out may be the argument.
 */
#ifndef SOTTO_ROUNDED_H
#define SOTTO_ROUNDED_H

#include <gmp.h>

/* ln x, x > 0 */
void sotto_log_down(mpq_t out, const mpq_t x, unsigned digits);
void sotto_log_up(mpq_t out, const mpq_t x, unsigned digits);

/* the square root and the cube root of x >= 0 */
void sotto_sqrt_up(mpq_t out, const mpq_t x, unsigned digits);
void sotto_cbrt_down(mpq_t out, const mpq_t x, unsigned digits);

#endif
