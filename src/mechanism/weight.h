/*
 * weight.h - exp(-rate m) for whole numbers m, as fixed-point bounds
 *
 * The weights of the exponential mechanism and of permute-and-flip.  The first
 * look is 127 binary digits with a counted error, the same time for every m; who
 * needs more asks for any number of digits.  Argument: weight.md.
 */
#ifndef SOTTO_MECHANISM_WEIGHT_H
#define SOTTO_MECHANISM_WEIGHT_H

#include <gmp.h>
#include <stdint.h>

#include "base/wide.h"

enum {
	SOTTO_WEIGHT_DIGITS = 127,
	SOTTO_WEIGHT_POWERS = 64,
	SOTTO_WEIGHT_ERROR = 5 * SOTTO_WEIGHT_POWERS + 1,
};

struct sotto_weight {
	unsigned count; /* m >= 2^count (if count < 64) has a weight below 2^-127 */
	sotto_u128 power[SOTTO_WEIGHT_POWERS]; /* floor(2^127 exp(-rate 2^k)) */
	mpq_t rate;
};

/* rate > 0. */
void sotto_weight_init(struct sotto_weight *w, const mpq_t rate);
void sotto_weight_release(struct sotto_weight *w);

/* A number with down <= 2^127 exp(-rate m) < down + SOTTO_WEIGHT_ERROR; 2^127 for m = 0. */
sotto_u128 sotto_weight_down(const struct sotto_weight *w, uint64_t m);

/* floor(2^digits exp(-rate m)), exactly. */
void sotto_weight_floor(const struct sotto_weight *w, uint64_t m, unsigned digits, mpz_t out);

#endif
