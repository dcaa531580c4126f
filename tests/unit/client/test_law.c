/*
 * The law of every encoder, exactly: all tapes of random words are run, one
 * representative for each set of words that the encoder cannot tell apart, and
 * the share of each report is compared with the formula.  No p-values.
 */
#include "sotto/client.h"

#include "testlib/tap.h"

/* Midpoints of 12ths: uniform below 1, 2, 3, 4, 6, 12 and against quarters and thirds. */
static uint32_t twelfth(unsigned i)
{
	return (uint32_t)(((2 * (uint64_t)i + 1) << 32) / 24);
}

/* One word of the tape that matters: which call of fill, which word in it, how many classes. */
struct slot {
	unsigned call, word, classes; /* 12: twelfths; else all values of the low bits */
	unsigned digit;
};

struct tape {
	struct slot *slots;
	unsigned count, call;
};

static int tape_fill(void *context, uint8_t *out, size_t n)
{
	struct tape *t = context;

	memset(out, 0, n);
	for (unsigned i = 0; i < t->count; i++) {
		const struct slot *s = &t->slots[i];
		uint32_t x = s->classes == 12 ? twelfth(s->digit) : s->digit;

		if (s->call == t->call)
			memcpy(out + 4 * s->word, &x, 4);
	}
	t->call++;
	return 0;
}

static bool next_tape(struct tape *t)
{
	t->call = 0;
	for (unsigned i = 0; i < t->count; i++) {
		if (++t->slots[i].digit < t->slots[i].classes)
			return true;
		t->slots[i].digit = 0;
	}
	return false;
}

#define REPORTS 4096

/* law[r] = share of the tapes on which the value is reported as r */
static void enumerate(const struct sotto_client_params *p, uint64_t value, struct slot *slots,
		      unsigned count, double law[REPORTS])
{
	struct tape t = {slots, count, 0};
	struct sotto_client_secrets secrets = {.fill = tape_fill, .context = &t};
	struct sotto_client c;
	double tapes = 0;

	memset(law, 0, REPORTS * sizeof law[0]);
	REQUIRE(sotto_client_init(&c, p, &secrets) == SOTTO_OK);
	do {
		uint8_t out[8] = {0};
		uint64_t report = 0;
		size_t used = 0;

		REQUIRE(sotto_client_encode_number(&c, value, out, sizeof out, &used) ==
			SOTTO_OK);
		memcpy(&report, out, used);
		REQUIRE(report < REPORTS);
		law[report]++;
		tapes++;
	} while (next_tape(&t));
	for (unsigned i = 0; i < REPORTS; i++)
		law[i] /= tapes;
}

static struct sotto_client_chance quarters(unsigned n)
{
	return (struct sotto_client_chance){(uint64_t)n << 62, n == 4};
}

#define NEAR(a, b) CHECK(fabs((a) - (b)) < 1e-12)

static void randomized_response_answers_yes_as_often_as_it_says(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_RR,
					.size = 2,
					.one = quarters(3),
					.zero = quarters(1)};
	struct slot slots[] = {{0, 0, 2, 0}, {0, 1, 2, 0}};
	static double law[REPORTS];

	enumerate(&p, 1, slots, 2, law);
	NEAR(law[1], .75);
	enumerate(&p, 0, slots, 2, law);
	NEAR(law[1], .25);
}

static void grr_keeps_the_symbol_or_takes_one_of_the_others(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_GRR, .size = 5, .keep = quarters(3)};
	struct slot slots[] = {{0, 1, 12, 0}, {0, 2, 12, 0}};
	static double law[REPORTS];

	for (uint64_t v = 0; v < 5; v++) {
		enumerate(&p, v, slots, 2, law);
		for (unsigned y = 0; y < 5; y++)
			NEAR(law[y], y == v ? .75 : .25 / 4);
	}
}

static void unary_bits_are_independent_with_their_two_rates(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_OUE,
					.size = 4,
					.one = quarters(2),
					.zero = quarters(1)};
	struct slot slots[] = {{0, 0, 16, 0}, {0, 1, 16, 0}};
	static double law[REPORTS];

	for (uint64_t v = 0; v < 4; v++) {
		enumerate(&p, v, slots, 2, law);
		for (unsigned y = 0; y < 16; y++) {
			double want = 1;

			for (unsigned i = 0; i < 4; i++) {
				double one = i == v ? .5 : .25;

				want *= y >> i & 1 ? one : 1 - one;
			}
			NEAR(law[y], want);
		}
	}
}

static void hadamard_response_spreads_evenly_inside_and_outside_the_set(void)
{
	static double law[REPORTS];

	for (uint32_t blocks = 1; blocks <= 2; blocks++) {
		struct sotto_client_params p = {.protocol = SOTTO_CLIENT_HR,
						.size = blocks == 1 ? 7 : 6,
						.width = blocks == 1 ? 8 : 4,
						.groups = blocks,
						.keep = quarters(3)};
		struct slot slots[] = {{0, 1, 12, 0}, {0, 2, 12, 0}, {0, 3, 8, 0}};
		double inside = .75 / (p.width / 2.0);
		double outside = .25 / (p.width * blocks - p.width / 2.0);

		for (uint64_t v = 0; v < p.size; v++) {
			uint32_t block = (uint32_t)v % blocks, row = (uint32_t)v / blocks + 1;

			enumerate(&p, v, slots, 3, law);
			for (uint32_t y = 0; y < p.width * blocks; y++) {
				bool in = y / p.width == block &&
					  __builtin_parity(y % p.width & row) == 0;

				NEAR(law[y], in ? inside : outside);
			}
		}
	}
}

static void subsets_are_uniform_given_whether_they_hold_the_value(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_SUBSET, .size = 5, .hashes = 2, .keep = quarters(1)};
	struct slot slots[] = {{0, 1, 12, 0}, {0, 2, 12, 0}, {0, 3, 12, 0}};
	static double law[REPORTS];

	for (uint64_t v = 0; v < 5; v++) {
		double total = 0;

		/* two one-byte symbols make a report below 5 * 256 + 5 */
		enumerate(&p, v, slots, 3, law);
		for (unsigned a = 0; a < 5; a++)
			for (unsigned b = a + 1; b < 5; b++) {
				double want = a == v || b == v ? .25 / 4 : .75 / 6;

				NEAR(law[a | b << 8], want);
				total += law[a | b << 8];
			}
		NEAR(total, 1);
	}
}

static void a_subset_of_one_is_grr(void)
{
	struct sotto_client_params s = {
		.protocol = SOTTO_CLIENT_SUBSET, .size = 5, .hashes = 1, .keep = quarters(3)};
	struct sotto_client_params g = {
		.protocol = SOTTO_CLIENT_GRR, .size = 5, .keep = quarters(3)};
	struct slot slots[] = {{0, 1, 12, 0}, {0, 2, 12, 0}};
	static double one[REPORTS], two[REPORTS];

	enumerate(&s, 3, slots, 2, one);
	enumerate(&g, 3, slots, 2, two);
	for (unsigned y = 0; y < 5; y++)
		NEAR(one[y], two[y]);
}

static void the_mean_bit_is_linear_in_the_value(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 6, .flip = quarters(1)};
	struct slot slots[] = {{0, 0, 12, 0}, {0, 2, 12, 0}};
	static double law[REPORTS];

	for (uint64_t x = 0; x <= 6; x++) {
		enumerate(&p, x, slots, 2, law);
		NEAR(law[1], .25 + (double)x / 6 * .5);
	}
	/* output perturbation with gamma = 1/4 on top, from its own fresh words */
	p.flip2 = quarters(1);
	{
		struct slot more[] = {{0, 0, 12, 0}, {0, 2, 12, 0}, {1, 1, 12, 0}};

		enumerate(&p, 6, more, 3, law);
		NEAR(law[1], .75 * .75 + .25 * .25);
	}
}

static void dbitflip_draws_buckets_evenly_and_flips_each_bit(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_DBITFLIP, .size = 2, .hashes = 1, .flip = quarters(1)};
	struct slot slots[] = {{0, 0, 12, 0}, {1, 0, 2, 0}, {1, 1, 2, 0}};
	static double law[REPORTS];

	enumerate(&p, 1, slots, 3, law);
	for (unsigned bucket = 0; bucket < 2; bucket++)
		for (unsigned bit = 0; bit < 2; bit++)
			NEAR(law[bucket | bit << 8], .5 * (bit == (bucket == 1) ? .75 : .25));
}

static void rappor_report_bits_have_the_instantaneous_rates(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_RAPPOR,
					.size = 3,
					.width = 3,
					.hashes = 1,
					.groups = 1,
					.zero = quarters(1),
					.one = quarters(3)};
	struct slot slots[] = {{0, 0, 8, 0}, {0, 1, 8, 0}};
	static double law[REPORTS];

	enumerate(&p, 2, slots, 2, law);
	for (unsigned y = 0; y < 8; y++) {
		double want = 1;

		for (unsigned i = 0; i < 3; i++)
			want *= (y >> i & 1) == (i == 2) ? .75 : .25;
		NEAR(law[y << 8], want); /* the cohort's byte comes first */
	}
}

static void a_certain_chance_is_certain(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_RR,
					.size = 2,
					.one = quarters(4),
					.zero = quarters(0)};
	struct slot slots[] = {{0, 0, 2, 0}};
	static double law[REPORTS];

	enumerate(&p, 1, slots, 1, law);
	NEAR(law[1], 1);
	enumerate(&p, 0, slots, 1, law);
	NEAR(law[1], 0);
}

int main(void)
{
	RUN(randomized_response_answers_yes_as_often_as_it_says);
	RUN(grr_keeps_the_symbol_or_takes_one_of_the_others);
	RUN(unary_bits_are_independent_with_their_two_rates);
	RUN(hadamard_response_spreads_evenly_inside_and_outside_the_set);
	RUN(subsets_are_uniform_given_whether_they_hold_the_value);
	RUN(a_subset_of_one_is_grr);
	RUN(the_mean_bit_is_linear_in_the_value);
	RUN(dbitflip_draws_buckets_evenly_and_flips_each_bit);
	RUN(rappor_report_bits_have_the_instantaneous_rates);
	RUN(a_certain_chance_is_certain);
	return tap_done();
}
