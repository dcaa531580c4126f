/* Time of Gaussian draws against the noise they make: small or large.  CKS20 must be caught. */
#include <stdlib.h>

#include "random/dgauss_block.h"
#include "testlib/cks20.h"
#include "testlib/gauss_replay.h"
#include "testlib/sigmas.h"
#include "testlib/tap.h"
#include "testlib/timing.h"

enum {
	SIGMA = 1000,
	GROUP = 64,
	BLOCK = 4000,
	ATTEMPTS = 3,
	ORACLE_CALLS = 600000,
	TRIALS_BYTES = 65536
};
static const double leak = 4.5;

static struct sotto_dgauss *law;
static int64_t out[BLOCK];

static void call_single(void *context, struct sotto_rng *rng)
{
	if (sotto_dgauss_draw(law, rng, context) != SOTTO_OK)
		abort();
}

static void call_group(void *context, struct sotto_rng *rng)
{
	if (sotto_dgauss_fill(law, rng, context, GROUP) != SOTTO_OK)
		abort();
}

static void call_block(void *context, struct sotto_rng *rng)
{
	if (sotto_dgauss_fill(law, rng, context, BLOCK) != SOTTO_OK)
		abort();
}

static void call_oracle(void *context, struct sotto_rng *rng)
{
	if (cks20_gaussian(rng, SIGMA * SIGMA, 1, context) != SOTTO_OK)
		abort();
}

static int class_between(double size, double small, double large)
{
	return size < small ? 0 : size > large ? 1 : -1;
}

static int class_of_one(void *context)
{
	return class_between(fabs((double)*(const int64_t *)context), 0.3 * SIGMA, 1.5 * SIGMA);
}

/* The sum of n sizes is 0.80 sigma n on average, with a deviation of 0.60 sigma sqrt(n). */
static int class_of_many(const int64_t *y, size_t n)
{
	double sum = 0, mean = 0.798 * SIGMA * (double)n, part = 0.4 * SIGMA * sqrt((double)n);

	for (size_t i = 0; i < n; i++)
		sum += fabs((double)y[i]);
	return class_between(sum, mean - part, mean + part);
}

static int class_of_group(void *context)
{
	return class_of_many(context, GROUP);
}

static int class_of_block(void *context)
{
	return class_of_many(context, BLOCK);
}

/*
 * Other programs make a large t by accident, and seldom three times in a row; a
 * leak makes it every time.
 */
static void check_no_leak(const struct timing_subject *s, size_t n)
{
	double best = INFINITY;

	for (uint64_t i = 0; i < ATTEMPTS && !(best < leak); i++) {
		double t = fabs(timing_t_by_outcome(s, n, i));

		tap_note("t = %.2f over %zu calls (%s)", t, n, law->path->name);
		best = fmin(best, t);
	}
	CHECK(best < leak);
}

static void the_rejection_sampler_is_caught(void)
{
	const struct timing_subject s = {call_oracle, class_of_one, out, TRIALS_BYTES};
	double most = 0;

	for (uint64_t i = 0; i < ATTEMPTS && !(most > leak); i++) {
		most = fmax(most, fabs(timing_t_by_outcome(&s, ORACLE_CALLS, i)));
		tap_note("t = %.1f", most);
	}
	CHECK(most > leak);
}

static void a_single_draw_takes_as_long_for_any_noise(void)
{
	const struct timing_subject s = {call_single, class_of_one, out, TRIALS_BYTES};

	check_no_leak(&s, 5000000);
}

static void check_path(const struct sotto_dgauss_path *path)
{
	const struct timing_subject group = {call_group, class_of_group, out,
					     gauss_replay_plain_bytes(law, GROUP) + 4096};
	const struct timing_subject block = {call_block, class_of_block, out,
					     gauss_replay_plain_bytes(law, BLOCK) + 4096};

	law->path = path;
	check_no_leak(&group, 5000000);
	check_no_leak(&block, 200000);
}

static void bulk_draws_take_as_long_for_any_noise(void)
{
	const struct sotto_dgauss_path *best = sotto_dgauss_path_best();

	check_path(best);
#if defined(__x86_64__)
	if (best == &sotto_dgauss_avx512)
		check_path(&sotto_dgauss_avx2);
#endif
	law->path = best;
}

int main(void)
{
	law = law_of("1000000");
	RUN(the_rejection_sampler_is_caught);
	RUN(a_single_draw_takes_as_long_for_any_noise);
	RUN(bulk_draws_take_as_long_for_any_noise);
	sotto_dgauss_free(law);
	return tap_done();
}
