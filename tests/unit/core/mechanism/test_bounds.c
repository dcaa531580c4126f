/* Private bounds: the ladder, what is found and what is not, and that nothing else leaks in. */
#include "core/mechanism/private_bounds.h"
#include "sotto/stream.h"

#include <math.h>
#include <stdlib.h>

#include "sotto/stream.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static void bins_tile_all_integers_in_order(void)
{
	int64_t next = INT64_MIN;

	for (size_t bin = 0; bin < SOTTO_BOUNDS_BINS; bin++) {
		struct sotto_range r = sotto_bounds_of_bin(bin);

		CHECK(r.low == next && r.low <= r.high);
		CHECK_INT(sotto_bounds_bin(r.low), bin);
		CHECK_INT(sotto_bounds_bin(r.high), bin);
		CHECK_INT(sotto_bounds_bin(r.low + (r.high - r.low) / 2), bin);
		next = (int64_t)((uint64_t)r.high + 1);
	}
	CHECK(next == INT64_MIN); /* past INT64_MAX */
	CHECK_INT(sotto_bounds_bin(0), 64);
	CHECK_INT(sotto_bounds_bin(1), 65);
	CHECK_INT(sotto_bounds_bin(1024), 75);
	CHECK_INT(sotto_bounds_bin(1025), 76);
	CHECK_INT(sotto_bounds_bin(-1024), 53);
}

static struct sotto_bounds
find(const int64_t *values, size_t n, const char *epsilon, uint64_t seed)
{
	struct sotto_exact *exact = malloc((n + 1) * sizeof *exact);
	struct sotto_exact counts[SOTTO_BOUNDS_BINS];
	struct sotto_rational e = rational_of(epsilon);
	struct sotto_bounds_options o = {.epsilon = &e, .contributions = 1, .beta = 0.01};
	struct sotto_rng *rng = stream_open(seed);
	struct sotto_bounds out = {.found = false};

	for (size_t i = 0; i < n; i++)
		exact[i] = sotto_exact_of(values[i]);
	sotto_bounds_count(exact, n, counts);
	CHECK_INT(sotto_bounds_find(&o, rng, counts, &out, NULL), SOTTO_OK);
	free(exact);
	sotto_rational_release(&e);
	stream_close(rng);
	return out;
}

static void bounds_hold_all_but_a_few_values(void)
{
	enum { N = 2000 };
	int64_t values[N];
	int wrong = 0;

	for (int i = 0; i < N; i++)
		values[i] = 20 + i % 61; /* ages 20 .. 80 */
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct sotto_bounds b = find(values, N, "1", seed);
		uint64_t below = 0, above = 0;

		for (int i = 0; i < N; i++) {
			below += values[i] < b.range.low;
			above += values[i] > b.range.high;
		}
		wrong += !b.found || b.range.low < 16 || b.range.high > 128 ||
			 below > b.outside || above > b.outside;
	}
	CHECK(wrong <= 10); /* 1 % of 200, and room for chance */
}

static void a_few_outliers_do_not_move_the_bounds(void)
{
	enum { N = 2000 };
	int64_t values[N];
	int moved = 0;

	for (int i = 0; i < N; i++)
		values[i] = i < 3 ? INT64_MAX : i < 6 ? INT64_MIN : -100 + i % 300;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct sotto_bounds b = find(values, N, "1", seed);

		moved += b.range.high > 256 || b.range.low < -128;
	}
	CHECK(moved <= 5);
}

static void too_few_values_give_no_bounds(void)
{
	const int64_t values[] = {1, 2, 3};
	int found = 0;

	for (uint64_t seed = 0; seed < 100; seed++)
		found += find(values, 3, "0.1", seed).found;
	CHECK(found <= 5);
	CHECK(!find(NULL, 0, "0.1", 1).found);
}

static void negative_columns_have_negative_bounds(void)
{
	enum { N = 1000 };
	int64_t values[N];
	struct sotto_bounds b;

	for (int i = 0; i < N; i++)
		values[i] = -1000 + i % 400; /* -1000 .. -601 */
	b = find(values, N, "2", 3);
	CHECK(b.found);
	CHECK_INT(b.range.low, -1024);
	CHECK_INT(b.range.high, -512);
}

/* ---- the law of the header, step by step ----------------------------------------- */

/* One walk: an interaction with half the epsilon; counts only rise if nobody is replaced. */
static struct sotto_sparse_vector *
walk_of(const struct sotto_bounds_options *o, int64_t threshold, struct sotto_cost *cost)
{
	struct sotto_rational half = rational_of("1/2");
	struct sotto_sparse_vector_options s = {.epsilon = &half,
						.threshold = threshold,
						.sensitivity = o->contributions,
						.positives = 1,
						.monotone = !o->replace};
	struct sotto_sparse_vector *out = NULL;
	struct sotto_cost one;

	sotto_rational_multiply(&half, &half, o->epsilon);
	CHECK_INT(sotto_sparse_vector_new(&s, &out, NULL), SOTTO_OK);
	sotto_cost_init(&one);
	CHECK_INT(sotto_sparse_vector_cost(out, &one), SOTTO_OK);
	sotto_rational_add(&cost->epsilon, &cost->epsilon, &one.epsilon);
	sotto_cost_release(&one);
	sotto_rational_release(&half);
	return out;
}

static int64_t threshold_by_hand(const struct sotto_bounds_options *o)
{
	struct sotto_cost unused;
	struct sotto_sparse_vector *probe;
	double error = 0;

	sotto_cost_init(&unused);
	probe = walk_of(o, 0, &unused);
	CHECK_INT(sotto_sparse_vector_error(probe, SOTTO_BOUNDS_BINS, o->beta / 2, &error),
		  SOTTO_OK);
	sotto_sparse_vector_free(probe);
	sotto_cost_release(&unused);
	return (int64_t)ceil(error);
}

/* The bin at which a walk ends, or SOTTO_BOUNDS_BINS. */
static size_t walk(struct sotto_sparse_vector *sparse, struct sotto_rng *rng,
		   const struct sotto_exact *counts, bool downward)
{
	struct sotto_sparse_answer answer = {.above = false};
	int64_t passed = 0;

	for (size_t i = 0; i < SOTTO_BOUNDS_BINS; i++) {
		size_t bin = downward ? SOTTO_BOUNDS_BINS - 1 - i : i;

		passed += counts[bin].secret;
		CHECK_INT(sotto_sparse_vector_ask(sparse, rng, sotto_exact_of(passed), &answer),
			  SOTTO_OK);
		if (answer.above)
			return bin;
	}
	return SOTTO_BOUNDS_BINS;
}

/* With the same coins it ends where two such walks end, at the price of both. */
static void compare_with_walks(const struct sotto_bounds_options *o,
			       const struct sotto_exact *counts, uint64_t seed)
{
	struct sotto_rng *x = stream_open(seed), *y = stream_open(seed);
	int64_t threshold = threshold_by_hand(o);
	struct sotto_cost sum, cost;
	struct sotto_sparse_vector *down, *up;
	struct sotto_bounds b;
	size_t high, low;

	sotto_cost_init(&sum);
	sotto_cost_init(&cost);
	down = walk_of(o, threshold, &sum);
	up = walk_of(o, threshold, &sum);
	high = walk(down, y, counts, true);
	low = walk(up, y, counts, false);
	CHECK_INT(sotto_bounds_find(o, x, counts, &b, NULL), SOTTO_OK);
	CHECK_INT(b.outside, 2 * threshold);
	CHECK_INT(b.found, high < SOTTO_BOUNDS_BINS && low < SOTTO_BOUNDS_BINS && low <= high);
	if (b.found) {
		CHECK_INT(b.range.high, sotto_bounds_of_bin(high).high + (high < 64));
		CHECK_INT(b.range.low, sotto_bounds_of_bin(low).low - (low > 64));
	}
	CHECK_INT(sotto_bounds_cost(o, &cost), SOTTO_OK);
	CHECK(mpq_equal(sum.epsilon.q, cost.epsilon.q));
	sotto_sparse_vector_free(down);
	sotto_sparse_vector_free(up);
	sotto_cost_release(&sum);
	sotto_cost_release(&cost);
	stream_close(x);
	stream_close(y);
}

static void two_walks_share_the_epsilon_and_rise_only_if_nobody_is_replaced(void)
{
	struct sotto_rational epsilon = rational_of("3/4");
	struct sotto_exact counts[SOTTO_BOUNDS_BINS] = {{0}};

	for (size_t bin = 50; bin < 90; bin++)
		counts[bin] = sotto_exact_of((int64_t)(bin * 7 % 30));
	for (int code = 0; code < 4; code++) {
		struct sotto_bounds_options o = {.epsilon = &epsilon,
						 .contributions = code & 1 ? 3 : 1,
						 .replace = code & 2,
						 .beta = 0.05};

		for (uint64_t seed = 1; seed <= 50; seed++)
			compare_with_walks(&o, counts, seed);
	}
	sotto_rational_release(&epsilon);
}

static void bad_options_are_refused(void)
{
	struct sotto_exact counts[SOTTO_BOUNDS_BINS] = {{0}};
	struct sotto_rational one = rational_of("1"), zero = rational_of("0");
	struct sotto_bounds_options o = {.epsilon = &zero, .contributions = 1, .beta = 0.1};
	struct sotto_bounds out;
	struct sotto_error err;
	struct sotto_rng *rng = stream_open(1);

	CHECK_INT(sotto_bounds_find(&o, rng, counts, &out, &err), SOTTO_EINVAL);
	o.epsilon = &one;
	o.contributions = 0;
	CHECK_INT(sotto_bounds_find(&o, rng, counts, &out, &err), SOTTO_EINVAL);
	o.contributions = 1;
	o.beta = 1;
	CHECK_INT(sotto_bounds_find(&o, rng, counts, &out, &err), SOTTO_EINVAL);
	o.beta = 0.1;
	/* no counting gives these; a sum that wraps would */
	counts[0] = counts[1] = sotto_exact_of(INT64_MIN / 2 - 1);
	CHECK_INT(sotto_bounds_find(&o, rng, counts, &out, &err), SOTTO_EOVERFLOW);
	stream_close(rng);
	sotto_rational_release(&one);
	sotto_rational_release(&zero);
}

int main(void)
{
	RUN(bins_tile_all_integers_in_order);
	RUN(bounds_hold_all_but_a_few_values);
	RUN(a_few_outliers_do_not_move_the_bounds);
	RUN(too_few_values_give_no_bounds);
	RUN(negative_columns_have_negative_bounds);
	RUN(two_walks_share_the_epsilon_and_rise_only_if_nobody_is_replaced);
	RUN(bad_options_are_refused);
	return tap_done();
}
