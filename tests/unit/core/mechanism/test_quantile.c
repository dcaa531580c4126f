/*
 * Quantiles: over all small data sets the choice is that of the exponential
 * mechanism on scores written down from their definition, and one value more
 * moves no score further than the declared sensitivity.
 */
#include "core/account/cost/cost_inside.h"
#include "core/mechanism/quantile/quantile.h"

#include <stdlib.h>

#include "core/mechanism/choice/exponential.h"
#include "core/mechanism/quantile/rank.h"
#include "core/mechanism/quantile/rank_tree.h"
#include "sotto/choose.h"
#include "sotto/noise.h"
#include "testlib/chance.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { LO = -2, GRID = 6, MOST = 3 }; /* values -2 .. 3, each up to 3 times */

/* How often each value of the grid occurs. */
struct data {
	int64_t count[GRID];
};

static int64_t size_of(const struct data *d)
{
	int64_t n = 0;

	for (int i = 0; i < GRID; i++)
		n += d->count[i];
	return n;
}

static bool next_data(struct data *d)
{
	for (int i = 0; i < GRID; i++) {
		if (++d->count[i] <= MOST)
			return true;
		d->count[i] = 0;
	}
	return false;
}

struct histogram {
	struct sotto_exact values[GRID], counts[GRID];
	struct sotto_histogram h;
};

static void histogram_of(struct histogram *h, const struct data *d)
{
	h->h = (struct sotto_histogram){
		.values = h->values, .counts = h->counts, .lo = LO, .hi = LO + GRID - 1};
	for (int i = 0; i < GRID; i++) {
		if (d->count[i] == 0)
			continue;
		h->values[h->h.n] = sotto_exact_of(LO + i);
		h->counts[h->h.n++] = sotto_exact_of(d->count[i]);
	}
}

static const struct sotto_rank ranks[] = {
	{1, 2, 0, 0, 0},  {1, 2, -1, 0, 0}, {1, 4, 0, 0, 0},   {7, 10, -1, 0, 0},
	{0, 1, -1, 1, 0}, {1, 1, -1, 1, 0}, {9, 10, 0, 3, 0},  {0, 1, -1, 6, 0},
	{1, 3, 0, 4, 0},  {1, 2, 0, 0, 5},  {1, 4, -1, 0, -3}, {0, 1, -1, 0, -4},
};
enum { RANKS = sizeof ranks / sizeof *ranks };

/* The rank in values, as a fraction of 2 whole, from its description. */
static int64_t wanted(const struct sotto_rank *r, int64_t n)
{
	int64_t whole = r->whole, target = 2 * r->part * n + r->side;
	int64_t end = r->margin * whole < n * whole ? r->margin * whole : n * whole;

	if (r->margin > 0 && target < end)
		target = end;
	if (r->margin > 0 && target > 2 * whole * n - end)
		target = 2 * whole * n - end;
	return target + r->offset * whole;
}

/* Minus the number of values that are on the wrong side of v. */
static int64_t score(const struct sotto_rank *r, const struct data *d, int v)
{
	int64_t below = 0, upto = 0, target = wanted(r, size_of(d)), wrong = 0;

	for (int i = 0; i <= v; i++) {
		below += i < v ? d->count[i] : 0;
		upto += d->count[i];
	}
	if (v > 0 && 2 * r->whole * below - target > wrong)
		wrong = 2 * r->whole * below - target;
	if (v < GRID - 1 && target - 2 * r->whole * upto > wrong)
		wrong = target - 2 * r->whole * upto;
	return -wrong;
}

/* ---- the law ---------------------------------------------------------------------- */

static struct sotto_exponential *plain_choice(const struct sotto_rank *r, const char *epsilon)
{
	struct sotto_rational e = rational_of(epsilon), d;
	struct sotto_selection s = {.epsilon = &e, .sensitivity = &d};
	struct sotto_exponential *m = NULL;

	sotto_rational_init(&d);
	mpq_set_si(d.q, sotto_rank_sensitivity(r, 1), 1);
	CHECK_INT(sotto_exponential_new(&s, &m, NULL), SOTTO_OK);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return m;
}

static struct sotto_quantile *
quantile(const struct sotto_rank *r, int64_t rows, const char *epsilon)
{
	struct sotto_rational e = rational_of(epsilon);
	struct sotto_quantile *m = NULL;

	CHECK_INT(sotto_quantile_new(r, rows, &e, &m), SOTTO_OK);
	sotto_rational_release(&e);
	return m;
}

/* Equal outcomes next to each other may be exchanged: they are drawn from one run. */
static bool same_run(const struct sotto_rank *r, const struct data *d, int x, int y)
{
	int low = x < y ? x : y, high = x < y ? y : x;

	for (int i = low; i <= high; i++)
		if (score(r, d, i) != score(r, d, x) || (low < high && d->count[i] > 0))
			return false;
	return true;
}

/* The same random number gives the same outcome, outcome by outcome and run by run. */
static bool agrees(const struct sotto_rank *r, const struct sotto_quantile *m,
		   const struct sotto_exponential *plain, const struct data *d, uint64_t head)
{
	const uint64_t words[] = {head, 0x123456789abcdef0, head ^ 0x5555, head + 1, 7, 8};
	struct tape *t = tape_open(words, sizeof words, 0);
	struct sotto_exact scores[GRID];
	struct histogram h = {0};
	struct sotto_noisy out = {INT64_MIN};
	size_t index = SIZE_MAX;
	bool ok;

	histogram_of(&h, d);
	for (int i = 0; i < GRID; i++)
		scores[i] = sotto_exact_of(score(r, d, i));
	ok = sotto_exponential_select(plain, &t->rng, scores, GRID, &index) == SOTTO_OK;
	tape_load(t, words, sizeof words);
	ok = ok && sotto_quantile_publish(m, &t->rng, &h.h, &out) == SOTTO_OK;
	tape_close(t);
	return ok && out.value >= LO && out.value < LO + GRID &&
	       same_run(r, d, (int)index, (int)(out.value - LO));
}

static void the_choice_is_that_of_the_scores_by_definition(void)
{
	for (int i = 0; i < RANKS; i++) {
		struct sotto_quantile *m = quantile(&ranks[i], 1, "1");
		struct sotto_exponential *plain = plain_choice(&ranks[i], "1");
		struct data d = {{0}};
		struct chance c = {77};
		unsigned wrong = 0;

		do
			for (int j = 0; j < 4; j++)
				wrong += !agrees(&ranks[i], m, plain, &d, chance_word(&c));
		while (next_data(&d));
		(void)tap_check(wrong == 0, __FILE__, __LINE__, "rank %d: %u wrong", i, wrong);
		sotto_quantile_free(m);
		sotto_exponential_free(plain);
	}
}

/* The largest movement of any score when one value is added. */
static int64_t largest_move(const struct sotto_rank *r)
{
	struct data d = {{0}};
	int64_t most = 0;

	do
		for (int x = 0; x < GRID; x++) {
			struct data more = d;

			more.count[x]++;
			for (int v = 0; v < GRID; v++) {
				int64_t move = score(r, &more, v) - score(r, &d, v);

				most = llabs(move) > most ? llabs(move) : most;
			}
		}
	while (next_data(&d));
	return most;
}

static void one_value_moves_no_score_further_than_declared(void)
{
	for (int i = 0; i < RANKS; i++)
		CHECK(largest_move(&ranks[i]) <= sotto_rank_sensitivity(&ranks[i], 1));
	CHECK_INT(largest_move(&ranks[0]), sotto_rank_sensitivity(&ranks[0], 1));
	CHECK_INT(sotto_rank_sensitivity(&ranks[0], 5), 10);
}

/* With a margin the rank does not follow N, so max(q, 1 - q) would be too little. */
static void the_sensitivity_without_a_margin_is_too_small_with_one(void)
{
	struct sotto_rank with = ranks[8], without = with;

	without.margin = 0;
	CHECK(largest_move(&with) > sotto_rank_sensitivity(&without, 1));
	CHECK(largest_move(&with) <= sotto_rank_sensitivity(&with, 1));
}

static void copies_are_chosen_as_so_many_outcomes(void)
{
	const int64_t plain[] = {4, 4, 4, 1, 7, 7, 0, 0, 0, 0};
	const int64_t grouped[] = {4, 1, 7, 0};
	const uint64_t copies[] = {3, 1, 2, 4};
	const size_t group[] = {0, 0, 0, 1, 2, 2, 3, 3, 3, 3};
	const struct sotto_rank half = {1, 2, 0, 0, 0};
	struct sotto_exponential *m = plain_choice(&half, "3/2");
	struct sotto_exact x[10], y[4];
	struct chance c = {5};

	for (int i = 0; i < 10; i++)
		x[i] = sotto_exact_of(plain[i]);
	for (int i = 0; i < 4; i++)
		y[i] = sotto_exact_of(grouped[i]);
	for (int i = 0; i < 5000; i++) {
		const uint64_t words[] = {chance_word(&c), chance_word(&c)};
		struct tape *t = tape_open(words, sizeof words, 0);
		size_t one = 99, many = 99;

		REQUIRE(sotto_exponential_select(m, &t->rng, x, 10, &one) == SOTTO_OK);
		tape_load(t, words, sizeof words);
		REQUIRE(sotto_exponential_select_copies(m, &t->rng, y, copies, 4, &many) ==
			SOTTO_OK);
		tape_close(t);
		REQUIRE(group[one] == many);
	}
	sotto_exponential_free(m);
}

/* A boundary between two runs, met to the last digit: more digits decide. */
static void a_boundary_between_runs_is_decided_by_later_digits(void)
{
	const struct sotto_exact scores[] = {{2}, {2}};
	const uint64_t copies[] = {1, 3}; /* the boundary is at 1/4 */
	const struct sotto_rank half = {1, 2, 0, 0, 0};
	struct sotto_exponential *m = plain_choice(&half, "1");

	for (unsigned below = 0; below < 2; below++) {
		const uint64_t words[] = {UINT64_C(1) << 62, 0, 0, 0, 0, 1, 0, 0, 0, 0};
		const uint64_t under[] = {(UINT64_C(1) << 62) - 1,
					  UINT64_MAX,
					  UINT64_MAX,
					  UINT64_MAX,
					  UINT64_MAX,
					  0,
					  0,
					  0,
					  0,
					  0};
		struct tape *t = tape_open(below ? under : words, sizeof words, 0);
		size_t index = 99;

		CHECK_INT(
			sotto_exponential_select_copies(m, &t->rng, scores, copies, 2, &index),
			SOTTO_OK);
		CHECK_INT(index, below ? 0 : 1);
		CHECK(tape_used(t) > 16);
		tape_close(t);
	}
	sotto_exponential_free(m);
}

/* ---- what it means ------------------------------------------------------------------ */

/* PERCENTILE_DISC: the first value that at least q of the values do not exceed. */
static int disc(const struct data *d, int64_t part, int64_t whole)
{
	int64_t upto = 0, n = size_of(d);

	for (int i = 0; i < GRID; i++) {
		upto += d->count[i];
		if (d->count[i] > 0 && upto * whole >= part * n)
			return i;
	}
	return GRID;
}

static void at_a_large_epsilon_it_is_what_sql_says(void)
{
	static const struct sotto_rank all[] = {
		{0, 1, -1, 1, 0}, {1, 4, -1, 0, 0}, {1, 2, -1, 0, 0}, {1, 1, -1, 1, 0}};
	struct sotto_rng *rng = stream_open(3);

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct sotto_quantile *m = quantile(&all[i], 1, "100000");
		struct data d = {{1}};

		do {
			struct histogram h = {0};
			struct sotto_noisy out = {0};

			histogram_of(&h, &d);
			REQUIRE(sotto_quantile_publish(m, rng, &h.h, &out) == SOTTO_OK);
			if (out.value - LO != disc(&d, all[i].part, all[i].whole)) {
				CHECK(false);
				break;
			}
		} while (next_data(&d));
		CHECK(true);
		sotto_quantile_free(m);
	}
	stream_close(rng);
}

static void an_empty_group_is_answered(void)
{
	const struct sotto_rank half = {1, 2, 0, 0, 0};
	struct sotto_quantile *m = quantile(&half, 1, "1");
	struct sotto_rng *rng = stream_open(4);
	struct histogram h = {0};
	unsigned seen[GRID] = {0};
	const struct data nothing = {{0}};

	histogram_of(&h, &nothing);
	for (int i = 0; i < 6000; i++) {
		struct sotto_noisy out;

		REQUIRE(sotto_quantile_publish(m, rng, &h.h, &out) == SOTTO_OK);
		REQUIRE(out.value >= LO && out.value < LO + GRID);
		seen[out.value - LO]++;
	}
	for (int i = 0; i < GRID; i++)
		CHECK(seen[i] > 800 && seen[i] < 1200);
	sotto_quantile_free(m);
	stream_close(rng);
}

static void one_value_of_the_grid_is_all_there_is(void)
{
	const struct sotto_rank half = {1, 2, 0, 0, 0};
	const struct sotto_exact value = {5}, count = {9};
	const struct sotto_histogram h = {&value, &count, 1, 5, 5};
	const struct sotto_rank_tree tree = sotto_rank_tree_best(1, false);
	struct sotto_rational scale = rational_of("2");
	struct sotto_laplace *noise = NULL;
	struct sotto_quantile *m = quantile(&half, 1, "1");
	struct sotto_rng *rng = stream_open(6);
	struct sotto_noisy out;

	CHECK_INT(sotto_quantile_publish(m, rng, &h, &out), SOTTO_OK);
	CHECK_INT(out.value, 5);
	REQUIRE(sotto_laplace_new_scale(&scale, &noise) == SOTTO_OK);
	CHECK_INT(sotto_rank_tree_publish(&tree, &(struct sotto_rank_noise){.laplace = noise},
					  rng, &h, &half, 1, &out),
		  SOTTO_OK);
	CHECK_INT(out.value, 5);
	sotto_laplace_free(noise);
	sotto_rational_release(&scale);
	sotto_quantile_free(m);
	stream_close(rng);
}

/* Scores beyond 64 bits are held at their end; they do not come around as good ones. */
static void a_rank_far_beyond_the_data_is_at_the_end_of_the_grid(void)
{
	const struct sotto_exact values[] = {{2}, {5}}, counts[] = {{4}, {9}};
	const struct sotto_histogram h = {values, counts, 2, 0, 9};
	struct sotto_rng *rng = stream_open(7);

	for (int end = -1; end <= 1; end += 2) {
		const struct sotto_rank r = {1, SOTTO_RANK_WHOLE_MAX, 0, 0,
					     end * (INT64_C(1) << 60)};
		struct sotto_quantile *m = quantile(&r, 1, "1");

		for (int i = 0; i < 50; i++) {
			struct sotto_noisy out;

			CHECK_INT(sotto_quantile_publish(m, rng, &h, &out), SOTTO_OK);
			CHECK_INT(out.value, end < 0 ? 0 : 9);
		}
		sotto_quantile_free(m);
	}
	stream_close(rng);
}

static void a_million_different_values_take_moments(void)
{
	enum { N = 1000000 };
	struct sotto_exact *values = malloc(N * sizeof *values);
	struct sotto_exact *counts = malloc(N * sizeof *counts);
	const struct sotto_rank third = {1, 3, 0, 0, 0};
	struct sotto_quantile *m = quantile(&third, 1, "1");
	struct sotto_rng *rng = stream_open(5);
	struct sotto_noisy out = {0};

	REQUIRE(values && counts);
	for (int64_t i = 0; i < N; i++) {
		values[i] = sotto_exact_of(1000 * i);
		counts[i] = sotto_exact_of(2);
	}
	CHECK_INT(sotto_quantile_publish(
			  m, rng,
			  &(struct sotto_histogram){values, counts, N, 0, INT64_C(1) << 32},
			  &out),
		  SOTTO_OK);
	CHECK(llabs(out.value - 1000 * (int64_t)N / 3) < 1000 * 60);
	free(values);
	free(counts);
	sotto_quantile_free(m);
	stream_close(rng);
}

static void bad_histograms_are_refused(void)
{
	const struct sotto_exact up[] = {{1}, {2}}, down[] = {{2}, {1}}, same[] = {{1}, {1}};
	const struct sotto_exact ones[] = {{1}, {1}}, none[] = {{1}, {0}};
	const struct sotto_exact huge[] = {{INT64_C(1) << 40}, {1}};
	const struct sotto_histogram bad[] = {{down, ones, 2, 0, 9}, {same, ones, 2, 0, 9},
					      {up, none, 2, 0, 9},   {up, ones, 2, 2, 9},
					      {up, ones, 2, 0, 1},   {up, ones, 2, 9, 0}};
	const struct sotto_rank half = {1, 2, 0, 0, 0};
	struct sotto_quantile *m = quantile(&half, 1, "1");
	struct sotto_rng *rng = stream_open(8);
	struct sotto_noisy out;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_INT(sotto_quantile_publish(m, rng, &bad[i], &out), SOTTO_EINVAL);
	CHECK_INT(sotto_quantile_publish(m, rng, &(struct sotto_histogram){up, huge, 2, 0, 9},
					 &out),
		  SOTTO_ERANGE);
	sotto_quantile_free(m);
	stream_close(rng);
}

static void bad_ranks_are_refused(void)
{
	const struct sotto_rank bad[] = {
		{1, 0, 0, 0, 0}, {3, 2, 0, 0, 0}, {1, SOTTO_RANK_WHOLE_MAX + 1, 0, 0, 0}};
	const struct sotto_rank half = {1, 2, 0, 0, 0};
	struct sotto_rational one = rational_of("1"), nothing = rational_of("0");
	struct sotto_quantile *m = NULL;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_INT(sotto_quantile_new(&bad[i], 1, &one, &m), SOTTO_EINVAL);
	CHECK_INT(sotto_quantile_new(&half, 0, &one, &m), SOTTO_EINVAL);
	CHECK_INT(sotto_quantile_new(&half, 1, &nothing, &m), SOTTO_EINVAL);
	CHECK(m == NULL);
	sotto_rational_release(&one);
	sotto_rational_release(&nothing);
}

static void randomness_that_fails_gives_no_answer(void)
{
	const struct sotto_rank half = {1, 2, 0, 0, 0};
	struct sotto_quantile *m = quantile(&half, 1, "1");
	struct tape *t = tape_open("12345678", 8, 0);
	struct sotto_noisy out = {-77};
	struct histogram h = {0};
	const struct data some = {{1, 2, 0, 1, 0, 3}};

	histogram_of(&h, &some);
	CHECK_INT(sotto_quantile_publish(m, &t->rng, &h.h, &out), SOTTO_EENTROPY);
	CHECK_INT(out.value, -77);
	tape_close(t);
	sotto_quantile_free(m);
}

int main(void)
{
	RUN(the_choice_is_that_of_the_scores_by_definition);
	RUN(one_value_moves_no_score_further_than_declared);
	RUN(the_sensitivity_without_a_margin_is_too_small_with_one);
	RUN(copies_are_chosen_as_so_many_outcomes);
	RUN(a_boundary_between_runs_is_decided_by_later_digits);
	RUN(at_a_large_epsilon_it_is_what_sql_says);
	RUN(an_empty_group_is_answered);
	RUN(one_value_of_the_grid_is_all_there_is);
	RUN(a_rank_far_beyond_the_data_is_at_the_end_of_the_grid);
	RUN(a_million_different_values_take_moments);
	RUN(bad_histograms_are_refused);
	RUN(bad_ranks_are_refused);
	RUN(randomness_that_fails_gives_no_answer);
	return tap_done();
}
