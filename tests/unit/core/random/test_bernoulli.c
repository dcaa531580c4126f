/* Coins of a fraction: the law from every tape of 4-bit words, and ties at full size. */
#include "core/random/coin/bernoulli.h"

#include <stdlib.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "testlib/sampler/all_tapes.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { TOY_BITS = 4 };

#define RATIO_WORD uint8_t
#define RATIO_WORD_BITS TOY_BITS
#define RATIO_WIDE unsigned
#define RATIO_SOURCE struct all_tapes
#define ratio_word(tape, word) all_tapes_read(tape, 1, word)

#include "core/random/coin/ratio_kernel.h"

static void tally_ratio(uint8_t num, uint8_t den, struct tally *y)
{
	struct all_tapes t;

	all_tapes_first(&t, TOY_BITS, 3);
	tally_init(y, &t, 1, 1);
	do {
		bool out = false;
		enum sotto_status st = ratio_above_random(&t, num, den, &out);
		int64_t z = out;

		tally_add(y, &t, st, &z);
	} while (all_tapes_next(&t));
}

static void all_12_bit_tapes_of_one_third_are_as_published(void)
{
	static const int64_t no = 0, yes = 1;
	struct tally y;

	tally_ratio(1, 3, &y);
	CHECK_INT(tally_mass(&y, &yes), 1365);
	CHECK_INT(tally_mass(&y, &no), 2730);
	CHECK_INT(y.undecided, 1);
	tally_release(&y);
}

static void every_small_fraction_has_its_law(void)
{
	mpq_t law[3];

	mpq_inits(law[0], law[1], law[2], NULL);
	for (unsigned den = 1; den <= 50; den++)
		for (unsigned num = 0; num < den; num++) {
			struct tally y;

			mpq_set_ui(law[2], num, den);
			mpq_set_ui(law[1], den - num, den);
			mpq_canonicalize(law[2]);
			mpq_canonicalize(law[1]);
			tally_ratio((uint8_t)num, (uint8_t)den, &y);
			CHECK_INT(tally_faults(&y, law), 0);
			CHECK(y.undecided <= 1);
			tally_release(&y);
		}
	mpq_clears(law[0], law[1], law[2], NULL);
}

static void rational_of(uint64_t num, uint64_t den, struct sotto_rational *r)
{
	sotto_rational_init(r);
	mpq_set_ui(r->q, num, den);
	mpq_canonicalize(r->q);
}

/* The coin by 64-bit division and by GMP, on the same tape. */
static bool both_coins(uint64_t num, uint64_t den, const uint64_t *words, size_t n, int *out)
{
	struct tape *a = tape_open(words, 8 * n, 0), *b = tape_open(words, 8 * n, 0);
	struct sotto_rational p;
	bool small = false, big = false, same;
	enum sotto_status st;

	rational_of(num, den, &p);
	st = sotto_bernoulli_ratio(&a->rng, num, den, &small);
	same = sotto_bernoulli_rational(&b->rng, &p, &big) == st && small == big &&
	       tape_used(a) == tape_used(b);
	*out = st == SOTTO_OK ? small : -1;
	sotto_rational_release(&p);
	tape_close(a);
	tape_close(b);
	return same;
}

static void a_tie_goes_on_with_the_next_digits(void)
{
	static const uint64_t third = UINT64_C(0x5555555555555555);
	uint64_t words[3] = {third, third, third};
	int out;

	CHECK(both_coins(1, 3, words, 3, &out));
	CHECK_INT(out, -1);
	words[2] = third - 1;
	CHECK(both_coins(1, 3, words, 3, &out));
	CHECK_INT(out, 1);
	words[2] = third + 1;
	CHECK(both_coins(1, 3, words, 3, &out));
	CHECK_INT(out, 0);
}

static void digits_that_end_are_not_below_themselves(void)
{
	uint64_t half = UINT64_C(1) << 63, below = half - 1;
	int out;

	CHECK(both_coins(1, 2, &half, 1, &out));
	CHECK_INT(out, 0);
	CHECK(both_coins(1, 2, &below, 1, &out));
	CHECK_INT(out, 1);
}

static void both_ways_agree_on_random_fractions(void)
{
	enum { COINS = 20000 };
	uint64_t noise[4];
	int out, yes = 0;

	for (uint64_t i = 0; i < COINS; i++) {
		tape_noise(i, (uint8_t *)noise, sizeof noise);
		noise[1] >>= i % 64;
		noise[1] += noise[1] == 0;
		CHECK(both_coins(noise[0] % noise[1], noise[1], noise + 2, 2, &out));
		yes += out == 1;
	}
	CHECK(yes > COINS / 4 && yes < 3 * COINS / 4);
}

static void certain_coins_read_nothing(void)
{
	uint64_t zero = 0;
	int out;

	CHECK(both_coins(7, 7, NULL, 0, &out));
	CHECK_INT(out, 1);
	CHECK(both_coins(0, 7, &zero, 1, &out));
	CHECK_INT(out, 0);
}

static void bad_fractions_are_refused(void)
{
	struct tape *t = tape_open_random(1, 64, 0);
	struct sotto_rational p;
	bool out = true;

	CHECK_INT(sotto_bernoulli_ratio(&t->rng, 1, 0, &out), SOTTO_EINVAL);
	CHECK_INT(sotto_bernoulli_ratio(&t->rng, 8, 7, &out), SOTTO_EINVAL);
	rational_of(8, 7, &p);
	CHECK_INT(sotto_bernoulli_rational(&t->rng, &p, &out), SOTTO_EINVAL);
	mpq_neg(p.q, p.q);
	CHECK_INT(sotto_bernoulli_rational(&t->rng, &p, &out), SOTTO_EINVAL);
	sotto_rational_release(&p);
	CHECK(out);
	CHECK_INT(tape_used(t), 0);
	tape_close(t);
}

int main(void)
{
	RUN(all_12_bit_tapes_of_one_third_are_as_published);
	RUN(every_small_fraction_has_its_law);
	RUN(a_tie_goes_on_with_the_next_digits);
	RUN(digits_that_end_are_not_below_themselves);
	RUN(both_ways_agree_on_random_fractions);
	RUN(certain_coins_read_nothing);
	RUN(bad_fractions_are_refused);
	return tap_done();
}
