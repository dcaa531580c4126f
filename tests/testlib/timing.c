#include "testlib/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

void timing_subject_init(struct timing_subject *s, size_t tapes, size_t tape_bytes)
{
	memset(s, 0, sizeof *s);
	s->tapes = tapes;
	s->tape_bytes = tape_bytes;
	for (int c = 0; c < 2; c++)
		if (!(s->classes[c] = calloc(tapes, tape_bytes)))
			abort();
}

void timing_subject_release(struct timing_subject *s)
{
	free(s->classes[0]);
	free(s->classes[1]);
}

struct sample {
	uint32_t ticks;
	uint32_t class;
};

static void
measure(const struct timing_subject *s, size_t calls, uint64_t seed, struct sample *out)
{
	uint32_t *order = malloc(calls * sizeof *order);
	struct tape *t = tape_open(s->classes[0], s->tape_bytes, 0);

	if (!order)
		abort();
	tape_noise(seed, (uint8_t *)order, calls * sizeof *order);
	for (size_t i = 0; i < calls; i++) {
		unsigned class = order[i] & 1;
		size_t tape = (order[i] >> 1) % s->tapes;
		uint64_t start;

		memcpy(t->bytes, s->classes[class] + tape * s->tape_bytes, s->tape_bytes);
		t->rng.next = t->bytes;
		t->rng.end = t->bytes + s->tape_bytes;
		start = ticks();
		s->call(s->context, &t->rng);
		out[i].ticks = (uint32_t)(ticks() - start);
		out[i].class = class;
	}
	tape_close(t);
	free(order);
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
		unsigned c = samples[i].class;
		double d = samples[i].ticks - mean[c];

		if (samples[i].ticks > limit)
			continue;
		count[c]++;
		mean[c] += d / count[c];
		squares[c] += d * (samples[i].ticks - mean[c]);
	}
	return (mean[0] - mean[1]) / sqrt(squares[0] / (count[0] * (count[0] - 1)) +
					  squares[1] / (count[1] * (count[1] - 1)) + 1e-12);
}

double timing_t(const struct timing_subject *s, size_t calls, uint64_t seed)
{
	struct sample *samples = malloc(calls * sizeof *samples);
	double t;

	if (!samples)
		abort();
	measure(s, calls, seed, samples);
	t = welch(samples, calls, slow_limit(samples, calls));
	free(samples);
	return t;
}
