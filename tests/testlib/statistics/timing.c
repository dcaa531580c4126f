/*
 * Reads the time stamp counter between fences and mixes the classes without branches; up to
 * three attempts are made before a call is said to be uneven.
 */
#include "testlib/statistics/timing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "testlib/tap.h"
#include "testlib/tape.h"

#if defined(__x86_64__)
#include <x86intrin.h>

static uint64_t ticks(void)
{
	uint64_t t;

	_mm_mfence();
	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
}
#else
static uint64_t ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
#endif

struct sample {
	uint32_t ticks;
	int class;
};

struct pool {
	uint8_t *bytes;
	size_t tapes;
};

static void pool_init(struct pool *p, size_t tape_bytes, uint64_t seed)
{
	p->tapes = ((size_t)4 << 20) / tape_bytes;
	p->bytes = malloc(p->tapes * tape_bytes);
	if (!p->bytes)
		abort();
	tape_noise(seed, p->bytes, p->tapes * tape_bytes);
}

static uint32_t timed_call(const struct timing_subject *s, struct tape *t)
{
	uint64_t start;

	t->rng.next = t->bytes;
	t->rng.end = t->bytes + s->tape_bytes;
	start = ticks();
	s->call(s->context, &t->rng);
	return (uint32_t)(ticks() - start);
}

/* New bytes for each call: a tape that comes again would be asked about itself. */
static void measure_by_outcome(const struct timing_subject *s, size_t calls, uint64_t seed,
			       struct sample *out)
{
	struct tape *t = tape_open_random(seed, s->tape_bytes, 0);
	struct sotto_rng *fresh = stream_open(seed);

	for (size_t i = 0; i < calls; i++) {
		if (sotto_source_copy(fresh, t->bytes, s->tape_bytes) != SOTTO_OK)
			abort();
		out[i].ticks = timed_call(s, t);
		out[i].class = s->class_of(s->context);
	}
	stream_close(fresh);
	tape_close(t);
}

/* Both tapes are read whichever is taken, so that caches cannot tell the classes apart. */
static void load_either(const struct pool *p, uint64_t which, const uint8_t *fixed, bool random,
			struct tape *t)
{
	const uint8_t *other = p->bytes + which % p->tapes * t->length;
	const uint8_t mask = (uint8_t)-random;

	for (size_t i = 0; i < t->length; i++)
		t->bytes[i] = (uint8_t)(fixed[i] ^ ((fixed[i] ^ other[i]) & mask));
}

static void
measure_fixed(const struct timing_subject *s, size_t calls, uint64_t seed, struct sample *out)
{
	struct tape *t = tape_open_random(seed, s->tape_bytes, 0);
	struct tape *fixed = tape_open_random(seed + 1, s->tape_bytes, 0);
	struct sotto_rng *choice = stream_open(seed);
	struct pool pool;

	pool_init(&pool, s->tape_bytes, seed);
	for (size_t i = 0; i < calls; i++) {
		uint64_t word;

		if (sotto_source_word(choice, &word) != SOTTO_OK)
			abort();
		load_either(&pool, word >> 1, fixed->bytes, word & 1, t);
		out[i].ticks = timed_call(s, t);
		out[i].class = word & 1;
	}
	free(pool.bytes);
	stream_close(choice);
	tape_close(fixed);
	tape_close(t);
}

static int compare_ticks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* What nine tenths of all calls stay below. */
static uint32_t slow_limit(const struct sample *samples, size_t n)
{
	uint32_t *sorted = malloc(n * sizeof *sorted), limit;

	if (!sorted)
		abort();
	for (size_t i = 0; i < n; i++)
		sorted[i] = samples[i].ticks;
	qsort(sorted, n, sizeof *sorted, compare_ticks);
	limit = sorted[n - n / 10 - 1];
	free(sorted);
	return limit;
}

static double welch(const struct sample *samples, size_t n, uint32_t limit)
{
	double count[2] = {0}, mean[2] = {0}, squares[2] = {0};

	for (size_t i = 0; i < n; i++) {
		int c = samples[i].class;
		double d;

		if (samples[i].ticks > limit || c < 0)
			continue;
		d = samples[i].ticks - mean[c];
		count[c]++;
		mean[c] += d / count[c];
		squares[c] += d * (samples[i].ticks - mean[c]);
	}
	return (mean[0] - mean[1]) / sqrt(squares[0] / (count[0] * (count[0] - 1)) +
					  squares[1] / (count[1] * (count[1] - 1)) + 1e-12);
}

static double
timing_t(const struct timing_subject *s, size_t calls, uint64_t seed,
	 void (*measure)(const struct timing_subject *, size_t, uint64_t, struct sample *))
{
	struct sample *samples = calloc(calls, sizeof *samples);
	double t;

	if (!samples)
		abort();
	measure(s, calls, seed, samples);
	t = welch(samples, calls, slow_limit(samples, calls));
	free(samples);
	return t;
}

double timing_t_by_outcome(const struct timing_subject *s, size_t calls, uint64_t seed)
{
	return timing_t(s, calls, seed, measure_by_outcome);
}

double timing_t_fixed(const struct timing_subject *s, size_t calls, uint64_t seed)
{
	return timing_t(s, calls, seed, measure_fixed);
}

/* ---- verdicts -------------------------------------------------------------------- */

enum { ATTEMPTS = 3 };
static const double leak = 4.5;

void timing_check_even(const struct timing_subject *s, timing_function timing, size_t calls,
		       const char *name)
{
	double least = INFINITY;

	for (uint64_t i = 0; i < ATTEMPTS && !(least < leak); i++) {
		double t = fabs(timing(s, calls, i));

		tap_note("t = %.2f over %zu calls (%s)", t, calls, name);
		least = fmin(least, t);
	}
	CHECK(least < leak);
}

void timing_check_caught(const struct timing_subject *s, size_t calls)
{
	double most = 0;

	for (uint64_t i = 0; i < ATTEMPTS && !(most > leak); i++) {
		most = fmax(most, fabs(timing_t_by_outcome(s, calls, i)));
		tap_note("t = %.1f", most);
	}
	CHECK(most > leak);
}
