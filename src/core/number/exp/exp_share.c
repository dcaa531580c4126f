/*
 * Computes the share from exp(-x) rounded down and up, and doubles the precision until both
 * give the same digits.
 */
#include "core/number/exp/exp_share.h"

#include <assert.h>
#include <stdbool.h>

#include "core/number/exp/expansion.h"

/* floor(2^bits / (1 + ratio e / 2^working)) */
static void
share_of(const mpq_t ratio, const mpz_t e, unsigned working, unsigned bits, mpz_t out)
{
	mpz_t below;

	/* 2^bits den 2^working / (den 2^working + num e) */
	mpz_init(below);
	mpz_mul_2exp(out, mpq_denref(ratio), working);
	mpz_mul(below, mpq_numref(ratio), e);
	mpz_add(below, below, out);
	mpz_mul_2exp(out, out, bits);
	mpz_fdiv_q(out, out, below);
	mpz_clear(below);
}

void sotto_share_floor(const mpq_t x, const mpq_t ratio, unsigned bits, mpz_t out)
{
	unsigned working = bits + 64;
	bool agree = false;
	mpz_t e, high;

	assert(mpq_sgn(x) > 0 && mpq_sgn(ratio) > 0);
	mpz_inits(e, high, NULL);
	for (; !agree; working *= 2) {
		sotto_expansion_floor(SOTTO_EXPANSION_EXP, x, working, e);
		share_of(ratio, e, working, bits, high);
		mpz_add_ui(e, e, 1);
		share_of(ratio, e, working, bits, out);
		agree = mpz_cmp(out, high) == 0;
	}
	mpz_clears(e, high, NULL);
}

uint64_t sotto_share_word(const mpq_t x, const mpq_t ratio, unsigned offset)
{
	uint64_t word;
	mpz_t digits;

	mpz_init(digits);
	sotto_share_floor(x, ratio, offset + 64, digits);
	mpz_fdiv_r_2exp(digits, digits, 64);
	word = mpz_get_ui(digits);
	mpz_clear(digits);
	return word;
}
