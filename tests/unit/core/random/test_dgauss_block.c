/*
 * Bulk draws against their definition: on plain tapes and on tapes full of what is
 * rare, on every instruction set, in windows of any size.
 */
#include "core/random/gaussian/dgauss_block.h"

#include <stdlib.h>

#include "testlib/sampler/gauss_replay.h"
#include "testlib/sampler/sigmas.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static const struct sotto_dgauss_path *const paths[] = {
	&sotto_dgauss_portable,
#if defined(__x86_64__)
	&sotto_dgauss_avx2,
	&sotto_dgauss_avx512,
#endif
};

/* How many of them this CPU can run: they are in order, the best one last. */
static size_t runnable(void)
{
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		if (paths[i] == sotto_dgauss_path_best())
			return i + 1;
	return 0;
}

static void check_path(struct sotto_dgauss *g, const struct gauss_replay *r,
		       const int64_t *want, size_t n, size_t window)
{
	struct tape *t = tape_open(r->tape, r->at, window);
	int64_t *got = calloc(n, sizeof *got);

	CHECK_INT(sotto_dgauss_fill(g, &t->rng, got, n), SOTTO_OK);
	CHECK(memcmp(got, want, n * sizeof *got) == 0);
	CHECK_INT(tape_used(t), r->at);
	free(got);
	tape_close(t);
}

/* Writes a tape by the definition and has it read by every path. */
static void check_fill(struct sotto_dgauss *g, const struct gauss_odds *odds, uint64_t seed,
		       size_t n, struct gauss_replay *r)
{
	static const size_t windows[] = {0, 1, 100, 1000, 16384};
	int64_t *want = calloc(n, sizeof *want);
	size_t room = gauss_replay_room(g, n);

	*r = (struct gauss_replay){.law = g, .room = room, .odds = odds, .state = seed};
	r->tape = calloc(1, room);
	gauss_replay_fill(r, want, n);
	CHECK_INT(r->misjudged, 0);
	for (size_t i = 0; i < runnable(); i++) {
		g->path = paths[i];
		check_path(g, r, want, n, windows[(seed + i) % 5]);
	}
	free(r->tape);
	free(want);
}

static void plain_tapes_are_read_by_the_definition(void)
{
	static const struct gauss_odds plain = {0};
	static const size_t counts[] = {5, 63, 64, 500, 4000};

	for (size_t i = 0; i < sigmas_count; i++) {
		struct sotto_dgauss *g = law_of(sigmas[i]);
		size_t n = counts[i % 5];
		struct gauss_replay r;

		check_fill(g, &plain, i, n, &r);
		CHECK_INT(r.at, gauss_replay_plain_bytes(g, n));
		sotto_dgauss_free(g);
	}
}

static void tapes_full_of_what_is_rare_are_read_by_the_definition(void)
{
	static const struct gauss_odds odds[] = {
		{.tied_head = 4, .tied_word = 128, .tail = 1}, /* the list has room */
		{.tied_head = 64, .tied_word = 200, .tail = 8}, /* it overflows */
		{.tied_head = 2, .tied_word = 255}, /* ties of ties of ties */
		{.rejected = 235, .tail = 8}, /* the plan falls short */
		{.tied_head = 128, .tied_word = 240, .tail = 100},
	};
	size_t left_over = 0, tied_words = 0, tails = 0, tails_accepted = 0, plans = 0;

	for (size_t i = 0; i < sigmas_count; i++) {
		struct sotto_dgauss *g = law_of(sigmas[i]);

		for (size_t k = 0; k < (getenv("SOTTO_LONG") ? 200 : 10); k++) {
			struct gauss_replay r;

			check_fill(g, &odds[k % 5], 100 * i + k, 40, &r);
			left_over += r.left_over;
			tied_words += r.tied_words;
			tails += r.tails_settled;
			tails_accepted += r.tails_accepted;
			plans += r.plans > 1;
		}
		sotto_dgauss_free(g);
	}
	tap_note("%zu past the list, %zu tied words, %zu tails, %zu accepted; %zu short plans",
		 left_over, tied_words, tails, tails_accepted, plans);
	CHECK(left_over > 100 && tied_words > 100 && tails > 100);
	CHECK(tails_accepted > 10 && plans > 10);
}

static void bytes_per_call_are_a_constant_of_law_and_number(void)
{
	for (size_t i = 0; i < sigmas_count; i += 3) {
		struct sotto_dgauss *g = law_of(sigmas[i]);

		for (size_t n = 5; n < 10000; n = 3 * n + 1) {
			size_t want = gauss_replay_plain_bytes(g, n);
			int64_t *out = calloc(n, sizeof *out);

			for (uint64_t seed = 0; seed < 5; seed++) {
				struct tape *t = tape_open_random(seed, want + 64, 0);

				CHECK_INT(sotto_dgauss_fill(g, &t->rng, out, n), SOTTO_OK);
				CHECK_INT(tape_used(t), want);
				tape_close(t);
			}
			free(out);
		}
		sotto_dgauss_free(g);
	}
}

/* log2 of P[Bin(n, q) > k], by the first 60 terms past k; they fall fast. */
static double log2_upper_tail(double n, double q, double k)
{
	double sum = 0;

	for (double i = k + 1; i <= fmin(n, k + 60); i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(q) +
			   (n - i) * log1p(-q));
	return log2(sum);
}

static void a_list_is_too_short_with_probability_below_2_to_the_minus_64(void)
{
	for (double lanes = 64; lanes <= 4096; lanes += 64) {
		double band = SOTTO_DGAUSS_BELOW + 1 + SOTTO_DGAUSS_ABOVE;

		CHECK(log2_upper_tail(lanes, band / 65536, 11 + floor(lanes / 384)) < -64);
		CHECK(log2_upper_tail(lanes, 1.0 / 65536, 8 + floor(lanes / 1024)) < -64);
	}
}

/* Hoeffding's bound of P[Bin(n, q) < k], in bits: n times the divergence of k/n from q. */
static double log2_lower_tail(double n, double q, double k)
{
	double f = k / n;

	return -n * (f * log2(f / q) + (1 - f) * log2((1 - f) / (1 - q)));
}

static void a_plan_falls_short_with_probability_below_2_to_the_minus_110(void)
{
	for (double q = 0.45; q < 0.97; q += 0.01)
		for (double n = 5; n < 1e12; n = ceil(1.1 * n))
			CHECK(log2_lower_tail((n + 10 * sqrt(n) + 50) / q, q, n) < -110);
}

static void failing_entropy_at_any_byte_zeroes_the_output(void)
{
	struct sotto_dgauss *g = law_of("10000");
	size_t whole = gauss_replay_plain_bytes(g, 5), bad = 0;

	for (size_t n = 0; n < whole; n++) {
		struct tape *t = tape_open_random(n, n, n % 3 ? 100 : 0);
		int64_t out[5] = {1, 1, 1, 1, 1};

		bad += sotto_dgauss_fill(g, &t->rng, out, 5) != SOTTO_EENTROPY;
		for (int i = 0; i < 5; i++)
			bad += out[i] != 0;
		tape_close(t);
	}
	CHECK_INT(bad, 0);
	sotto_dgauss_free(g);
}

int main(void)
{
	RUN(plain_tapes_are_read_by_the_definition);
	RUN(tapes_full_of_what_is_rare_are_read_by_the_definition);
	RUN(bytes_per_call_are_a_constant_of_law_and_number);
	RUN(a_list_is_too_short_with_probability_below_2_to_the_minus_64);
	RUN(a_plan_falls_short_with_probability_below_2_to_the_minus_110);
	RUN(failing_entropy_at_any_byte_zeroes_the_output);
	return tap_done();
}
