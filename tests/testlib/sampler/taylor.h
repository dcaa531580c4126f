/*
 * taylor.h - binary digits of exp(-x) and 1/(1 + exp(x)), a second time
 *
 * Written without MPFR and without a look at src/core/number/exp/expansion.c: Taylor's
 * series in GMP integers, each step rounded outward, the rest of the series
 * bounded.  Arithmetic is where exact code fails, so it is done twice.
 */
#ifndef SOTTO_TESTS_TAYLOR_H
#define SOTTO_TESTS_TAYLOR_H

#include <gmp.h>

/* floor(2^bits exp(-x)) for a rational x > 0 */
void taylor_exp_digits(const mpq_t x, unsigned bits, mpz_t out);

/* floor(2^bits / (1 + exp(x))) */
void taylor_logistic_digits(const mpq_t x, unsigned bits, mpz_t out);

#endif
