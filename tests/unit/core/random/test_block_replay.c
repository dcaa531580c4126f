/* One tape, one result: definition, portable, AVX2 and AVX-512, also where everything is rare. */
#include <stdlib.h>

#include "core/random/laplace/planes.h"
#include "core/random/laplace/sampler_block.h"
#include "testlib/sampler/replay.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

/* Value bits 0, 0, 1, 6, 8, 9, 16, 17, 24, 25, 46 and 56: each edge of a slot. */
static const char *const scales[] = {"1024",
				     "45",
				     "30",
				     "1",
				     "0.2",
				     "0.1",
				     "1/1000",
				     "1/2000",
				     "3e-6",
				     "1.5e-6",
				     "1/1099511627776",
				     "1/1125899906842624"};
enum { SCALES = sizeof scales / sizeof scales[0] };

static const struct sotto_block_path *paths[3] = {&sotto_block_portable};
static unsigned path_count = 1;

static void find_paths(void)
{
#if defined(__x86_64__)
	const struct sotto_block_path *best = sotto_block_path_best();

	if (best != &sotto_block_portable)
		paths[path_count++] = &sotto_block_avx2;
	if (best == &sotto_block_avx512)
		paths[path_count++] = &sotto_block_avx512;
#endif
	for (unsigned i = 0; i < path_count; i++)
		tap_note("path: %s", paths[i]->name);
}

static void scale_init(const char *eps, bool has_sign, struct sotto_planes *p)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	if (sotto_rational_parse(&r, eps, NULL) != SOTTO_OK ||
	    sotto_planes_init(p, &r, has_sign) != SOTTO_OK)
		abort();
	sotto_rational_release(&r);
}

static bool all_zero(const void *bytes, size_t n)
{
	const uint8_t *b = bytes;

	return n == 0 || (b[0] == 0 && memcmp(b, b + 1, n - 1) == 0);
}

/* The fill by each path gives `want` and reads `used` bytes; nothing is left behind. */
static void check_paths(struct sotto_planes *p, const uint8_t *tape, size_t used, size_t window,
			const int64_t *want, size_t n)
{
	int64_t *out = malloc((n + 1) * sizeof *out);

	for (unsigned i = 0; i < path_count; i++) {
		struct tape *t = tape_open(tape, used, window);

		memset(t->rng.scratch, 0, SOTTO_SCRATCH_BYTES);
		memset(out, 0x55, (n + 1) * sizeof *out);
		p->path = paths[i];
		CHECK_INT(sotto_planes_fill(p, &t->rng, out, n), SOTTO_OK);
		(void)tap_check(memcmp(out, want, n * sizeof *out) == 0, __FILE__, __LINE__,
				"%s: %zu draws of %u planes, window %zu, differ", p->path->name,
				n, p->count, window);
		CHECK(out[n] == INT64_C(0x5555555555555555));
		CHECK_INT(tape_used(t), used);
		CHECK(all_zero(t->bytes, used));
		CHECK(all_zero(t->rng.scratch, SOTTO_SCRATCH_BYTES));
		tape_close(t);
	}
	free(out);
}

static void check_tape(struct sotto_planes *p, const uint8_t *tape, size_t used,
		       const int64_t *want, size_t n)
{
	static const size_t windows[] = {0, 1, 63, 64, 1000, 16384};

	for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
		check_paths(p, tape, used, windows[i], want, n);
}

/* How often the tail was taken at least `steps` times. */
static long far_tails(const struct sotto_planes *p, const int64_t *z, size_t n, int64_t steps)
{
	long count = 0;

	for (size_t i = 0; i < n; i++)
		count += (p->has_sign ? z[i] ^ -(z[i] < 0) : z[i]) >> p->value_bits >= steps;
	return count;
}

static struct {
	long one, two;
} tails; /* seen by the running test */

/* n draws from a plain tape, or from one on which the odds happen. */
static void
check_fill(struct sotto_planes *p, size_t n, const struct replay_odds *odds, uint64_t seed)
{
	size_t room = replay_room(p, n), used;
	uint8_t *tape = malloc(room);
	int64_t *want = malloc(n * sizeof *want + 1);

	if (!tape || !want)
		abort();
	p->path = &sotto_block_portable; /* the definition draws by the portable core */
	if (odds)
		used = replay_write(p, seed, odds, tape, want, n);
	else {
		tape_noise(seed, tape, room);
		used = replay_fill(p, tape, want, n);
	}
	CHECK(used <= room);
	tails.one += far_tails(p, want, n, 1);
	tails.two += far_tails(p, want, n, 2);
	check_tape(p, tape, used, want, n);
	free(tape);
	free(want);
}

static void check_scales(const struct replay_odds *odds, size_t rounds, const size_t *sizes,
			 size_t size_count)
{
	for (size_t i = 0; i < 2 * SCALES; i++) {
		struct sotto_planes p;

		scale_init(scales[i / 2], i % 2, &p);
		for (size_t j = 0; j < rounds * size_count; j++)
			check_fill(&p, sizes[j % size_count], odds, 1000 * i + j);
		sotto_planes_release(&p);
	}
}

static void plain_tapes_of_any_length(void)
{
	static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 1000, 4096, 4160, 8200};

	check_scales(NULL, 1, sizes, sizeof sizes / sizeof sizes[0]);
}

static void tied_heads_on_every_side(void)
{
	static const struct replay_odds odds = {.tied_head = 3};
	static const size_t sizes[] = {64, 192, 1030};

	check_scales(&odds, 2, sizes, 3);
}

static void tied_words_are_continued_also_past_the_stored_digits(void)
{
	static const struct replay_odds odds = {.tied_head = 2, .tied_word = 160};
	static const size_t sizes[] = {64, 130, 320};

	check_scales(&odds, 2, sizes, 3);
}

static void more_ties_than_the_budget(void)
{
	static const struct replay_odds odds = {
		.tied_head = 60, .tied_word = 30, .zero_word = 20};
	static const size_t sizes[] = {64, 128, 640};

	check_scales(&odds, 2, sizes, 3);
}

static void nothing_but_ties(void)
{
	static const struct replay_odds odds = {.tied_head = 256, .tied_word = 40};
	static const size_t sizes[] = {64, 192};

	check_scales(&odds, 1, sizes, 2);
}

static void tails_and_tails_of_tails(void)
{
	static const struct replay_odds odds = {
		.tied_head = 40, .tied_word = 60, .zero_word = 140};
	static const size_t sizes[] = {64, 70, 200};

	memset(&tails, 0, sizeof tails);
	check_scales(&odds, 2, sizes, 3);
	CHECK(tails.one > 100);
	CHECK(tails.two > 10);
}

/* What one block of a fill leaves in the work area must not reach the next. */
static void a_block_does_not_see_the_one_before(void)
{
	static const struct replay_odds odds = {
		.tied_head = 4, .tied_word = 60, .zero_word = 140};
	static const size_t sizes[] = {4096 + 192};

	memset(&tails, 0, sizeof tails);
	check_scales(&odds, 1, sizes, 1);
	CHECK(tails.one > 100);
}

static void single_draws_with_ties_and_tails(void)
{
	static const struct replay_odds odds = {
		.tied_head = 0, .tied_word = 60, .zero_word = 100};
	static const size_t sizes[] = {1, 2, 40};

	memset(&tails, 0, sizeof tails);
	check_scales(&odds, 3, sizes, 3);
	CHECK(tails.one > 100);
	CHECK(tails.two > 10);
}

static void bytes_of_a_fill_are_a_constant_of_the_scale_and_n(void)
{
	static const struct {
		const char *eps;
		size_t block;
	} cases[] = {{"1", 35328}, {"1/1000", 78848}, {"1/1099511627776", 209408}};
	static int64_t out[4096];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_planes p;

		scale_init(cases[i].eps, true, &p);
		CHECK_INT(replay_plain_bytes(&p, 4096), cases[i].block);
		for (uint64_t seed = 0; seed < 20 * path_count; seed++) {
			struct tape *t = tape_open_random(seed, cases[i].block + 1, 0);
			int64_t z;

			p.path = paths[seed % path_count];
			CHECK_INT(sotto_planes_fill(&p, &t->rng, out, 4096), SOTTO_OK);
			CHECK_INT(tape_used(t), cases[i].block);
			tape_close(t);
			t = tape_open_random(seed, 8 * p.count + 1, 0);
			CHECK_INT(sotto_planes_draw(&p, &t->rng, &z), SOTTO_OK);
			CHECK_INT(tape_used(t), 8 * p.count);
			tape_close(t);
		}
		sotto_planes_release(&p);
	}
}

/* All or nothing, wherever the tape ends. */
static void a_fill_that_fails_is_zeroed(void)
{
	enum { N = 70 };
	struct sotto_planes p;
	size_t full;

	scale_init("1", true, &p);
	full = replay_plain_bytes(&p, N);
	for (size_t n = 0; n < full; n++) {
		struct tape *t = tape_open_random(n, n, 100);
		int64_t out[N];

		memset(out, 0x55, sizeof out);
		memset(t->rng.scratch, 0, SOTTO_SCRATCH_BYTES);
		p.path = paths[n % path_count];
		CHECK_INT(sotto_planes_fill(&p, &t->rng, out, N), SOTTO_EENTROPY);
		CHECK(all_zero(out, sizeof out));
		CHECK(all_zero(t->rng.scratch, SOTTO_SCRATCH_BYTES));
		tape_close(t);
	}
	sotto_planes_release(&p);
}

/* A scale without value bits (eps >= 45) has no slot of values: none may be read. */
static void what_was_in_the_scratch_does_not_come_out(void)
{
	struct sotto_planes p;
	int64_t out[256];

	scale_init("64", true, &p);
	for (unsigned i = 0; i < path_count; i++) {
		struct tape *t = tape_open_random(12, 1 << 16, 0);

		p.path = paths[i];
		memset(t->rng.scratch, 0xa5, SOTTO_SCRATCH_BYTES);
		CHECK_INT(sotto_planes_fill(&p, &t->rng, out, 256), SOTTO_OK);
		CHECK(all_zero(out, sizeof out));
		tape_close(t);
	}
	sotto_planes_release(&p);
}

int main(void)
{
	find_paths();
	RUN(plain_tapes_of_any_length);
	RUN(tied_heads_on_every_side);
	RUN(tied_words_are_continued_also_past_the_stored_digits);
	RUN(more_ties_than_the_budget);
	RUN(nothing_but_ties);
	RUN(tails_and_tails_of_tails);
	RUN(a_block_does_not_see_the_one_before);
	RUN(single_draws_with_ties_and_tails);
	RUN(bytes_of_a_fill_are_a_constant_of_the_scale_and_n);
	RUN(a_fill_that_fails_is_zeroed);
	RUN(what_was_in_the_scratch_does_not_come_out);
	return tap_done();
}
