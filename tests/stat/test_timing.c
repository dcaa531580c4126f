/* Time against noise: small or large, fixed or random.  CKS20 must be caught. */
#include <stdlib.h>

#include "random/block.h"
#include "testlib/cks20.h"
#include "testlib/tap.h"
#include "testlib/tape.h"
#include "testlib/timing.h"

enum {
	TAPES = 256,
	LANES = 64,
	ATTEMPTS = 3,
	ORACLE_BYTES = 2048,
};
static const double leak = 4.5;

static size_t calls(void)
{
	return getenv("SOTTO_LONG") ? 10000000 : 100000;
}

static struct sotto_planes scale; /* eps = 1/1000 */

static void scale_init(void)
{
	struct sotto_rational eps;

	sotto_rational_init(&eps);
	if (sotto_rational_set_ratio(&eps, 1, 1000) != SOTTO_OK ||
	    sotto_planes_init(&scale, &eps, true) != SOTTO_OK)
		abort();
	sotto_rational_release(&eps);
}

static void call_core(void *context, struct sotto_rng *rng)
{
	if (sotto_planes_draw(&scale, rng, context) != SOTTO_OK)
		abort();
}

static void call_block(void *context, struct sotto_rng *rng)
{
	if (sotto_planes_fill(&scale, rng, context, LANES) != SOTTO_OK)
		abort();
}

static void call_oracle(void *context, struct sotto_rng *rng)
{
	if (cks20_laplace(rng, 1, 1000, context) != SOTTO_OK)
		abort();
}

static int64_t out[LANES];

/* The sum of what a tape makes of its draws, in absolute value. */
static double size_of_noise(const struct timing_subject *s, const uint8_t *tape, size_t draws)
{
	struct tape *t = tape_open(tape, s->tape_bytes, 0);
	double sum = 0;

	s->call(out, &t->rng);
	for (size_t i = 0; i < draws; i++)
		sum += fabs((double)out[i]);
	tape_close(t);
	return sum;
}

/* Random tapes, sorted into those below `small` and those above `large`. */
static void
fill_small_and_large(struct timing_subject *s, size_t draws, double small, double large)
{
	size_t have[2] = {0};
	uint8_t *tape = malloc(s->tape_bytes);

	for (uint64_t seed = 0; have[0] < TAPES || have[1] < TAPES; seed++) {
		double size;
		int class;

		tape_noise(seed, tape, s->tape_bytes);
		size = size_of_noise(s, tape, draws);
		class = size > large;
		if ((size < small || size > large) && have[class] < TAPES)
			memcpy(s->classes[class] + have[class]++ * s->tape_bytes, tape,
			       s->tape_bytes);
	}
	free(tape);
}

/* The same tape again and again, against a new one each time; both from as many places. */
static void fill_fixed_and_random(struct timing_subject *s)
{
	for (size_t i = 0; i < TAPES; i++) {
		tape_noise(12345, s->classes[0] + i * s->tape_bytes, s->tape_bytes);
		tape_noise(i, s->classes[1] + i * s->tape_bytes, s->tape_bytes);
	}
}

/*
 * Noise from other programs makes a large t by accident, and seldom three times
 * in a row; a leak makes it every time.
 */
static double smallest_t(const struct timing_subject *s)
{
	double best = INFINITY;

	for (uint64_t i = 0; i < ATTEMPTS && !(best < leak); i++) {
		double t = fabs(timing_t(s, calls(), i));

		tap_note("t = %.2f over %zu calls", t, calls());
		best = fmin(best, t);
	}
	return best;
}

static void subject_init(struct timing_subject *s, void (*call)(void *, struct sotto_rng *),
			 size_t tape_bytes)
{
	timing_subject_init(s, TAPES, tape_bytes);
	s->call = call;
	s->context = out;
}

static void single_draws_take_as_long_for_small_as_for_large_noise(void)
{
	struct timing_subject s;

	subject_init(&s, call_core, 8 * (size_t)scale.count);
	fill_small_and_large(&s, 1, 200, 2000);
	CHECK(smallest_t(&s) < leak);
	timing_subject_release(&s);
}

static void single_draws_take_as_long_for_a_fixed_as_for_a_random_tape(void)
{
	struct timing_subject s;

	subject_init(&s, call_core, 8 * (size_t)scale.count);
	fill_fixed_and_random(&s);
	CHECK(smallest_t(&s) < leak);
	timing_subject_release(&s);
}

static size_t block_bytes(void)
{
	return LANES * scale.count + 8 * (2 * ((LANES * scale.count + 255) / 256) + 64);
}

static void check_block(const struct sotto_block_path *path)
{
	struct timing_subject s;

	scale.path = path;
	tap_note("path %s", path->name);
	subject_init(&s, call_block, block_bytes());
	fill_small_and_large(&s, LANES, 52000, 76000);
	CHECK(smallest_t(&s) < leak);
	fill_fixed_and_random(&s);
	CHECK(smallest_t(&s) < leak);
	timing_subject_release(&s);
	scale.path = sotto_block_path_best();
}

static void bulk_draws_take_as_long_for_any_noise(void)
{
	const struct sotto_block_path *best = sotto_block_path_best();

	check_block(best);
#if defined(__x86_64__)
	if (best == &sotto_block_avx512)
		check_block(&sotto_block_avx2);
#endif
	if (best != &sotto_block_portable)
		check_block(&sotto_block_portable);
}

static void the_rejection_sampler_is_caught(void)
{
	struct timing_subject s;
	double t;

	subject_init(&s, call_oracle, ORACLE_BYTES);
	fill_small_and_large(&s, 1, 200, 2000);
	t = fabs(timing_t(&s, calls(), 99));
	tap_note("t = %.1f", t);
	CHECK(t > leak);
	timing_subject_release(&s);
}

int main(void)
{
	scale_init();
	RUN(the_rejection_sampler_is_caught);
	RUN(single_draws_take_as_long_for_small_as_for_large_noise);
	RUN(single_draws_take_as_long_for_a_fixed_as_for_a_random_tape);
	RUN(bulk_draws_take_as_long_for_any_noise);
	sotto_planes_release(&scale);
	return tap_done();
}
