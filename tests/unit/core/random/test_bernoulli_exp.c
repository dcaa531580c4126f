/*
 * The coin of exp(-x), exactly: it is a threshold on the digits of the tape, and
 * the threshold is the certified expansion, word after word.
 */
#include "core/random/coin/bernoulli.h"

#include <stdlib.h>

#include "core/number/exp/expansion.h"
#include "core/random/coin/bernoulli_exp.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

struct flip {
	enum sotto_status status;
	bool out;
	size_t bytes;
};

static struct flip flip_on(const struct sotto_rational *x, const uint64_t *words, size_t n)
{
	struct tape *t = tape_open(words, 8 * n, 0);
	struct flip f = {.out = false};

	f.status = sotto_bernoulli_exp(&t->rng, x, &f.out);
	f.bytes = tape_used(t);
	tape_close(t);
	return f;
}

static void
check_flip(const struct sotto_rational *x, const uint64_t words[3], bool out, size_t used)
{
	struct flip f = flip_on(x, words, 3);

	CHECK_INT(f.status, SOTTO_OK);
	CHECK_INT(f.out, out);
	CHECK_INT(f.bytes, 8 * used);
}

/* Digits w0 w1 w2 of exp(-x): below them true, above them false, at every depth. */
static void check_thresholds(const struct sotto_rational *x)
{
	uint64_t w[3];

	for (unsigned i = 0; i < 3; i++)
		w[i] = sotto_expansion_word(SOTTO_EXPANSION_EXP, x->q, 64 * i);
	for (unsigned depth = 0; depth < 3; depth++) {
		uint64_t tape[3] = {w[0], w[1], w[2]};

		if (w[depth] != 0) {
			tape[depth] = w[depth] - 1;
			check_flip(x, tape, true, depth + 1);
			tape[depth] = 0;
			check_flip(x, tape, true, depth + 1);
		}
		if (w[depth] != UINT64_MAX) {
			tape[depth] = w[depth] + 1;
			check_flip(x, tape, false, depth + 1);
			tape[depth] = UINT64_MAX;
			check_flip(x, tape, false, depth + 1);
		}
	}
	CHECK_INT(flip_on(x, w, 3).status, SOTTO_EENTROPY);
}

static void the_coin_is_the_certified_threshold(void)
{
	static const char *const arguments[] = {"1",
						"1/2",
						"1/3",
						"0.1",
						"7",
						"44.3",
						"45",
						"100",
						"1023.999",
						"1024",
						"5000",
						"1e-30",
						"123456789/987654321",
						"0.693147180559945309417232121458176568"};
	struct sotto_rational x;
	unsigned cases = getenv("SOTTO_LONG") ? 20000 : 500;

	sotto_rational_init(&x);
	for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
		CHECK_INT(sotto_rational_parse(&x, arguments[i], NULL), SOTTO_OK);
		check_thresholds(&x);
	}
	for (unsigned i = 0; i < cases; i++) {
		int64_t r[2];

		tape_noise(i, (uint8_t *)r, sizeof r);
		CHECK_INT(sotto_rational_set_ratio(&x, (r[0] & INT64_MAX) >> (i % 40),
						   (r[1] & INT64_MAX) >> (i % 37) | 1),
			  SOTTO_OK);
		if (sotto_rational_sign(&x) > 0)
			check_thresholds(&x);
	}
	sotto_rational_release(&x);
}

static void zero_is_true_on_every_tape(void)
{
	static const uint64_t ones[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
	struct sotto_rational x;

	sotto_rational_init(&x);
	check_flip(&x, ones, true, 0);
	CHECK_INT(flip_on(&x, ones, 0).status, SOTTO_OK);
	CHECK(flip_on(&x, ones, 0).out);
	sotto_rational_release(&x);
}

/* 2^126 exp(-x) rounds to the scale itself: a word of ones is still not decided by it. */
static void next_to_zero_the_top_word_is_not_taken_for_certain(void)
{
	uint64_t tape[3] = {UINT64_MAX, 0, 0};
	struct sotto_rational x;

	sotto_rational_init(&x);
	CHECK_INT(sotto_rational_parse(&x, "1e-30", NULL), SOTTO_OK);
	check_flip(&x, tape, true, 2);
	tape[1] = UINT64_MAX;
	tape[2] = 0;
	CHECK_INT(flip_on(&x, tape, 3).status, SOTTO_OK);
	sotto_rational_release(&x);
}

static void huge_arguments_are_false_but_for_zeros_without_end(void)
{
	static const uint64_t one[3] = {0, 0, 1}, none[3] = {0, 0, 0};
	struct sotto_rational x;

	sotto_rational_init(&x);
	CHECK_INT(sotto_rational_parse(&x, "1e40", NULL), SOTTO_OK);
	check_flip(&x, one, false, 3);
	CHECK_INT(flip_on(&x, none, 3).status, SOTTO_EENTROPY);
	sotto_rational_release(&x);
}

static void negative_arguments_are_refused_before_anything_is_drawn(void)
{
	struct tape *t = tape_open_random(1, 64, 0);
	struct sotto_rational x;
	bool out = true;

	sotto_rational_init(&x);
	CHECK_INT(sotto_rational_parse(&x, "-1e-30", NULL), SOTTO_OK);
	CHECK_INT(sotto_bernoulli_exp(&t->rng, &x, &out), SOTTO_EINVAL);
	CHECK(out);
	CHECK_INT(tape_used(t), 0);
	sotto_rational_release(&x);
	tape_close(t);
}

static void failing_entropy_leaves_the_output_alone(void)
{
	static const uint64_t first = UINT64_C(0x5e2d58d8b3bcdf1a); /* of exp(-1): tied */
	struct sotto_rational x;

	sotto_rational_init(&x);
	CHECK_INT(sotto_rational_set_ratio(&x, 1, 1), SOTTO_OK);
	for (size_t n = 0; n < 16; n++) {
		uint8_t bytes[16] = {0};
		struct tape *t;
		bool out = true;

		memcpy(bytes, &first, 8);
		t = tape_open(bytes, n, 3);
		CHECK_INT(sotto_bernoulli_exp(&t->rng, &x, &out), SOTTO_EENTROPY);
		CHECK(out);
		tape_close(t);
	}
	sotto_rational_release(&x);
}

/* With a factor: all 10-digit starts, then the word that goes on with each. */
static void settling_compares_with_the_scaled_number(void)
{
	struct sotto_scaled_exp p = {.num = 5, .den = 9};
	uint64_t tied = 0;
	mpz_t floor;

	mpq_init(p.x);
	mpz_init(floor);
	mpq_set_ui(p.x, 1, 7);
	sotto_expansion_scaled_floor(p.x, p.num, p.den, 10, floor);
	CHECK_INT(mpz_get_ui(floor), 493); /* 1024 * 5/9 exp(-1/7) = 493.15.. */
	for (uint64_t digits = 0; digits < 1024; digits++) {
		struct tape *t = tape_open_random(digits, 8, 0);
		bool out = false;

		CHECK_INT(sotto_scaled_exp_settle(&p, &t->rng, digits, 10, &out), SOTTO_OK);
		tied += tape_used(t) != 0;
		if (mpz_cmp_ui(floor, digits) != 0)
			CHECK_INT(out, mpz_cmp_ui(floor, digits) > 0);
		tape_close(t);
	}
	CHECK_INT(tied, 1);
	mpz_clear(floor);
	mpq_clear(p.x);
}

/* exp(0) is a fraction: 1/2 of it ends after one digit, and nothing that starts so is below. */
static void a_fraction_that_ends_is_settled_too(void)
{
	struct sotto_scaled_exp p = {.num = 1, .den = 2};
	uint64_t word = 1;
	struct tape *t = tape_open(&word, 8, 0);
	bool out = false;

	mpq_init(p.x);
	CHECK_INT(sotto_scaled_exp_settle(&p, &t->rng, 7, 4, &out), SOTTO_OK);
	CHECK(out);
	CHECK_INT(sotto_scaled_exp_settle(&p, &t->rng, 9, 4, &out), SOTTO_OK);
	CHECK(!out);
	CHECK_INT(tape_used(t), 0);
	out = true;
	CHECK_INT(sotto_scaled_exp_settle(&p, &t->rng, 8, 4, &out), SOTTO_OK);
	CHECK(!out);
	CHECK_INT(tape_used(t), 8);
	mpq_clear(p.x);
	tape_close(t);
}

int main(void)
{
	RUN(the_coin_is_the_certified_threshold);
	RUN(zero_is_true_on_every_tape);
	RUN(next_to_zero_the_top_word_is_not_taken_for_certain);
	RUN(huge_arguments_are_false_but_for_zeros_without_end);
	RUN(negative_arguments_are_refused_before_anything_is_drawn);
	RUN(failing_entropy_leaves_the_output_alone);
	RUN(settling_compares_with_the_scaled_number);
	RUN(a_fraction_that_ends_is_settled_too);
	return tap_done();
}
