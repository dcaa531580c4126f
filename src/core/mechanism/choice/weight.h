/*
 * weight.h - fixed-point bounds on exp(-rate m) for whole numbers m
 *
 * These are the weights of the exponential mechanism and of permute-and-flip.  The first look has
 * 128 binary digits with a counted error and takes the same time for every m; a caller that needs
 * more can ask for any number of digits.  Argument: weight.md.
 */
#ifndef SOTTO_WEIGHT_H
#define SOTTO_WEIGHT_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/wide.h"

enum {
	SOTTO_WEIGHT_DIGITS = 128,
	SOTTO_WEIGHT_POWERS = 64,
	SOTTO_WEIGHT_ERROR = 4 * SOTTO_WEIGHT_POWERS + 2,
};

struct sotto_weight {
	unsigned count; /* m >= 2^count (if count < 64) has a weight below 2^-128 */
	sotto_u128 power[SOTTO_WEIGHT_POWERS]; /* floor(2^128 exp(-rate 2^k)) */
	mpq_t rate;
};

/* Prepares the weights; rate > 0. */
void sotto_weight_init(struct sotto_weight *w, const mpq_t rate);
void sotto_weight_release(struct sotto_weight *w);

/*
 * Returns a number with down <= 2^128 exp(-rate m) < down + SOTTO_WEIGHT_ERROR; 2^128 - 1 for m =
 * 0.
 */
sotto_u128 sotto_weight_down(const struct sotto_weight *w, uint64_t m);

/* Does the same for n numbers, faster. */
void sotto_weight_down_all(const struct sotto_weight *w, const uint64_t *m, sotto_u128 *out,
			   size_t n);

/* Computes floor(2^digits exp(-rate m)) exactly. */
void sotto_weight_floor(const struct sotto_weight *w, uint64_t m, unsigned digits, mpz_t out);

#endif
