/*
 * Bins by binary magnitude in constant time; two walks along the ladder, one from each end,
 * stop where a sparse vector with half of epsilon says that enough values were passed.
 */
#include "core/mechanism/private_bounds.h"
#include "sotto/stream.h"

#include <math.h>
#include <string.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wipe.h"
#include "sotto/stream.h"

enum { ZERO = SOTTO_BOUNDS_BINS / 2 };

/* The least m >= 1 with x <= 2^(m-1), for x >= 1: how many binary digits x - 1 has, plus 1. */
static size_t level(uint64_t x)
{
	uint64_t rest = x - 1;
	size_t digits = 0;

	/* half as many digits each time; the same steps for every x */
	for (unsigned half = 32; half > 0; half /= 2) {
		uint64_t wide = sotto_mask(rest >> half > 0);

		digits += half & (size_t)wide;
		rest = sotto_mask_u64(wide & 1, rest >> half, rest);
	}
	return digits + (size_t)rest + 1;
}

size_t sotto_bounds_bin(int64_t x)
{
	bool negative = x < 0;
	uint64_t size = sotto_mask_u64(negative, -(uint64_t)x, (uint64_t)x);
	size_t m = level(size | (size == 0)) & (size_t)sotto_mask(size > 0);

	return ZERO + sotto_mask_size(negative, -m, m);
}

/* 2^(m-1), held at INT64_MAX */
static int64_t rung(size_t m)
{
	return m < 64 ? INT64_C(1) << (m - 1) : INT64_MAX;
}

struct sotto_range sotto_bounds_of_bin(size_t bin)
{
	size_t m = bin > ZERO ? bin - ZERO : ZERO - bin;
	int64_t near = m > 1 ? rung(m - 1) + 1 : m == 1, far = m ? rung(m) : 0;

	if (bin >= ZERO)
		return (struct sotto_range){near, far};
	/* rung 64 is 2^63 on this side, and fits */
	return (struct sotto_range){m == 64 ? INT64_MIN : -far, -near};
}

void sotto_bounds_count(const struct sotto_exact *values, size_t n,
			struct sotto_exact counts[SOTTO_BOUNDS_BINS])
{
	memset(counts, 0, SOTTO_BOUNDS_BINS * sizeof *counts);
	for (size_t i = 0; i < n; i++)
		counts[sotto_bounds_bin(values[i].secret)].secret++;
}

/* One walk along the ladder. */
struct walk {
	const struct sotto_bounds_options *options;
	const struct sotto_exact *counts;
	int64_t threshold;
	bool downward;
};

/* Where it ended. */
struct landing {
	size_t bin;
	bool found; /* there were enough values up to this bin */
};

static enum sotto_status new_sparse(const struct sotto_bounds_options *o, int64_t threshold,
				    struct sotto_sparse_vector **out, struct sotto_error *err)
{
	struct sotto_rational half;
	struct sotto_sparse_vector_options s = {
		.epsilon = &half,
		.threshold = threshold,
		.sensitivity = o->contributions,
		.positives = 1,
		/* counts of more and more bins all rise together */
		.monotone = !o->replace};
	enum sotto_status st;

	sotto_rational_init(&half);
	mpq_div_2exp(half.q, o->epsilon->q, 1);
	st = sotto_sparse_vector_new(&s, out, err);
	sotto_rational_release(&half);
	return st;
}

/* Asks for ever longer ends of the ladder, until there are enough values. */
static enum sotto_status ask_along(const struct walk *w, struct sotto_sparse_vector *sparse,
				   struct sotto_rng *rng, struct landing *out)
{
	struct sotto_exact passed = {0};
	struct sotto_sparse_answer answer = {.above = false};

	for (size_t i = 0; i < SOTTO_BOUNDS_BINS && !answer.above; i++) {
		out->bin = w->downward ? SOTTO_BOUNDS_BINS - 1 - i : i;
		passed.secret += w->counts[out->bin].secret;
		SOTTO_TRY(sotto_sparse_vector_ask(sparse, rng, passed, &answer));
	}
	out->found = answer.above;
	sotto_wipe(&passed, sizeof passed);
	return SOTTO_OK;
}

/* That no sum along the ladder can overflow, asked before the walks: they stop early. */
static enum sotto_status check_counts(const struct sotto_exact counts[SOTTO_BOUNDS_BINS])
{
	sotto_u128 total = 0;
	bool too_many;

	for (size_t i = 0; i < SOTTO_BOUNDS_BINS; i++) {
		uint64_t count = (uint64_t)counts[i].secret;

		total += sotto_mask_u64(counts[i].secret < 0, -count, count);
	}
	too_many = total > INT64_MAX;
	SOTTO_DECLASSIFY(too_many); /* more rows than anything can hold */
	return too_many ? SOTTO_EOVERFLOW : SOTTO_OK;
}

static enum sotto_status run_walk(const struct walk *w, struct sotto_rng *rng,
				  struct landing *out, struct sotto_error *err)
{
	struct sotto_sparse_vector *sparse = NULL;
	enum sotto_status st;

	SOTTO_TRY(new_sparse(w->options, w->threshold, &sparse, err));
	st = ask_along(w, sparse, rng, out);
	sotto_sparse_vector_free(sparse);
	return st;
}

/*
 * The threshold that no empty end of the ladder reaches, except with probability beta/2: the
 * error of a comparison.  Twice that is then the most that can lie outside.
 */
static enum sotto_status
threshold_of(const struct sotto_bounds_options *o, int64_t *threshold, struct sotto_error *err)
{
	struct sotto_sparse_vector *probe = NULL;
	enum sotto_status st;
	double error = 0;

	SOTTO_TRY(new_sparse(o, 0, &probe, err));
	st = sotto_sparse_vector_error(probe, SOTTO_BOUNDS_BINS, o->beta / 2, &error);
	sotto_sparse_vector_free(probe);
	*threshold = (int64_t)ceil(error); /* below 2^60: scales are at most 2^50 */
	return st;
}

static enum sotto_status check(const struct sotto_bounds_options *o, struct sotto_error *err)
{
	if (sotto_rational_sign(o->epsilon) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "epsilon must be greater than 0");
	if (o->contributions < 1)
		return sotto_fail(err, SOTTO_EINVAL, "a unit has at least one record");
	if (!(o->beta > 0 && o->beta < 1))
		return sotto_fail(err, SOTTO_EINVAL, "beta must lie between 0 and 1");
	return SOTTO_OK;
}

/* From one rung of the ladder to another: bins are open on the side of zero. */
static struct sotto_range range_between(size_t low, size_t high)
{
	return (struct sotto_range){sotto_bounds_of_bin(low).low - (low > ZERO),
				    sotto_bounds_of_bin(high).high + (high < ZERO)};
}

enum sotto_status sotto_bounds_find(const struct sotto_bounds_options *options,
				    struct sotto_rng *rng,
				    const struct sotto_exact counts[SOTTO_BOUNDS_BINS],
				    struct sotto_bounds *out, struct sotto_error *err)
{
	if (!options || !rng || !counts || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct walk down = {.options = options, .counts = counts, .downward = true}, up = down;
	struct landing low, high;

	SOTTO_TRY(check(options, err));
	SOTTO_TRY(check_counts(counts));
	SOTTO_TRY(threshold_of(options, &down.threshold, err));
	SOTTO_TRY(run_walk(&down, rng, &high, err));
	up.threshold = down.threshold;
	up.downward = false;
	SOTTO_TRY(run_walk(&up, rng, &low, err));
	*out = (struct sotto_bounds){.range = range_between(low.bin, high.bin),
				     .found = low.found && high.found && low.bin <= high.bin,
				     .outside = 2 * (uint64_t)down.threshold};
	return SOTTO_OK;
}

enum sotto_status
sotto_bounds_cost(const struct sotto_bounds_options *options, struct sotto_cost *cost)
{
	if (!options || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_pure(cost, options->epsilon);
}
