/*
 * gauss_sum.h - certified sums of exp(-y^2 / (2s)) over integers
 *
 * These are the tails and the normaliser of the discrete Gaussian with sigma2 = s, for any s from
 * 2^-20 to 2^96 and any start, in time that does not grow with s.  Formulas and remainders:
 * gauss_sum.md.
 */
#ifndef SOTTO_GAUSS_SUM_H
#define SOTTO_GAUSS_SUM_H

#include <gmp.h>

#include "core/number/enclosure.h"

/* Encloses the sum over y >= m, where m > 0, to about `bits` bits of the first term. */
void sotto_gauss_sum_tail(struct sotto_enclosure *out, const mpz_t m, const mpq_t s,
			  unsigned bits);

/* Encloses the sum over all integers. */
void sotto_gauss_sum_total(struct sotto_enclosure *out, const mpq_t s, unsigned bits);

#endif
