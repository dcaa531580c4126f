/* Intervals where reports, or what is left to chance in them, are few: summed over the exact law. */
#include "local/decode/estimate.h"
#include "local/decode/special.h"
#include "local/protocol/design.h"
#include "sotto/decode.h"
#include "sotto/local.h"

#include <math.h>

#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

/* P(`ones` of n coins are 1), half of which are 1 with probability a and the others with b. */
static double two_kinds(uint64_t n, double a, double b, uint64_t ones)
{
	uint64_t half = n / 2;
	double sum = 0;

	for (uint64_t k = 0; k <= half && k <= ones; k++)
		sum += sotto_binomial_mass(half, a, k) *
		       sotto_binomial_mass(n - half, b, ones - k);
	return sum;
}

/* How often the interval covers the mean of people of whom half have x and half y. */
static double
mean_coverage(const struct sotto_client_params *p, uint64_t n, double x, double y, double alpha)
{
	double flip = sotto_local_chance(p->flip), m = p->size, covered = 0;
	double truth = ((double)(n / 2) * x + (double)(n - n / 2) * y) / (double)n;

	for (uint64_t ones = 0; ones <= n; ones++) {
		struct sotto_local_aggregate *a = NULL;
		struct sotto_local_mean e = {.sd = 0};

		if (sotto_local_aggregate_new(p, &a) == SOTTO_OK &&
		    sotto_local_aggregate_import(a, n, NULL, &ones) == SOTTO_OK &&
		    sotto_local_decode_mean(a, alpha, &e) == SOTTO_OK && e.sd > 0 &&
		    e.low <= truth && truth <= e.high)
			covered += two_kinds(n, flip + (1 - 2 * flip) * x / m,
					     flip + (1 - 2 * flip) * y / m, ones);
		sotto_local_aggregate_free(a);
	}
	return covered;
}

static void intervals_of_means_hold_for_few_reports_and_large_epsilons(void)
{
	static const char *const epsilons[] = {"0.01", "1", "8"};
	static const uint64_t counts[] = {1, 2, 3, 10, 100};
	static const double values[][2] = {{0, 0}, {100, 100}, {0, 1}, {3, 40}, {0, 100}};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_client_params p = {.protocol = SOTTO_CLIENT_ONE_BIT_MEAN,
						.size = 100};

		CHECK_INT(sotto_local_design(&p, ratio(epsilons[i]), NULL, NULL, NULL),
			  SOTTO_OK);
		for (size_t k = 0; k < 5; k++)
			for (size_t v = 0; v < 5; v++) {
				CHECK(mean_coverage(&p, counts[k], values[v][0], values[v][1],
						    .05) > .95);
				CHECK(mean_coverage(&p, counts[k], values[v][0], values[v][1],
						    .3) > .7);
			}
	}
}

enum { FEW = 12 };

/* One more device: it draws the bucket with share, and then sends a one with rate. */
static void add_device(double law[FEW + 1][FEW + 1], double share, double rate)
{
	for (int drawn = FEW; drawn >= 0; drawn--)
		for (int ones = FEW; ones >= 0; ones--) {
			double p = law[drawn][ones] * (1 - share);

			if (drawn > 0)
				p += law[drawn - 1][ones] * share * (1 - rate);
			if (drawn > 0 && ones > 0)
				p += law[drawn - 1][ones - 1] * share * rate;
			law[drawn][ones] = p;
		}
}

/* How often the interval of one of two buckets covers how many of n devices hold it. */
static double bucket_coverage(const struct sotto_client_params *p, uint64_t n, uint64_t holders,
			      const struct sotto_local_options *options)
{
	double law[FEW + 1][FEW + 1] = {{1}}, covered = 0;
	double flip = sotto_local_chance(p->flip), share = (double)p->hashes / p->size;
	struct sotto_local_candidates first = {.count = 1};

	for (uint64_t i = 0; i < n; i++)
		add_device(law, share, i < holders ? 1 - flip : flip);
	for (uint64_t drawn = 0; drawn <= n; drawn++)
		for (uint64_t ones = 0; ones <= drawn; ones++) {
			uint64_t groups[2] = {drawn, n - drawn}, cells[2] = {ones, 0};
			struct sotto_local_aggregate *a = NULL;
			struct sotto_local_estimate e = {.low = 1};

			if (sotto_local_aggregate_new(p, &a) == SOTTO_OK &&
			    sotto_local_aggregate_import(a, n, groups, cells) == SOTTO_OK &&
			    sotto_local_decode(a, &first, options, &e, NULL) == SOTTO_OK &&
			    e.low <= (double)holders && (double)holders <= e.high)
				covered += law[drawn][ones];
			sotto_local_aggregate_free(a);
		}
	return covered;
}

/* Two buckets, of which a device draws one: half of the holders cannot say so. */
static void intervals_of_drawn_buckets_hold_for_few_devices(void)
{
	static const char *const epsilons[] = {"0.01", "1", "8"};
	struct sotto_local_options options = {.alpha = .05};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_client_params p = {
			.protocol = SOTTO_CLIENT_DBITFLIP, .size = 2, .hashes = 1};

		CHECK_INT(sotto_local_design(&p, ratio(epsilons[i]), NULL, NULL, NULL),
			  SOTTO_OK);
		for (uint64_t n = 1; n <= FEW; n += n)
			for (uint64_t holders = 0; holders <= n; holders++)
				CHECK(bucket_coverage(&p, n, holders, &options) > .95);
	}
}

/* P(`ones` of n), far below the least double too. */
static long double mass(uint64_t n, double p, uint64_t ones)
{
	long double x = (long double)n, k = (long double)ones;

	return expl(lgammal(x + 1) - lgammal(k + 1) - lgammal(x - k + 1) +
		    k * logl((long double)p) + (x - k) * logl(1 - (long double)p));
}

/* The chance of c supports or more, or of c or fewer, if n_v of n hold the value. */
static long double tail(uint64_t n, uint64_t n_v, const double rates[2], uint64_t c, bool more)
{
	long double sum = 0;

	for (uint64_t x = 0; x <= n_v; x++)
		for (uint64_t y = 0; y <= n - n_v; y++)
			if (more ? x + y >= c : x + y <= c)
				sum += mass(n_v, rates[0], x) * mass(n - n_v, rates[1], y);
	return sum;
}

/* The ends are the outermost numbers whose tails are above alpha/2. */
static void check_ends(uint64_t n, const double rates[2], uint64_t c, double alpha)
{
	struct sotto_local_estimate e = {.low = 1};
	uint64_t low, high;

	CHECK_INT(sotto_local_estimate_pure(n, c, rates[0], rates[1], alpha, SOTTO_LOCAL_SAMPLE,
					    &e),
		  SOTTO_OK);
	low = (uint64_t)e.low;
	high = (uint64_t)e.high;
	CHECK(low == 0 || tail(n, low - 1, rates, c, true) <= (long double)alpha / 2);
	CHECK(low == n || tail(n, low, rates, c, true) > (long double)alpha / 2);
	CHECK(high == n || tail(n, high + 1, rates, c, false) <= (long double)alpha / 2);
	CHECK(high == 0 || tail(n, high, rates, c, false) > (long double)alpha / 2);
}

static void ends_are_exact_where_alpha_is_below_what_one_less_it_can_say(void)
{
	static const double rates[][2] = {{.75, .25}, {.5, .02}, {.98, .6}, {.99, .01}};
	static const double tiny[] = {1e-12, 1e-18, 1e-30, 1e-60};

	for (size_t r = 0; r < 4; r++)
		for (size_t a = 0; a < 4; a++)
			for (uint64_t c = 0; c <= 60; c += 6)
				check_ends(60, rates[r], c, tiny[a]);
}

int main(void)
{
	RUN(intervals_of_means_hold_for_few_reports_and_large_epsilons);
	RUN(intervals_of_drawn_buckets_hold_for_few_devices);
	RUN(ends_are_exact_where_alpha_is_below_what_one_less_it_can_say);
	return tap_done();
}
