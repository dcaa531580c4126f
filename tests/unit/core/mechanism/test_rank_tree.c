/*
 * Ranks from a tree of noisy counts: right without noise, within their intervals
 * with it, one noise for all ranks.
 */
#include "core/mechanism/quantile/quantile.h"

#include <stdlib.h>

#include "core/mechanism/quantile/rank_tree.h"
#include "sotto/noise.h"
#include "testlib/chance.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { VALUES = 400, GRID = 100000 };

/* Skewed data with ties: most values are small. */
struct data {
	struct sotto_exact values[VALUES], counts[VALUES];
	struct sotto_histogram h;
	int64_t n;
};

static void data_make(struct data *d, uint64_t seed, int64_t grid)
{
	struct chance c = {seed};
	int64_t at = -50;

	*d = (struct data){.h = {.values = d->values, .counts = d->counts, .lo = -50}};
	d->h.hi = d->h.lo + grid - 1;
	while (d->h.n < VALUES) {
		at += 1 + (int64_t)(d->h.n * d->h.n / 400 * chance_below(&c, 4));
		if (at > d->h.hi)
			break;
		d->values[d->h.n] = sotto_exact_of(at);
		d->counts[d->h.n] = sotto_exact_of(1 + chance_below(&c, 9));
		d->n += d->counts[d->h.n++].secret;
	}
}

/* The first value that at least q of the values do not exceed. */
static int64_t quantile_of(const struct data *d, const struct sotto_rank *r)
{
	int64_t upto = 0;

	for (size_t i = 0; i < d->h.n; i++) {
		upto += d->counts[i].secret;
		if (upto * r->whole >= r->part * d->n)
			return d->values[i].secret;
	}
	return d->h.hi;
}

static struct sotto_laplace *laplace_of(const char *scale)
{
	struct sotto_rational s = rational_of(scale);
	struct sotto_laplace *m = NULL;

	CHECK_INT(sotto_laplace_new_scale(&s, &m), SOTTO_OK);
	sotto_rational_release(&s);
	return m;
}

static struct sotto_gaussian *gaussian_of(const char *sigma2)
{
	struct sotto_rational s = rational_of(sigma2);
	struct sotto_gaussian *m = NULL;

	CHECK_INT(sotto_gaussian_new(&s, &m), SOTTO_OK);
	sotto_rational_release(&s);
	return m;
}

static void without_noise_every_shape_finds_every_rank(void)
{
	struct sotto_laplace *noise = laplace_of("1/1024");
	struct sotto_rng *rng = stream_open(1);
	struct data d;

	data_make(&d, 9, 3000);
	for (unsigned bits = 1; bits <= 8; bits++) {
		struct sotto_rank_tree t = {bits, (12 + bits - 1) / bits};
		struct sotto_rank ranks[41];
		struct sotto_noisy out[41];

		for (uint32_t i = 0; i <= 40; i++)
			ranks[i] = (struct sotto_rank){i, 40, -1, i % 40 == 0, 0};
		REQUIRE(sotto_rank_tree_publish(&t,
						&(struct sotto_rank_noise){.laplace = noise},
						rng, &d.h, ranks, 41, out) == SOTTO_OK);
		for (uint32_t i = 0; i <= 40; i++)
			CHECK_INT(out[i].value, quantile_of(&d, &ranks[i]));
	}
	sotto_laplace_free(noise);
	stream_close(rng);
}

static void equal_ranks_get_equal_answers(void)
{
	static const struct sotto_rank ranks[] = {
		{1, 2, 0, 0, 0}, {1, 4, 0, 0, 0}, {2, 4, 0, 0, 0}};
	const struct sotto_rank_tree t = sotto_rank_tree_best(GRID, false);
	struct sotto_laplace *noise = laplace_of("30");
	struct sotto_rng *rng = stream_open(2);
	struct data d;

	data_make(&d, 10, GRID);
	for (int i = 0; i < 300; i++) {
		struct sotto_noisy out[3];

		REQUIRE(sotto_rank_tree_publish(&t,
						&(struct sotto_rank_noise){.laplace = noise},
						rng, &d.h, ranks, 3, out) == SOTTO_OK);
		REQUIRE(out[0].value == out[2].value);
	}
	sotto_laplace_free(noise);
	stream_close(rng);
}

/* Sums of the noisy counts up to child i: the least to come, or the most so far. */
static int64_t edge_of(const struct sotto_noisy *counts, int i, bool most)
{
	int64_t sum = 0, edge = most ? INT64_MIN : INT64_MAX;

	for (int j = 0; j < 4; j++) {
		sum += counts[j].value;
		if (most ? j <= i && sum > edge : j >= i && sum < edge)
			edge = sum;
	}
	return edge;
}

/* The child with the rank, from noisy counts alone; an end takes the first or last crossing. */
static int child_of(const struct sotto_rank *r, int64_t n, const struct sotto_noisy *counts)
{
	int64_t target = 2 * r->part * (n < 0 ? 0 : n) + r->side + r->offset * r->whole;

	for (int i = 0; i < 3; i++) {
		int64_t most = edge_of(counts, i, true), least = edge_of(counts, i, false);
		int64_t twice = r->offset < 0   ? 2 * most
				: r->offset > 0 ? 2 * least
						: most + least;

		if (twice * r->whole >= target)
			return i;
	}
	return 3;
}

/* Every count that is looked at has noise, the number of all values too. */
static void a_level_is_decided_by_noisy_counts_alone(void)
{
	static const struct sotto_rank ranks[] = {
		{1, 2, 0, 0, 0}, {1, 2, 0, 0, -4}, {1, 2, 0, 0, 4}, {3, 4, -1, 0, 0}};
	static const struct sotto_exact values[] = {{0}, {1}, {2}, {3}},
					counts[] = {{3}, {1}, {2}, {4}}, all = {10};
	const struct sotto_histogram h = {values, counts, 4, 0, 3};
	const struct sotto_rank_tree t = {2, 1};
	struct sotto_laplace *noise = laplace_of("3");

	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct sotto_rng *rng = stream_open(seed), *again = stream_open(seed);
		struct sotto_noisy out[4], n, noisy[4];

		REQUIRE(sotto_rank_tree_publish(&t,
						&(struct sotto_rank_noise){.laplace = noise},
						rng, &h, ranks, 4, out) == SOTTO_OK);
		REQUIRE(sotto_laplace_publish_all(noise, again, &all, &n, 1) == SOTTO_OK);
		REQUIRE(sotto_laplace_publish_all(noise, again, counts, noisy, 4) == SOTTO_OK);
		for (int i = 0; i < 4; i++)
			CHECK_INT(out[i].value, child_of(&ranks[i], n.value, noisy));
		stream_close(rng);
		stream_close(again);
	}
	sotto_laplace_free(noise);
}

/* Half values: sigma sqrt(2 (children on the way + 1) ln(levels / beta)), or Chernoff's. */
static void errors_are_those_of_all_the_counts_on_the_way(void)
{
	const struct sotto_rank_tree one = {1, 1}, two = {1, 2}, many = {8, 4};
	double near = 0.1 * sqrt(4 * 1021 * log(4 / 0.05)) * 1000;

	CHECK_INT(sotto_rank_tree_error_up(&one, true, 10, 0.05), 2 * 35); /* 34.6 */
	CHECK_INT(sotto_rank_tree_error_up(&two, true, 10, 0.05), 2 * 48); /* 47.05 */
	CHECK_REL((double)sotto_rank_tree_error_up(&many, false, 100, 0.05), 2 * near, 0.02);
	CHECK((double)sotto_rank_tree_error_up(&many, false, 100, 0.05) > 2 * near);
}

/* How many of the runs have the rank within its interval; offsets are divided by `shrink`. */
static unsigned covered(const struct sotto_rank_noise *noise, bool gaussian, double scale,
			const struct sotto_rank *r, unsigned runs, int64_t shrink)
{
	const struct sotto_rank_tree t = sotto_rank_tree_best(GRID, gaussian);
	int64_t offset = (sotto_rank_tree_error_up(&t, gaussian, scale, 0.025) + 1) / shrink;
	struct sotto_rank ends[2] = {*r, *r};
	struct sotto_rng *rng = stream_open(r->part + 100);
	unsigned within = 0;
	struct data d;

	ends[0].offset = -offset;
	ends[1].offset = offset;
	data_make(&d, 11, GRID);
	for (unsigned i = 0; i < runs; i++) {
		struct sotto_noisy out[2];
		int64_t truth = quantile_of(&d, r);

		if (sotto_rank_tree_publish(&t, noise, rng, &d.h, ends, 2, out) == SOTTO_OK)
			within += out[0].value <= truth && truth <= out[1].value;
	}
	stream_close(rng);
	return within;
}

static const struct sotto_rank asked[] = {{0, 1, -1, 0, 0},
					  {1, 10, -1, 0, 0},
					  {1, 2, -1, 0, 0},
					  {9, 10, -1, 0, 0},
					  {1, 1, -1, 0, 0}};

/* 95 % of 1000, less six standard deviations. */
static void intervals_hold_the_rank(void)
{
	unsigned runs = effort() == EFFORT_SANITIZED ? 100 : 1000;
	double least = 0.95 * runs - 6 * sqrt(0.0475 * runs);
	struct sotto_laplace *laplace = laplace_of("5");
	struct sotto_gaussian *gaussian = gaussian_of("49");

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		CHECK(covered(&(struct sotto_rank_noise){.laplace = laplace}, false, 5,
			      &asked[i], runs, 1) > least);
		CHECK(covered(&(struct sotto_rank_noise){.gaussian = gaussian}, true, 7,
			      &asked[i], runs, 1) > least);
	}
	sotto_laplace_free(laplace);
	sotto_gaussian_free(gaussian);
}

static void intervals_that_are_too_short_are_found(void)
{
	struct sotto_laplace *laplace = laplace_of("5");

	CHECK(covered(&(struct sotto_rank_noise){.laplace = laplace}, false, 5, &asked[2], 1000,
		      12) < 900);
	sotto_laplace_free(laplace);
}

static void an_empty_group_is_answered(void)
{
	static const struct sotto_rank r = {1, 2, 0, 0, 0};
	const struct sotto_histogram nothing = {.lo = 3, .hi = 1002};
	const struct sotto_rank_tree t = sotto_rank_tree_best(1000, false);
	struct sotto_laplace *noise = laplace_of("2");
	struct sotto_rng *rng = stream_open(5);

	for (int i = 0; i < 200; i++) {
		struct sotto_noisy out = {-1};

		REQUIRE(sotto_rank_tree_publish(&t,
						&(struct sotto_rank_noise){.laplace = noise},
						rng, &nothing, &r, 1, &out) == SOTTO_OK);
		REQUIRE(out.value >= 3 && out.value <= 1002);
	}
	sotto_laplace_free(noise);
	stream_close(rng);
}

/* Noise of a huge scale must neither overflow nor leave the grid. */
static void huge_noise_stays_on_the_grid(void)
{
	const struct sotto_rank_tree t = sotto_rank_tree_best(GRID, false);
	struct sotto_laplace *noise = laplace_of("1000000000000000");
	struct sotto_rng *rng = stream_open(6);
	struct data d;

	data_make(&d, 12, GRID);
	for (int i = 0; i < 200; i++) {
		struct sotto_rank r = {999999, 1000000, 0, INT64_C(1) << 60,
				       i % 2 ? INT64_C(1) << 60 : 0};
		struct sotto_noisy out;

		REQUIRE(sotto_rank_tree_publish(&t,
						&(struct sotto_rank_noise){.laplace = noise},
						rng, &d.h, &r, 1, &out) == SOTTO_OK);
		REQUIRE(out.value >= d.h.lo && out.value <= d.h.hi);
	}
	sotto_laplace_free(noise);
	stream_close(rng);
}

static void the_best_shape_covers_the_grid(void)
{
	for (int64_t n = 1; n < INT64_C(1) << 40; n = n * 3 + 1)
		for (int gaussian = 0; gaussian < 2; gaussian++) {
			struct sotto_rank_tree t = sotto_rank_tree_best(n, gaussian);

			CHECK((int64_t)1 << t.bits * t.height >= n);
			CHECK(t.height == 0 || (int64_t)1 << t.bits * (t.height - 1) < n);
		}
}

int main(void)
{
	RUN(without_noise_every_shape_finds_every_rank);
	RUN(equal_ranks_get_equal_answers);
	RUN(a_level_is_decided_by_noisy_counts_alone);
	RUN(errors_are_those_of_all_the_counts_on_the_way);
	RUN(intervals_hold_the_rank);
	RUN(intervals_that_are_too_short_are_found);
	RUN(an_empty_group_is_answered);
	RUN(huge_noise_stays_on_the_grid);
	RUN(the_best_shape_covers_the_grid);
	return tap_done();
}
