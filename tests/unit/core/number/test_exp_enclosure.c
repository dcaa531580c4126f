/*
 * exp(-x) between two integers: constants, bounds and widths, all against MPFR.
 *
 * The source is included once more under other names and with writable tables, so
 * that a wrong digit can be planted there and must be found.
 */
#include "core/number/exp/exp_enclosure.h"

#include <assert.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/number/exp/expansion.h"
#include "core/number/exp/fixed_point.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

#define const
#define sotto_exp_enclose copy_enclose
#define sotto_exp_enclose_word copy_enclose_word
#define sotto_exp_enclose_rational copy_enclose_rational
#include "core/number/exp/exp_enclosure.c"
#undef sotto_exp_enclose
#undef sotto_exp_enclose_word
#undef sotto_exp_enclose_rational
#undef const

struct grades {
	struct sotto_exp_enclosure (*wide)(sotto_u128 x, uint64_t slack);
	struct sotto_exp_word_enclosure (*word)(sotto_u128 x);
};
static const struct grades product = {sotto_exp_enclose, sotto_exp_enclose_word};
static const struct grades copy = {copy_enclose, copy_enclose_word};

enum { PRECISION = 192 };

/* A random argument; every fourth one next to a cut of the reduction. */
static sotto_u128 argument(uint64_t i)
{
	sotto_u128 x, cut;
	uint64_t r[4];

	tape_noise(i, (uint8_t *)r, sizeof r);
	x = ((sotto_u128)r[0] << 64 | r[1]) >> (r[2] % 118);
	if (i % 4 != 0)
		return x;
	cut = (value_of(ln2) >> 10) * (r[2] % 1400) + ((sotto_u128)(r[3] % 6) << 115);
	return cut + (sotto_u128)(r[0] % 64) - 32;
}

/* floor(2^scale exp(-(x + offset) 2^-118)) and one more, for an argument that is not negative. */
static void true_bounds(sotto_u128 x, int64_t offset, unsigned scale, mpz_t low, mpz_t high)
{
	mpfr_t v;

	mpfr_init2(v, PRECISION);
	sotto_fixed_to_mpz(x, low);
	mpfr_set_z(v, low, MPFR_RNDN);
	mpfr_add_si(v, v, (long)offset, MPFR_RNDN);
	if (mpfr_sgn(v) < 0)
		mpfr_set_zero(v, 1);
	mpfr_div_2ui(v, v, SOTTO_EXP_FRACTION, MPFR_RNDN);
	mpfr_neg(v, v, MPFR_RNDN);
	mpfr_exp(v, v, MPFR_RNDN);
	mpfr_mul_2ui(v, v, scale, MPFR_RNDN);
	mpfr_get_z(low, v, MPFR_RNDD);
	mpfr_get_z(high, v, MPFR_RNDU);
	mpfr_clear(v);
}

static bool
encloses(sotto_u128 low, sotto_u128 high, const mpz_t true_low, const mpz_t true_high)
{
	bool ok;
	mpz_t z;

	mpz_init(z);
	sotto_fixed_to_mpz(low, z);
	ok = mpz_cmp(z, true_low) <= 0;
	sotto_fixed_to_mpz(high, z);
	ok = ok && mpz_cmp(z, true_high) >= 0;
	mpz_clear(z);
	return ok;
}

static bool both_hold(const struct grades *g, sotto_u128 x)
{
	struct sotto_exp_enclosure wide = g->wide(x, 0);
	struct sotto_exp_word_enclosure word = g->word(x);
	bool ok;
	mpz_t low, high;

	mpz_inits(low, high, NULL);
	true_bounds(x, 0, SOTTO_EXP_SCALE, low, high);
	ok = encloses(wide.low, wide.high, low, high);
	mpz_fdiv_q_2exp(low, low, SOTTO_EXP_SCALE - SOTTO_EXP_WORD_SCALE);
	mpz_cdiv_q_2exp(high, high, SOTTO_EXP_SCALE - SOTTO_EXP_WORD_SCALE);
	ok = ok && encloses(word.low, word.high, low, high);
	mpz_clears(low, high, NULL);
	return ok;
}

static void bounds_hold_at_a_million_arguments_and_at_the_cuts(void)
{
	uint64_t points = getenv("SOTTO_LONG") ? 20000000 : 1000000, bad = 0;

	CHECK(both_hold(&product, 0));
	CHECK(both_hold(&product, 1));
	CHECK(both_hold(&product, ~(sotto_u128)0));
	for (uint64_t i = 0; i < points; i++)
		bad += !both_hold(&product, argument(i));
	CHECK_INT(bad, 0);
}

static void slack_widens_the_bounds_enough(void)
{
	static const uint64_t slacks[] = {1, 8, 1000, UINT64_C(1) << 32};
	uint64_t bad = 0;
	mpz_t low, high;

	mpz_inits(low, high, NULL);
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t slack = slacks[i % 4];
		sotto_u128 x = argument(i);
		struct sotto_exp_enclosure e = sotto_exp_enclose(x, slack);

		true_bounds(x, (int64_t)slack, SOTTO_EXP_SCALE, low, high);
		bad += !encloses(e.low, (sotto_u128)1 << SOTTO_EXP_SCALE, low, high);
		true_bounds(x, -(int64_t)slack, SOTTO_EXP_SCALE, low, high);
		bad += !encloses(0, e.high, low, high);
	}
	CHECK_INT(bad, 0);
	mpz_clears(low, high, NULL);
}

static void widths_are_as_narrow_as_promised(void)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < 100000; i++) {
		sotto_u128 x = argument(i), slack = i % 3;
		struct sotto_exp_enclosure wide = sotto_exp_enclose(x, (uint64_t)slack);
		struct sotto_exp_word_enclosure word = sotto_exp_enclose_word(x);
		double units = ldexp((double)x, -SOTTO_EXP_FRACTION) * M_LOG2E;
		unsigned k = units > 126 ? 126 : (unsigned)units;

		k -= k > 0; /* the double may be just past an integer */
		bad += wide.high - wide.low > 2 + ((1024 + 514 * slack) >> k);
		bad += word.high - word.low > 2 + (UINT64_C(48) >> (k < 63 ? k : 63));
	}
	CHECK_INT(bad, 0);
}

/* exp(-1/1) and exp(-1/2): the published first words. */
static void first_words_are_the_published_ones(void)
{
	static const struct {
		long den;
		uint64_t word;
	} cases[] = {{1, UINT64_C(0x5e2d58d8b3bcdf1a)}, {2, UINT64_C(0x9b4597e37cb04ff3)}};
	mpq_t x;

	mpq_init(x);
	for (size_t i = 0; i < 2; i++) {
		struct sotto_exp_enclosure e;

		mpq_set_si(x, 1, (unsigned long)cases[i].den);
		e = sotto_exp_enclose_rational(x);
		CHECK((uint64_t)(e.low >> 62) == cases[i].word);
		CHECK((uint64_t)(e.high >> 62) == cases[i].word);
		CHECK(sotto_expansion_word(SOTTO_EXPANSION_EXP, x, 0) == cases[i].word);
	}
	mpq_clear(x);
}

static void fractions_at_the_ends_are_enclosed(void)
{
	struct sotto_exp_enclosure e;
	mpq_t x;

	mpq_init(x);
	e = sotto_exp_enclose_rational(x);
	CHECK(e.high == (sotto_u128)1 << SOTTO_EXP_SCALE && e.low >= e.high - 1024);
	mpq_set_ui(x, 1024, 1);
	e = sotto_exp_enclose_rational(x);
	CHECK(e.low == 0 && e.high == 1);
	mpq_set_str(x, "12345678901234567890123456789012345678901234567890", 10);
	e = sotto_exp_enclose_rational(x);
	CHECK(e.low == 0 && e.high == 1);
	mpq_set_str(x, "1/12345678901234567890123456789012345678901234567890", 10);
	e = sotto_exp_enclose_rational(x);
	CHECK(e.high == (sotto_u128)1 << SOTTO_EXP_SCALE && e.low >= e.high - 2048);
	mpq_clear(x);
}

static bool is_floor(struct wide w, const mpz_t want)
{
	return value_of(w) == sotto_fixed_from_mpz(want);
}

static void every_constant_is_the_floor_it_claims(void)
{
	mpz_t z, divisor;
	mpfr_t v;
	mpq_t x;

	mpz_inits(z, divisor, NULL);
	mpq_init(x);
	mpfr_init2(v, 256);
	mpfr_const_log2(v, MPFR_RNDN);
	mpfr_mul_2ui(v, v, 128, MPFR_RNDN);
	mpfr_get_z(z, v, MPFR_RNDD);
	CHECK(is_floor(ln2, z));
	mpfr_ui_div(v, 1, v, MPFR_RNDN);
	mpfr_mul_2ui(v, v, 128 + 63, MPFR_RNDN);
	mpfr_get_z(z, v, MPFR_RNDD);
	CHECK(inverse_ln2 == mpz_get_ui(z));
	CHECK(value_of(steps[0]) == (sotto_u128)1 << 127);
	for (unsigned j = 1; j < STEPS; j++) {
		mpq_set_ui(x, j, 8);
		mpq_canonicalize(x);
		sotto_expansion_floor(SOTTO_EXPANSION_EXP, x, 127, z);
		CHECK(is_floor(steps[j], z));
	}
	mpz_set_ui(divisor, 1);
	for (unsigned n = 0; n < WIDE_TERMS + NARROW_TERMS; n++) {
		mpz_mul_ui(divisor, divisor, n ? 8 * n : 1);
		mpz_set_ui(z, 1);
		mpz_mul_2exp(z, z, 127);
		mpz_fdiv_q(z, z, divisor);
		if (n < WIDE_TERMS)
			CHECK(is_floor(wide_terms[n], z));
		else
			CHECK(narrow_terms[n - WIDE_TERMS] == mpz_get_ui(z));
	}
	mpfr_clear(v);
	mpq_clear(x);
	mpz_clears(z, divisor, NULL);
}

static uint64_t count_of_violations(void)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < 3000; i++)
		bad += !both_hold(&copy, argument(i));
	return bad;
}

/* 2^12 units of 2^-127 too much, anywhere, and the check above must say so. */
static void a_wrong_digit_in_any_constant_is_found(void)
{
	for (unsigned n = 0; n < WIDE_TERMS; n++) {
		wide_terms[n].low ^= 1 << 12;
		CHECK(count_of_violations() > 0);
		wide_terms[n].low ^= 1 << 12;
	}
	for (unsigned n = 0; n < 6; n++) {
		narrow_terms[n] ^= 1 << 13;
		CHECK(count_of_violations() > 0);
		narrow_terms[n] ^= 1 << 13;
	}
	for (unsigned j = 0; j < STEPS; j++) {
		steps[j].low ^= 1 << 12;
		CHECK(count_of_violations() > 0);
		steps[j].low ^= 1 << 12;
	}
	ln2.low ^= 1 << 10;
	CHECK(count_of_violations() > 0);
	ln2.low ^= 1 << 10;
	CHECK_INT(count_of_violations(), 0);
}

int main(void)
{
	RUN(every_constant_is_the_floor_it_claims);
	RUN(bounds_hold_at_a_million_arguments_and_at_the_cuts);
	RUN(slack_widens_the_bounds_enough);
	RUN(widths_are_as_narrow_as_promised);
	RUN(first_words_are_the_published_ones);
	RUN(fractions_at_the_ends_are_enclosed);
	RUN(a_wrong_digit_in_any_constant_is_found);
	return tap_done();
}
