/* Uniform integers: the law from every tape of 4-bit words; permutations one by one. */
#include "core/random/generator/uniform.h"
#include "sotto/rng.h"

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/wide.h"
#include "testlib/sampler/all_tapes.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { TOY_BITS = 4, TOY_MAX = 15 };

#define BELOW_WORD uint8_t
#define BELOW_WORD_BITS TOY_BITS
#define BELOW_WORD_MAX TOY_MAX
#define BELOW_WIDE unsigned
#define BELOW_SOURCE struct all_tapes
#define below_word(tape, word) all_tapes_read(tape, 1, word)

#include "core/random/generator/below_kernel.h"

static unsigned below_faults(uint8_t n, uint8_t claimed, double *undecided)
{
	mpq_t law[2 * TOY_MAX + 1];
	struct all_tapes t;
	struct tally y;
	unsigned faults;

	for (int i = 0; i < 2 * TOY_MAX + 1; i++) {
		mpq_init(law[i]);
		if (i >= TOY_MAX && i - TOY_MAX < claimed)
			mpq_set_ui(law[i], 1, claimed);
	}
	all_tapes_first(&t, TOY_BITS, 5);
	tally_init(&y, &t, 1, TOY_MAX);
	do {
		uint8_t out = 0;
		enum sotto_status st = below_draw(&t, n, &out);
		int64_t z = out;

		tally_add(&y, &t, st, &z);
	} while (all_tapes_next(&t));
	faults = tally_faults(&y, law);
	*undecided = (double)y.undecided / (double)y.total;
	tally_release(&y);
	for (int i = 0; i < 2 * TOY_MAX + 1; i++)
		mpq_clear(law[i]);
	return faults;
}

static void every_result_below_n_is_equally_likely(void)
{
	double undecided;

	for (uint8_t n = 1; n <= TOY_MAX; n++) {
		CHECK_INT(below_faults(n, n, &undecided), 0);
		CHECK(undecided < 0.02); /* at most 7 of 16 words are rejected, five times */
	}
	CHECK(below_faults(6, 7, &undecided) > 0);
}

static void the_one_word_that_would_favour_a_result_is_rejected(void)
{
	/* 2^64 = 3 * 6148914691236517205 + 1: word 0 is one too many for result 0. */
	static const uint64_t words[2] = {0, UINT64_MAX};
	struct tape *t = tape_open(words, sizeof words, 0);
	uint64_t out = 99;

	CHECK_INT(sotto_uniform_below(&t->rng, 3, &out), SOTTO_OK);
	CHECK_INT(out, 2);
	CHECK_INT(tape_used(t), 16);
	tape_close(t);
}

static void powers_of_two_take_the_top_bits(void)
{
	static const uint64_t word = UINT64_C(0xc000000000000001);
	struct tape *t = tape_open(&word, sizeof word, 0);
	uint64_t out = 99;

	CHECK_INT(sotto_uniform_below(&t->rng, 4, &out), SOTTO_OK);
	CHECK_INT(out, 3);
	tape_close(t);
}

static void nothing_is_below_zero(void)
{
	struct tape *t = tape_open_random(1, 64, 0);
	uint64_t out = 99;

	CHECK_INT(sotto_uniform_below(&t->rng, 0, &out), SOTTO_EINVAL);
	CHECK_INT(out, 99);
	CHECK_INT(tape_used(t), 0);
	tape_close(t);
}

/* A word that makes sotto_uniform_below(n) give `result`: the middle of its share. */
static uint64_t word_for(uint64_t result, uint64_t n)
{
	return (uint64_t)((((sotto_u128)(2 * result + 1)) << 63) / n);
}

/* Four independent uniform places make 24 equally likely choices. */
static void the_24_choices_give_the_24_permutations_of_four(void)
{
	bool seen[256] = {false};
	int different = 0;

	for (uint64_t choice = 0; choice < 24; choice++) {
		uint64_t words[4] = {word_for(0, 1), word_for(choice % 2, 2),
				     word_for(choice / 2 % 3, 3), word_for(choice / 6, 4)};
		struct tape *t = tape_open(words, sizeof words, 0);
		size_t order[4], code = 0, sum = 0;

		CHECK_INT(sotto_uniform_permutation(&t->rng, order, 4), SOTTO_OK);
		for (int i = 0; i < 4; i++) {
			code = 4 * code + order[i];
			sum |= (size_t)1 << order[i];
		}
		CHECK_INT(sum, 15);
		REQUIRE(code < 256);
		different += !seen[code];
		seen[code] = true;
		tape_close(t);
	}
	CHECK_INT(different, 24);
}

static void a_permutation_that_fails_is_zeroed(void)
{
	struct tape *t = tape_open_random(2, 8 * 5, 0);
	size_t order[8];

	memset(order, 0xff, sizeof order);
	CHECK_INT(sotto_uniform_permutation(&t->rng, order, 8), SOTTO_EENTROPY);
	for (int i = 0; i < 8; i++)
		CHECK_INT(order[i], 0);
	tape_close(t);
}

int main(void)
{
	RUN(every_result_below_n_is_equally_likely);
	RUN(the_one_word_that_would_favour_a_result_is_rejected);
	RUN(powers_of_two_take_the_top_bits);
	RUN(nothing_is_below_zero);
	RUN(the_24_choices_give_the_24_permutations_of_four);
	RUN(a_permutation_that_fails_is_zeroed);
	return tap_done();
}
