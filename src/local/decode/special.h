/*
 * special.h - the few distribution functions that decoding needs
 *
 * Estimates are read by people: doubles are enough here, nothing private
 * depends on them.
 */
#ifndef SOTTO_SPECIAL_H
#define SOTTO_SPECIAL_H

#include <stdint.h>

/* P(chi-square of the given number of degrees exceeds x), however small; 1 for no degrees. */
double sotto_chi_square_tail(double x, double degrees);

/* P(Binomial(n, p) = k), P(... <= k). */
double sotto_binomial_mass(uint64_t n, double p, uint64_t k);
double sotto_binomial_at_most(uint64_t n, double p, int64_t k);

/* Clopper-Pearson: the probability whose one-sided tail at k of n is alpha. */
double sotto_binomial_low(uint64_t n, uint64_t k, double alpha);
double sotto_binomial_high(uint64_t n, uint64_t k, double alpha);

#endif
