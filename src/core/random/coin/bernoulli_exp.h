/*
 * bernoulli_exp.h - continues a comparison with exp(-x) that the first digits did not decide
 *
 * Samplers almost always decide on the first digits of a uniform number.  Here the others
 * continue with the same digits, for as long as it takes.
 */
#ifndef SOTTO_BERNOULLI_EXP_H
#define SOTTO_BERNOULLI_EXP_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/wide.h"
#include "core/number/exp/exp_enclosure.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * True if the first 64 digits of u, the word, decide whether u < exp(-x); *below is then the
 * answer.
 */
static inline bool
sotto_exp_word_decides(struct sotto_exp_enclosure e, uint64_t word, bool *below)
{
	const unsigned spare = SOTTO_EXP_SCALE - 64;
	bool above = (sotto_u128)word << spare >= e.high;

	*below = ((sotto_u128)word + 1) << spare <= e.low;
	return *below | above;
}

/* The probability p = (num/den) exp(-x); x >= 0, 0 < p <= 1. */
struct sotto_scaled_exp {
	mpq_t x;
	uint64_t num, den;
};

/*
 * Sets *out = [u < p] for the uniform u whose first `bits` binary digits are `digits`; further
 * digits are the next words of rng, as many as it takes.
 *
 * Fails:    SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_scaled_exp_settle(const struct sotto_scaled_exp *p, struct sotto_rng *rng,
			sotto_u128 digits, unsigned bits, bool *out);

#endif
