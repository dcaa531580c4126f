/* Private bounds: the ladder, what is found and what is not, and that nothing else leaks in. */
#include "sotto/bounds.h"

#include <stdlib.h>

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
	RUN(bad_options_are_refused);
	return tap_done();
}
