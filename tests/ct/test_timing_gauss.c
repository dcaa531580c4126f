/* Time of Gaussian draws against the noise they make: small or large.  CKS20 must be caught. */
#include <stdlib.h>

#include "core/random/gaussian/dgauss_block.h"
#include "testlib/sampler/cks20.h"
#include "testlib/sampler/gauss_replay.h"
#include "testlib/sampler/sigmas.h"
#include "testlib/tap.h"
#include "testlib/statistics/timing.h"

enum {
	SIGMA = 1000,
	GROUP = 64,
	BLOCK = 4000,
	ATTEMPTS = 3,
	ORACLE_CALLS = 600000,
	TRIALS_BYTES = 65536
};

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

static void the_rejection_sampler_is_caught(void)
{
	const struct timing_subject s = {call_oracle, class_of_one, out, TRIALS_BYTES};

	timing_check_caught(&s, ORACLE_CALLS);
}

static void a_single_draw_takes_as_long_for_any_noise(void)
{
	const struct timing_subject s = {call_single, class_of_one, out, TRIALS_BYTES};

	timing_check_even(&s, timing_t_by_outcome, 5000000, law->path->name);
}

static void check_path(const struct sotto_dgauss_path *path)
{
	const struct timing_subject group = {call_group, class_of_group, out,
					     gauss_replay_plain_bytes(law, GROUP) + 4096};
	const struct timing_subject block = {call_block, class_of_block, out,
					     gauss_replay_plain_bytes(law, BLOCK) + 4096};

	law->path = path;
	timing_check_even(&group, timing_t_by_outcome, 5000000, law->path->name);
	timing_check_even(&block, timing_t_by_outcome, 200000, law->path->name);
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
