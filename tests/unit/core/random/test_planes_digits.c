/* Tables against a second source: every digit of every plane, over the whole domain. */
#include "core/random/laplace/planes.h"

#include <mpfr.h>

#include "core/number/exp/expansion.h"
#include "testlib/effort.h"
#include "testlib/tap.h"
#include "testlib/tape.h"
#include "testlib/sampler/taylor.h"

enum { DIGITS = 8 * SOTTO_PLANE_BYTES };

static unsigned least_value_bits(const mpq_t eps)
{
	unsigned k = 0;
	mpq_t x;

	mpq_init(x);
	mpq_set(x, eps);
	for (; mpq_cmp_ui(x, 45, 1) < 0; k++)
		mpq_mul_2exp(x, x, 1);
	mpq_clear(x);
	return k;
}

/* Plane k's probability by the law: value bits, sign, tail. */
static void
plane_digits(const mpq_t eps, unsigned value_bits, bool has_sign, unsigned k, mpz_t out)
{
	mpq_t x;

	mpq_init(x);
	if (k == value_bits + has_sign) {
		mpq_mul_2exp(x, eps, value_bits);
		taylor_exp_digits(x, DIGITS, out);
	} else {
		mpq_mul_2exp(x, eps, k == value_bits ? 0 : k);
		taylor_logistic_digits(x, DIGITS, out);
	}
	mpq_clear(x);
}

static bool words_are_cut_from(const struct sotto_planes *p, unsigned k, const mpz_t digits)
{
	bool same;
	mpz_t z;

	mpz_init(z);
	mpz_fdiv_q_2exp(z, digits, DIGITS - 64);
	same = mpz_get_ui(z) == p->first[k] && p->first[k] >> 56 == p->head[k];
	mpz_fdiv_q_2exp(z, digits, DIGITS - 72);
	same = same && mpz_get_ui(z) == p->after_head[k]; /* the low 64 bits of 72 */
	mpz_clear(z);
	return same;
}

/* How many planes of the table differ from the second source. */
static unsigned wrong_planes(const struct sotto_planes *p, const mpq_t eps)
{
	unsigned value_bits = least_value_bits(eps), wrong = 0;
	mpz_t mine, theirs;

	mpz_inits(mine, theirs, NULL);
	wrong += p->value_bits != value_bits || p->count != value_bits + 1 + p->has_sign;
	for (unsigned k = 0; !wrong && k < p->count; k++) {
		plane_digits(eps, value_bits, p->has_sign, k, mine);
		mpz_import(theirs, SOTTO_PLANE_BYTES, 1, 1, 1, 0, p->digits[k]);
		wrong += mpz_cmp(mine, theirs) != 0 || !words_are_cut_from(p, k, mine);
	}
	mpz_clears(mine, theirs, NULL);
	return wrong;
}

static bool table_is_right(const mpq_t eps, bool has_sign)
{
	struct sotto_rational r;
	struct sotto_planes p;
	bool right;

	sotto_rational_init(&r);
	mpq_set(r.q, eps);
	right = sotto_planes_init(&p, &r, has_sign) == SOTTO_OK;
	if (right) {
		right = wrong_planes(&p, eps) == 0;
		sotto_planes_release(&p);
	}
	sotto_rational_release(&r);
	return right;
}

/*
 * 2^e (1 + m/n), e in -50 .. 9, in three kinds: m/n a decimal fraction of up to
 * 18 digits, a double's mantissa, or a fraction of 128-bit numbers.
 */
static void random_eps(uint64_t seed, mpq_t eps)
{
	uint64_t noise[6];
	mpz_ptr num = mpq_numref(eps), den = mpq_denref(eps);
	long exponent;

	tape_noise(seed, (uint8_t *)noise, sizeof noise);
	exponent = (long)(noise[0] % 60) - 50;
	if (noise[0] >> 32 & 1)
		mpz_ui_pow_ui(den, 10, noise[1] % 18 + 1);
	else if (noise[0] >> 33 & 1)
		mpz_ui_pow_ui(den, 2, 52);
	else
		mpz_import(den, 2, 1, 8, 0, 0, noise + 1);
	mpz_import(num, 3, 1, 8, 0, 0, noise + 3);
	mpz_fdiv_r(num, num, den);
	mpz_add(num, num, den);
	mpq_canonicalize(eps);
	if (exponent < 0)
		mpq_div_2exp(eps, eps, (mp_bitcnt_t)-exponent);
	else
		mpq_mul_2exp(eps, eps, (mp_bitcnt_t)exponent);
}

static void random_scales_of_the_whole_domain(void)
{
	static const uint64_t by_effort[] = {500, 10000, 100000};
	const uint64_t scales = by_effort[effort()];
	mpq_t eps;

	mpq_init(eps);
	for (uint64_t i = 0; i < scales; i++) {
		random_eps(i, eps);
		if (!table_is_right(eps, i % 2))
			tap_check(false, __FILE__, __LINE__, "scale %llu is wrong",
				  (unsigned long long)i);
	}
	CHECK(scales > 0);
	mpq_clear(eps);
}

static void status_at(const char *text, enum sotto_status want)
{
	struct sotto_rational r;
	struct sotto_planes p;
	enum sotto_status st;

	sotto_rational_init(&r);
	CHECK_INT(sotto_rational_parse(&r, text, NULL), SOTTO_OK);
	st = sotto_planes_init(&p, &r, true);
	CHECK_INT(st, want);
	if (st == SOTTO_OK) {
		CHECK_INT(wrong_planes(&p, r.q), 0);
		sotto_planes_release(&p);
	}
	sotto_rational_release(&r);
}

static void the_ends_of_the_domain_are_in_and_what_lies_beyond_is_not(void)
{
	status_at("1/1125899906842624", SOTTO_OK);
	status_at("1024", SOTTO_OK);
	status_at("1/1125899906842625", SOTTO_ERANGE);
	status_at("1024.000000000000000000001", SOTTO_ERANGE);
	status_at("0", SOTTO_ERANGE);
	status_at("-1", SOTTO_ERANGE);
}

/* eps = 45/2^k and its neighbours at 2^-20 and at 2^-300 */
static void scales_next_to_each_change_of_the_plane_count(void)
{
	mpq_t eps, step;

	mpq_inits(eps, step, NULL);
	for (unsigned k = 0; k <= 55; k++)
		for (int side = -1; side <= 1; side++)
			for (unsigned near = 20; near <= 300; near += 280) {
				mpq_set_si(step, side, 1);
				mpq_div_2exp(step, step, k + near);
				mpq_set_ui(eps, 45, 1);
				mpq_div_2exp(eps, eps, k);
				mpq_add(eps, eps, step);
				CHECK(table_is_right(eps, side != 0));
			}
	mpq_clears(eps, step, NULL);
}

static void one_flipped_digit_is_noticed(void)
{
	struct sotto_rational r;
	struct sotto_planes p;

	sotto_rational_init(&r);
	REQUIRE(sotto_rational_parse(&r, "0.37", NULL) == SOTTO_OK);
	REQUIRE(sotto_planes_init(&p, &r, true) == SOTTO_OK);
	CHECK_INT(wrong_planes(&p, r.q), 0);
	p.digits[3][SOTTO_PLANE_BYTES - 1] ^= 1;
	CHECK_INT(wrong_planes(&p, r.q), 1);
	sotto_planes_release(&p);
	sotto_rational_release(&r);
}

/* Past the stored digits they are computed; a comparison can go on without end. */
static void digits_far_out_are_right_too(void)
{
	struct sotto_planes p;
	mpz_t mine, word;
	mpq_t x;

	mpz_inits(mine, word, NULL);
	mpq_init(x);
	for (uint64_t i = 0; i < 300; i++) {
		struct sotto_rational r;
		unsigned offset = (unsigned)(i * 7 % 700), k;

		sotto_rational_init(&r);
		random_eps(i, r.q);
		REQUIRE(sotto_planes_init(&p, &r, true) == SOTTO_OK);
		k = (unsigned)(i % p.count);
		mpq_mul_2exp(x, r.q, k > p.value_bits ? k - 1 : k == p.value_bits ? 0 : k);
		if (k == p.count - 1)
			taylor_exp_digits(x, offset + 64, mine);
		else
			taylor_logistic_digits(x, offset + 64, mine);
		mpz_fdiv_r_2exp(word, mine, 64);
		CHECK(sotto_planes_digits(&p, k, offset) == mpz_get_ui(word));
		sotto_planes_release(&p);
		sotto_rational_release(&r);
	}
	mpz_clears(mine, word, NULL);
	mpq_clear(x);
}

static void both_expansions_agree_at_any_length(void)
{
	mpz_t mine, theirs;
	mpq_t x;

	mpz_inits(mine, theirs, NULL);
	mpq_init(x);
	for (uint64_t i = 0; i < 2000; i++) {
		unsigned bits = (unsigned)(1 + i % 512);

		random_eps(i, x);
		taylor_exp_digits(x, bits, mine);
		sotto_expansion_floor(SOTTO_EXPANSION_EXP, x, bits, theirs);
		CHECK(mpz_cmp(mine, theirs) == 0);
		taylor_logistic_digits(x, bits, mine);
		sotto_expansion_floor(SOTTO_EXPANSION_LOGISTIC, x, bits, theirs);
		CHECK(mpz_cmp(mine, theirs) == 0);
	}
	mpz_clears(mine, theirs, NULL);
	mpq_clear(x);
}

/*
 * x such that the number of that kind is (n + offset 2^-far)/2^bits to 2000 digits:
 * just above a cut of its expansion, or just below.
 */
static void argument_beside_a_cut(enum sotto_expansion kind, const mpz_t n, unsigned bits,
				  int offset, unsigned far, mpq_t x)
{
	mpfr_t v, w;

	mpfr_inits2(2000, v, w, NULL);
	mpfr_set_si(v, offset, MPFR_RNDN);
	mpfr_div_2ui(v, v, far, MPFR_RNDN);
	mpfr_add_z(v, v, n, MPFR_RNDN);
	mpfr_div_2ui(v, v, bits, MPFR_RNDN);
	if (kind == SOTTO_EXPANSION_LOGISTIC) { /* x = log((1 - v)/v) */
		mpfr_ui_sub(w, 1, v, MPFR_RNDN);
		mpfr_div(v, v, w, MPFR_RNDN);
	}
	mpfr_log(v, v, MPFR_RNDN);
	mpfr_neg(v, v, MPFR_RNDN);
	mpfr_get_q(x, v);
	mpfr_clears(v, w, NULL);
}

/* An integer of so many bits, below 2^(bits - 2) so that the number is below 1/4. */
static void random_digits(uint64_t seed, unsigned bits, mpz_t n)
{
	uint8_t noise[64];

	tape_noise(seed, noise, sizeof noise);
	mpz_import(n, sizeof noise, 1, 1, 0, 0, noise);
	mpz_fdiv_r_2exp(n, n, bits - 2);
	mpz_setbit(n, bits - 3);
}

static void digits_right_beside_a_cut(void)
{
	mpz_t n, got;
	mpq_t x;

	mpz_inits(n, got, NULL);
	mpq_init(x);
	for (uint64_t i = 0; i < 400; i++) {
		enum sotto_expansion kind =
			i % 2 ? SOTTO_EXPANSION_EXP : SOTTO_EXPANSION_LOGISTIC;
		unsigned bits = 8 + (unsigned)(i * 13 % 300),
			 far = 50 + (unsigned)(i * 7 % 400);
		int offset = i / 2 % 2 ? 1 : -1;

		random_digits(i, bits, n);
		argument_beside_a_cut(kind, n, bits, offset, far, x);
		if (offset < 0)
			mpz_sub_ui(n, n, 1);
		sotto_expansion_floor(kind, x, bits, got);
		CHECK(mpz_cmp(got, n) == 0);
		if (kind == SOTTO_EXPANSION_EXP)
			taylor_exp_digits(x, bits, got);
		else
			taylor_logistic_digits(x, bits, got);
		CHECK(mpz_cmp(got, n) == 0);
	}
	mpz_clears(n, got, NULL);
	mpq_clear(x);
}

/* The table's own enclosure straddles the cut there: the plane has to be computed alone. */
static void a_plane_right_beside_a_cut_is_still_certified(void)
{
	mpz_t n;
	mpq_t eps;

	mpz_init(n);
	mpq_init(eps);
	for (unsigned k = 0; k < 50; k++)
		for (int offset = -1; offset <= 1; offset += 2) {
			random_digits(k, DIGITS, n);
			argument_beside_a_cut(SOTTO_EXPANSION_LOGISTIC, n, DIGITS, offset, 150,
					      eps);
			mpq_div_2exp(eps, eps, k);
			CHECK(table_is_right(eps, k % 2));
			/* the tail: exp(-46) or so, 2^-67 */
			mpz_fdiv_q_2exp(n, n, 64);
			argument_beside_a_cut(SOTTO_EXPANSION_EXP, n, DIGITS, offset, 150, eps);
			mpq_div_2exp(eps, eps, k);
			CHECK(table_is_right(eps, k % 2));
		}
	mpz_clear(n);
	mpq_clear(eps);
}

static void exp_of_minus_1_and_of_minus_a_half_are_as_published(void)
{
	mpq_t x;

	mpq_init(x);
	mpq_set_ui(x, 1, 1);
	CHECK(sotto_expansion_word(SOTTO_EXPANSION_EXP, x, 0) == UINT64_C(0x5e2d58d8b3bcdf1a));
	mpq_set_ui(x, 1, 2);
	CHECK(sotto_expansion_word(SOTTO_EXPANSION_EXP, x, 0) == UINT64_C(0x9b4597e37cb04ff3));
	mpq_clear(x);
}

int main(void)
{
	RUN(random_scales_of_the_whole_domain);
	RUN(the_ends_of_the_domain_are_in_and_what_lies_beyond_is_not);
	RUN(scales_next_to_each_change_of_the_plane_count);
	RUN(one_flipped_digit_is_noticed);
	RUN(digits_far_out_are_right_too);
	RUN(both_expansions_agree_at_any_length);
	RUN(digits_right_beside_a_cut);
	RUN(a_plane_right_beside_a_cut_is_still_certified);
	RUN(exp_of_minus_1_and_of_minus_a_half_are_as_published);
	return tap_done();
}
