/*
 * Compares random words with the certified digits of the probability, the first of which are
 * computed once; equal words, which are rare, ask for more.
 */
#include "core/random/coin/odds_coin.h"

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/number/exp/exp_share.h"
#include "core/random/generator/random_source.h"

void sotto_odds_coin_init(struct sotto_odds_coin *c, const mpq_t x, const mpq_t ratio)
{
	mpq_init(c->x);
	mpq_init(c->ratio);
	mpq_set(c->x, x);
	mpq_set(c->ratio, ratio);
	c->first = sotto_share_word(x, ratio, 0);
}

void sotto_odds_coin_release(struct sotto_odds_coin *c)
{
	mpq_clear(c->x);
	mpq_clear(c->ratio);
}

enum sotto_status
sotto_odds_coin_flip(const struct sotto_odds_coin *c, struct sotto_rng *rng, bool *out)
{
	uint64_t random, digits = c->first;
	unsigned offset = 0;
	bool undecided;

	SOTTO_TRY(sotto_source_ready(rng));
	for (;;) {
		SOTTO_TRY(sotto_source_word(rng, &random));
		undecided = random == digits;
		SOTTO_DECLASSIFY(undecided); /* probability 2^-64 */
		if (__builtin_expect(!undecided, 1))
			break;
		offset += 64;
		digits = sotto_share_word(c->x, c->ratio, offset);
	}
	*out = random < digits;
	return SOTTO_OK;
}
