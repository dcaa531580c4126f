/*
 * Bounds the value on both sides with MPFR, and doubles the precision until the digits asked
 * for agree.
 */
#include "core/number/exp/expansion.h"

#include <assert.h>
#include <mpfr.h>
#include <stdbool.h>

/*
 * A bound of the value on the side of rnd.  Both kinds fall as x grows, so a
 * bound below takes x rounded up, and each later step keeps the side.
 */
static void bound(enum sotto_expansion kind, const mpq_t x, mpfr_rnd_t rnd, mpfr_t out)
{
	mpfr_rnd_t other = rnd == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;

	mpfr_set_q(out, x, other);
	if (kind == SOTTO_EXPANSION_EXP) {
		mpfr_neg(out, out, MPFR_RNDN);
		mpfr_exp(out, out, rnd);
	} else {
		mpfr_exp(out, out, other);
		mpfr_add_ui(out, out, 1, other);
		mpfr_ui_div(out, 1, out, rnd);
	}
}

static void floor_scaled(mpfr_t value, unsigned bits, mpz_t out)
{
	mpfr_mul_2ui(value, value, bits, MPFR_RNDN); /* exact */
	mpfr_get_z(out, value, MPFR_RNDD);
}

void sotto_expansion_floor(enum sotto_expansion kind, const mpq_t x, unsigned bits, mpz_t out)
{
	mpfr_prec_t precision = (mpfr_prec_t)bits + 64;
	bool agree = false;
	mpfr_t value;
	mpz_t high;

	assert(mpq_sgn(x) > 0);
	mpfr_init2(value, precision);
	mpz_init(high);
	for (; !agree; precision *= 2) {
		mpfr_set_prec(value, precision);
		bound(kind, x, MPFR_RNDD, value);
		floor_scaled(value, bits, out);
		bound(kind, x, MPFR_RNDU, value);
		floor_scaled(value, bits, high);
		agree = mpz_cmp(out, high) == 0;
	}
	mpz_clear(high);
	mpfr_clear(value);
}

/* floor(num z / (den 2^shift)) */
static void scale(mpz_t z, uint64_t num, uint64_t den, unsigned shift)
{
	mpz_mul_ui(z, z, num);
	mpz_fdiv_q_ui(z, z, den);
	mpz_fdiv_q_2exp(z, z, shift);
}

void sotto_expansion_scaled_floor(const mpq_t x, uint64_t num, uint64_t den, unsigned bits,
				  mpz_t out)
{
	unsigned guard = 64;
	bool agree = false;
	mpz_t high;

	mpz_init(high);
	if (mpq_sgn(x) == 0) {
		mpz_set_ui(out, 1);
		mpz_mul_2exp(out, out, bits);
		scale(out, num, den, 0);
		agree = true;
	}
	for (; !agree; guard *= 2) {
		sotto_expansion_floor(SOTTO_EXPANSION_EXP, x, bits + guard, out);
		mpz_add_ui(high, out, 1);
		scale(out, num, den, guard);
		scale(high, num, den, guard);
		agree = mpz_cmp(out, high) == 0;
	}
	mpz_clear(high);
}

uint64_t sotto_expansion_word(enum sotto_expansion kind, const mpq_t x, unsigned offset)
{
	uint64_t word;
	mpz_t digits;

	_Static_assert(sizeof(unsigned long) == 8, "mpz_get_ui gives 64 bits");
	mpz_init(digits);
	sotto_expansion_floor(kind, x, offset + 64, digits);
	mpz_fdiv_r_2exp(digits, digits, 64);
	word = mpz_get_ui(digits);
	mpz_clear(digits);
	return word;
}
