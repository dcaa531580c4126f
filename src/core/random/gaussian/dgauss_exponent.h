/*
 * dgauss_exponent.h - computes x = a y^2 - b abs(y) + c in fixed point, in fixed time
 *
 * For a candidate of bulk draws x = y^2 / (2 sigma2); for one of single draws x = (abs(y) -
 * sigma2 / t)^2 / (2 sigma2).  In both cases exp(-x) is a factor of the probability that the
 * candidate is accepted.
 */
#ifndef SOTTO_DGAUSS_EXPONENT_H
#define SOTTO_DGAUSS_EXPONENT_H

#include <gmp.h>
#include <stdint.h>

#include "core/base/wide.h"
#include "core/number/exp/exp_enclosure.h"
#include "core/number/exp/fixed_point.h"

enum { SOTTO_DGAUSS_SLACK = 16 };

struct sotto_dgauss_exponent {
	/* abs(y) < 2^bits; larger y are 16 sigma away, and x is above 112. */
	unsigned bits;
	/* a 4^bits, b 2^bits and c in units of 2^-118; c is raised so that x is not negative */
	sotto_u128 square, linear, constant;
};

/* Prepares the law; t = 0 for bulk draws (b = c = 0). */
void sotto_dgauss_exponent_init(struct sotto_dgauss_exponent *e, const mpq_t sigma2,
				const mpz_t t);

/* Returns x, not negative, to within SOTTO_DGAUSS_SLACK units of 2^-118.  magnitude < 2^bits. */
static inline sotto_u128
sotto_dgauss_exponent_at(const struct sotto_dgauss_exponent *e, uint64_t magnitude)
{
	/* In two steps, because bits may be 0 (and the magnitude is then 0 too). */
	uint64_t part = magnitude << 1 << (63 - e->bits);

	return sotto_fixed_product((sotto_u128)part * part, e->square) + e->constant -
	       sotto_fixed_product((sotto_u128)part << 64, e->linear);
}

/* Computes the same as a fraction: a y^2 - b abs(y) + c. */
void sotto_dgauss_exponent_exact(const mpq_t sigma2, const mpz_t t, uint64_t magnitude,
				 mpq_t out);

#endif
