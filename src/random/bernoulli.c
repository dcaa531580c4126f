/* Coins whose probability is a fraction.  The coin of exp(-x) is in bernoulli_exp.c. */
#include "sotto/bernoulli.h"

#include "base/failure.h"
#include "base/wide.h"
#include "random/source.h"

/*
 * Compares random digits with the digits of num/den, a word of each at a time;
 * long division gives the next word when they are equal.  num < den.
 */
static enum sotto_status
below_ratio(struct sotto_rng *rng, uint64_t num, uint64_t den, bool *out)
{
	uint64_t random, digits;

	do {
		sotto_u128 shifted = (sotto_u128)num << 64;

		digits = (uint64_t)(shifted / den);
		num = (uint64_t)(shifted % den);
		SOTTO_TRY(sotto_source_word(rng, &random));
	} while (random == digits && num != 0);
	*out = random < digits;
	return SOTTO_OK;
}

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
	return below_ratio(rng, num, den, out);
}

/* The same for fractions of any size. */
static enum sotto_status
below_big_ratio(struct sotto_rng *rng, mpz_t rest, const mpz_t den, bool *out)
{
	enum sotto_status st;
	uint64_t random = 0;
	mpz_t digits;

	mpz_init(digits);
	do {
		mpz_mul_2exp(rest, rest, 64);
		mpz_fdiv_qr(digits, rest, rest, den);
		st = sotto_source_word(rng, &random);
	} while (st == SOTTO_OK && mpz_cmp_ui(digits, random) == 0 && mpz_sgn(rest) != 0);
	if (st == SOTTO_OK)
		*out = mpz_cmp_ui(digits, random) > 0;
	mpz_clear(digits);
	return st;
}

enum sotto_status
sotto_bernoulli_rational(struct sotto_rng *rng, const struct sotto_rational *p, bool *out)
{
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
	st = below_big_ratio(rng, rest, mpq_denref(p->q), out);
	mpz_clear(rest);
	return st;
}
