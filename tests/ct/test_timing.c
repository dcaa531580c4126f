/*
 * Time against noise: small or large, fixed or random.  CKS20 must be caught.
 *
 * Single draws (and strict fills, which are made of them) are asked both.  In
 * bulk, addresses depend on where heads are tied: one tape may take a thousandth
 * longer than another, and only whether that follows the outcome is asked.
 */
#include <stdlib.h>

#include "core/random/laplace/sampler_block.h"
#include "testlib/sampler/cks20.h"
#include "testlib/sampler/replay.h"
#include "testlib/tap.h"
#include "testlib/statistics/timing.h"

enum { GROUP = 64, BLOCK = 4096, ORACLE_CALLS = 1000000, ORACLE_BYTES = 4096 };

static struct sotto_planes scale; /* eps = 1/1000 */
static int64_t out[BLOCK];

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

static void call_group(void *context, struct sotto_rng *rng)
{
	if (sotto_planes_fill(&scale, rng, context, GROUP) != SOTTO_OK)
		abort();
}

static void call_block(void *context, struct sotto_rng *rng)
{
	if (sotto_planes_fill(&scale, rng, context, BLOCK) != SOTTO_OK)
		abort();
}

static void call_oracle(void *context, struct sotto_rng *rng)
{
	if (cks20_laplace(rng, 1, 1000, context) != SOTTO_OK)
		abort();
}

static int class_between(double size, double small, double large)
{
	return size < small ? 0 : size > large ? 1 : -1;
}

static int class_of_one(void *context)
{
	return class_between(fabs((double)*(const int64_t *)context), 200, 2000);
}

static double sum_of_sizes(const int64_t *z, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs((double)z[i]);
	return sum;
}

/* The sum of n sizes is 1000 n on average, with a deviation of 1000 sqrt(n). */
static int class_of_group(void *context)
{
	return class_between(sum_of_sizes(context, GROUP), 59000, 69000);
}

static int class_of_block(void *context)
{
	return class_between(sum_of_sizes(context, BLOCK), 4060000, 4130000);
}

static void the_rejection_sampler_is_caught(void)
{
	const struct timing_subject s = {call_oracle, class_of_one, out, ORACLE_BYTES};

	timing_check_caught(&s, ORACLE_CALLS);
}

static void a_single_draw_takes_as_long_for_any_noise(void)
{
	const struct timing_subject s = {call_core, class_of_one, out, 8 * (size_t)scale.count};

	timing_check_even(&s, timing_t_by_outcome, 10000000, scale.path->name);
	timing_check_even(&s, timing_t_fixed, 10000000, scale.path->name);
}

static void check_path(const struct sotto_block_path *path)
{
	const struct timing_subject group = {call_group, class_of_group, out,
					     replay_plain_bytes(&scale, GROUP)};
	const struct timing_subject block = {call_block, class_of_block, out,
					     replay_plain_bytes(&scale, BLOCK)};

	scale.path = path;
	timing_check_even(&group, timing_t_by_outcome, 10000000, scale.path->name);
	timing_check_even(&block, timing_t_by_outcome, 200000, scale.path->name);
	scale.path = sotto_block_path_best();
}

static void bulk_draws_take_as_long_for_any_noise(void)
{
	const struct sotto_block_path *best = sotto_block_path_best();

	check_path(best);
#if defined(__x86_64__)
	if (best == &sotto_block_avx512)
		check_path(&sotto_block_avx2);
#endif
	if (best != &sotto_block_portable)
		check_path(&sotto_block_portable);
}

int main(void)
{
	scale_init();
	RUN(the_rejection_sampler_is_caught);
	RUN(a_single_draw_takes_as_long_for_any_noise);
	RUN(bulk_draws_take_as_long_for_any_noise);
	sotto_planes_release(&scale);
	return tap_done();
}
