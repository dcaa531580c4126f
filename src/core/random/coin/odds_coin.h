/*
 * odds_coin.h - a coin that is true with probability exactly 1/(1 + ratio exp(-x))
 */
#ifndef SOTTO_ODDS_COIN_H
#define SOTTO_ODDS_COIN_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_odds_coin {
	uint64_t first; /* digits 0..63 of the probability */
	mpq_t x;
	mpq_t ratio;
};

/* Prepares the coin.  x > 0, ratio > 0; both are copied. */
void sotto_odds_coin_init(struct sotto_odds_coin *c, const mpq_t x, const mpq_t ratio);
void sotto_odds_coin_release(struct sotto_odds_coin *c);

/*
 * Time:     one word, except with probability 2^-64.
 * Fails:    SOTTO_EENTROPY; *out is untouched.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_odds_coin_flip(const struct sotto_odds_coin *c, struct sotto_rng *rng, bool *out);

#endif
