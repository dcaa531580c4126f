/* Coins whose probability is a fraction.  The coin of exp(-x) is in bernoulli_exp.c. */
#include "core/random/coin/bernoulli.h"

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/wide.h"
#include "core/number/rational/rational_value.h"
#include "core/random/generator/random_source.h"

#define RATIO_WORD uint64_t
#define RATIO_WORD_BITS 64
#define RATIO_WIDE sotto_u128
#define RATIO_SOURCE struct sotto_rng
#define ratio_word sotto_source_word

#include "core/random/coin/ratio_kernel.h"

enum sotto_status
sotto_bernoulli_ratio(struct sotto_rng *rng, uint64_t num, uint64_t den, bool *out)
{
	if (den == 0 || num > den)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	if (num == den) {
		*out = true;
		return SOTTO_OK;
	}
	return ratio_above_random(rng, num, den, out);
}

/* The same for fractions of any size: rest < den, so the digits always fit a word. */
static enum sotto_status
big_ratio_above_random(struct sotto_rng *rng, mpz_t rest, const mpz_t den, bool *out)
{
	enum sotto_status st;
	uint64_t random = 0, digits;
	bool undecided;
	mpz_t quotient;

	_Static_assert(sizeof(unsigned long) == 8, "mpz_get_ui gives 64 bits");
	mpz_init(quotient);
	do {
		mpz_mul_2exp(rest, rest, 64);
		mpz_fdiv_qr(quotient, rest, rest, den);
		digits = mpz_get_ui(quotient);
		st = sotto_source_word(rng, &random);
		/* With probability 2^-64. */
		undecided = random == digits;
		SOTTO_DECLASSIFY(undecided);
	} while (st == SOTTO_OK && undecided && mpz_sgn(rest) != 0);
	if (st == SOTTO_OK)
		*out = random < digits;
	mpz_clear(quotient);
	return st;
}

enum sotto_status
sotto_bernoulli_rational(struct sotto_rng *rng, const struct sotto_rational *p, bool *out)
{
	if (!rng || !p || !out)
		return SOTTO_EINVAL;
	p = sotto_rational_settled(p);

	enum sotto_status st;
	mpz_t rest;

	if (mpq_sgn(p->q) < 0 || mpq_cmp_ui(p->q, 1, 1) > 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	if (mpq_cmp_ui(p->q, 1, 1) == 0) {
		*out = true;
		return SOTTO_OK;
	}
	mpz_init_set(rest, mpq_numref(p->q));
	st = big_ratio_above_random(rng, rest, mpq_denref(p->q), out);
	mpz_clear(rest);
	return st;
}
