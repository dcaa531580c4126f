/* The core's law, from every tape of 4-bit words on scales that are fractions. */
#include "testlib/effort.h"
#include "testlib/tap.h"
#include "testlib/tape.h"
#include "testlib/sampler/toy_core_kernel.h"

struct shape {
	unsigned num, den; /* a */
	unsigned value_bits;
	unsigned length; /* of the tapes, in words */
	double undecided; /* the mass that such tapes leave open, at most */
};

static const struct shape shapes[] = {{2, 5, 1, 8, 0.001}, {1, 2, 0, 6, 0.04},
				      {1, 3, 1, 8, 0.001}, {2, 3, 2, 7, 0.01},
				      {1, 7, 2, 8, 0.001}, {3, 4, 3, 6, 0.1}};

enum { RANGE = 12 };

static void tally_core(const struct toy_planes *p, unsigned length, struct tally *y)
{
	struct all_tapes t;
	int64_t z = 0;

	all_tapes_first(&t, TOY_BITS, length);
	tally_init(y, &t, 1, RANGE);
	do {
		enum sotto_status st = core_draw(p, &t, &z);

		tally_add(y, &t, st, &z);
	} while (all_tapes_next(&t));
}

static unsigned core_faults(const struct toy_planes *p, unsigned length, double *undecided)
{
	mpq_t *law = toy_law(p, RANGE);
	struct tally y;
	unsigned faults;

	tally_core(p, length, &y);
	faults = tally_faults(&y, law);
	*undecided = (double)y.undecided / (double)y.total;
	tally_release(&y);
	toy_law_free(law, RANGE);
	return faults;
}

static void check_shapes(bool has_sign)
{
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		const struct shape *s = &shapes[i];
		struct toy_planes p;
		double undecided;

		toy_init(&p, TOY_BITS, s->num, s->den, s->value_bits, has_sign);
		CHECK_INT(core_faults(&p, s->length + effort() - EFFORT_SHORT, &undecided), 0);
		CHECK(undecided < s->undecided || effort() == EFFORT_SANITIZED);
		toy_release(&p);
	}
}

static void every_tape_together_gives_the_discrete_laplace(void)
{
	check_shapes(true);
}

static void every_tape_together_gives_the_geometric(void)
{
	check_shapes(false);
}

static void the_counts_of_all_24_bit_tapes_are_the_published_ones(void)
{
	static const struct {
		int64_t z;
		uint64_t tapes;
	} want[] = {{0, 7189534}, {1, 2875661}, {-1, 2875661}, {2, 1143055}, {-2, 1150219}};
	struct toy_planes p;
	struct tally y;

	toy_init(&p, TOY_BITS, 2, 5, 1, true);
	tally_core(&p, 24 / TOY_BITS, &y);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		CHECK_INT(tally_mass(&y, &want[i].z), want[i].tapes);
	CHECK_INT(y.undecided, 115516);
	tally_release(&y);
	toy_release(&p);
}

/* Each fault moves one probability by 2^-8 or less. */
static void one_wrong_digit_in_any_plane_is_noticed(void)
{
	const unsigned planes = 3;

	for (unsigned k = 0; k < planes; k++) {
		struct toy_planes p;
		double undecided;

		toy_init(&p, TOY_BITS, 2, 5, 1, true);
		p.digit[k][1] ^= 1;
		CHECK(core_faults(&p, 8, &undecided) > 0);
		toy_release(&p);
	}
}

static void planes_of_eps_1(struct sotto_planes *p)
{
	struct sotto_rational one;

	sotto_rational_init(&one);
	CHECK_INT(sotto_rational_set_ratio(&one, 1, 1), SOTTO_OK);
	CHECK_INT(sotto_planes_init(p, &one, true), SOTTO_OK);
	sotto_rational_release(&one);
}

/* Seven high words: no value bit, no sign.  0: a tie on the tail's zero word, then below it. */
static void the_tail_is_taken_after_a_tie_on_zero(void)
{
	uint64_t words[10];
	struct sotto_planes p;
	struct tape *t;
	int64_t z = 0;

	memset(words, 0xff, sizeof words);
	words[7] = words[8] = 0;
	planes_of_eps_1(&p);
	t = tape_open(words, sizeof words, 0);
	CHECK_INT(sotto_planes_draw(&p, &t->rng, &z), SOTTO_OK);
	CHECK_INT(z, 64);
	CHECK_INT(tape_used(t), sizeof words);
	tape_close(t);
	sotto_planes_release(&p);
}

/* 140 tails in a row at K = 56 lie beyond 2^63. */
static void a_draw_past_the_range_is_held_at_its_ends(void)
{
	enum { TAILS = 140, WORDS = 58 + 1 + 2 * TAILS + 1 };
	struct sotto_rational eps;
	struct sotto_planes p;

	sotto_rational_init(&eps);
	CHECK_INT(sotto_rational_set_ratio(&eps, 1, INT64_C(1) << 50), SOTTO_OK);
	REQUIRE(sotto_planes_init(&p, &eps, true) == SOTTO_OK);
	for (int negative = 0; negative < 2; negative++) {
		uint64_t words[WORDS] = {0};
		struct tape *t;
		int64_t z = 0;

		words[p.value_bits] = negative ? 0 : UINT64_MAX;
		words[WORDS - 1] = UINT64_MAX;
		t = tape_open(words, sizeof words, 0);
		CHECK_INT(sotto_planes_draw(&p, &t->rng, &z), SOTTO_OK);
		CHECK(z == (negative ? INT64_MIN : INT64_MAX));
		CHECK_INT(tape_used(t), sizeof words);
		tape_close(t);
	}
	sotto_planes_release(&p);
	sotto_rational_release(&eps);
}

static void a_tape_that_ends_early_leaves_the_output_alone(void)
{
	uint64_t words[10];
	struct sotto_planes p;

	memset(words, 0xff, sizeof words);
	words[7] = words[8] = 0;
	planes_of_eps_1(&p);
	for (size_t n = 0; n < sizeof words; n++) {
		struct tape *t = tape_open(words, n, 0);
		int64_t z = 12345;

		CHECK_INT(sotto_planes_draw(&p, &t->rng, &z), SOTTO_EENTROPY);
		CHECK_INT(z, 12345);
		tape_close(t);
	}
	sotto_planes_release(&p);
}

int main(void)
{
	RUN(every_tape_together_gives_the_discrete_laplace);
	RUN(every_tape_together_gives_the_geometric);
	RUN(the_counts_of_all_24_bit_tapes_are_the_published_ones);
	RUN(one_wrong_digit_in_any_plane_is_noticed);
	RUN(the_tail_is_taken_after_a_tie_on_zero);
	RUN(a_draw_past_the_range_is_held_at_its_ends);
	RUN(a_tape_that_ends_early_leaves_the_output_alone);
	return tap_done();
}
