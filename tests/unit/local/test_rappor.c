/* RAPPOR decoding: the truth comes back, intervals cover, nothing is found that is not there. */
#include "sotto/decode.h"

#include <stdlib.h>

#include "local/decode/special.h"
#include "local/plan/simulation_rng.h"
#include "testlib/fixture/local.h"
#include "testlib/fixture/rappor_world.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

static void zipf_over_100_values_comes_back(void)
{
	struct sotto_simulation_rng dice = {1};
	static struct rappor_world w = {.cohorts = 32,
					.bits = 8,
					.hashes = 2,
					.values = 100,
					.f = .5,
					.p = .4,
					.q = .6};
	struct sotto_local_options o = {.alpha = .05, .target = SOTTO_LOCAL_POPULATION};
	static struct sotto_local_estimate e[100];
	struct sotto_local_fit fit;
	double share[100], l1 = 0, worst = 0;
	const double n = 1e6;

	rappor_world_make(&w, &dice);
	rappor_zipf(share, 100);
	rappor_world_draw(&w, &dice, (uint64_t)n, share);
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL), SOTTO_OK);
	for (int i = 0; i < 100; i++) {
		l1 += fabs(e[i].count - w.truth[i]) / 2;
		worst = fmax(worst, fabs(e[i].count - w.truth[i]));
	}
	tap_note("L1/2 %.0f, greatest error %.0f", l1, worst);
	CHECK(l1 < 300 * sqrt(n));
	CHECK(worst < 100 * sqrt(w.truth[0]));
	CHECK(fit.misfit_p > 1e-6 && !fit.split && !fit.background);
	sotto_local_map_release(&w.map);
}

/*
 * Cohorts of sixteen users whose reports have little noise: a row's weight must not go with its own
 * noise, or frequent values come out too small, by several standard errors in all cohorts
 * together.
 */
static void small_cohorts_with_clear_reports_are_covered(void)
{
	static const double share[3] = {.54, .28, .18};
	enum { USERS = 1000, RUNS = 300 };

	for (int method = 0; method < 2; method++) {
		struct sotto_simulation_rng dice = {11};
		static struct rappor_world w = {.cohorts = 64,
						.bits = 128,
						.hashes = 2,
						.values = 3,
						.f = 0,
						.p = .12,
						.q = .88};
		struct sotto_local_options o = {.alpha = .05,
						.target = SOTTO_LOCAL_POPULATION,
						.method =
							method ? SOTTO_LOCAL_METHOD_OLS
							       : SOTTO_LOCAL_METHOD_REGRESSION};
		double covered = 0, z = 0;

		for (int run = 0; run < RUNS; run++) {
			struct sotto_local_estimate e[3];
			struct sotto_local_fit fit;

			rappor_world_make(&w, &dice);
			rappor_world_draw(&w, &dice, USERS, share);
			REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) ==
				SOTTO_OK);
			for (int i = 0; i < 3; i++) {
				covered += e[i].low <= share[i] * USERS &&
					   share[i] * USERS <= e[i].high;
				z += (e[i].count - share[i] * USERS) / e[i].sd;
			}
			sotto_local_map_release(&w.map);
		}
		tap_note("method %d: covered %.4f, mean z %.3f", method, covered / 3 / RUNS,
			 z / 3 / RUNS);
		CHECK(covered / 3 / RUNS > .92 && covered / 3 / RUNS < .98);
		CHECK(fabs(z / 3 / RUNS) < .2);
	}
}

/* Many worlds: 95 % intervals hold 95 % of the time, zero candidates are rarely found. */
static void intervals_cover_and_nulls_stay_null(void)
{
	struct sotto_simulation_rng dice = {2};
	static struct rappor_world w = RAPPOR_WORLD(16, 60);
	struct sotto_local_options o = {.alpha = .05, .target = SOTTO_LOCAL_POPULATION};
	static struct sotto_local_estimate e[60];
	struct sotto_local_fit fit;
	double share[60] = {0}, covered = 0, tried = 0, families = 0, runs = 200, bias = 0;

	rappor_zipf(share, 20); /* 40 of the candidates nobody holds */
	for (int run = 0; run < (int)runs; run++) {
		int wrong = 0;

		rappor_world_make(&w, &dice);
		rappor_world_draw(&w, &dice, 200000, share);
		CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL),
			  SOTTO_OK);
		for (int i = 0; i < 60; i++) {
			double want = share[i] * 200000;

			covered += e[i].low <= want && want <= e[i].high;
			tried++;
			wrong += i >= 20 && e[i].significant;
			bias += (e[i].count - want) / e[i].sd;
		}
		CHECK(e[0].significant);
		families += wrong > 0;
		sotto_local_map_release(&w.map);
	}
	tap_note("covered %.4f, false discoveries in %.0f of %.0f runs, mean z %.4f",
		 covered / tried, families, runs, bias / tried);
	CHECK(covered / tried > .935 && covered / tried < .965);
	CHECK(families / runs <= .08 + .02);
	CHECK(fabs(bias / tried) < .05);
}

/* Bits of a user come together: with little noise, errors from single bits alone are too small. */
static void frequent_values_are_covered_where_noise_is_small(void)
{
	static struct rappor_world w = {
		.cohorts = 8, .bits = 16, .hashes = 2, .values = 10, .f = 0, .p = .1, .q = .9};
	const double share[10] = {.3, .25, .2, .15, .1};
	struct sotto_simulation_rng dice = {21};
	struct sotto_local_fit fit;

	for (int target = 0; target < 2; target++) {
		struct sotto_local_options o = {.alpha = .05,
						.target = (enum sotto_local_target)target};
		struct sotto_local_estimate e[10];
		double covered = 0, z2 = 0, runs = 400;

		for (int run = 0; run < (int)runs; run++) {
			rappor_world_make(&w, &dice);
			rappor_world_draw(&w, &dice, 20000, share);
			CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL),
				  SOTTO_OK);
			for (int i = 0; i < 5; i++) {
				double want = target == SOTTO_LOCAL_SAMPLE ? w.truth[i]
									   : share[i] * 20000;

				covered += e[i].low <= want && want <= e[i].high;
				z2 += (e[i].count - want) * (e[i].count - want) / e[i].sd /
				      e[i].sd;
			}
			sotto_local_map_release(&w.map);
		}
		tap_note("target %d: covered %.4f, mean squared z %.3f", target,
			 covered / 5 / runs, z2 / 5 / runs);
		CHECK(covered / 5 / runs > .93 && covered / 5 / runs < .97);
	}
}

/* A candidate list that lacks the most frequent string: said so, and no flood of discoveries. */
static void missing_candidates_are_noticed(void)
{
	struct sotto_simulation_rng dice = {3};
	static struct rappor_world w = RAPPOR_WORLD(64, 100);
	struct sotto_local_options o = {.alpha = .05};
	static struct sotto_local_estimate e[100];
	struct sotto_local_fit whole, fit;
	struct sotto_local_map known;
	double share[100] = {0};
	int wrong = 0;

	rappor_zipf(share, 20);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 1000000, share);
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &whole, NULL), SOTTO_OK);
	CHECK(whole.misfit_p > 1e-6);
	known = w.map; /* without the first two candidates, which hold 40 % */
	known.cells += 2 * 64 * 2;
	known.candidates -= 2;
	CHECK_INT(sotto_local_rappor_decode(&w.data, &known, &o, e, &fit, NULL), SOTTO_OK);
	CHECK(fit.misfit_p < 1e-6 && fit.background && fit.dispersion > 2);
	CHECK(!whole.scaled && fit.scaled);
	for (int i = 18; i < 98; i++)
		wrong += e[i].significant;
	tap_note("dispersion %.1f, %d false discoveries", fit.dispersion, wrong);
	CHECK(wrong <= 1);
	sotto_local_map_release(&w.map);
}

static void more_candidates_than_rows_are_split_and_found(void)
{
	struct sotto_simulation_rng dice = {4};
	static struct rappor_world w = RAPPOR_WORLD(16, 300);
	struct sotto_local_options o = {.alpha = .05};
	static struct sotto_local_estimate e[300];
	struct sotto_local_fit fit;
	double share[300] = {0};
	int wrong = 0, right = 0;

	rappor_zipf(share, 10);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 1000000, share);
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL), SOTTO_OK);
	CHECK(fit.split);
	for (int i = 0; i < 300; i++) {
		right += i < 10 && e[i].significant;
		wrong += i >= 10 && e[i].significant;
	}
	tap_note("%d of 10 found, %d others", right, wrong);
	CHECK(right >= 8);
	CHECK(wrong <= 1);
	CHECK(fabs(e[0].count - w.truth[0]) < 5 * e[0].sd);
	sotto_local_map_release(&w.map);
}

/* Frequent strings hide rarer ones from a screen that looks once: it must look again. */
static void rarer_strings_are_found_behind_frequent_ones(void)
{
	struct sotto_simulation_rng dice = {41};
	static struct rappor_world w = {.cohorts = 32,
					.bits = 8,
					.hashes = 2,
					.values = 300,
					.f = .25,
					.p = .25,
					.q = .75};
	struct sotto_local_options o = {.alpha = .05};
	static struct sotto_local_estimate e[300];
	struct sotto_local_fit fit;
	double share[300] = {0};
	int wrong = 0, right = 0;

	for (int i = 0; i < 10; i++) /* 1/2, 1/4, 1/8, ... */
		share[i] = pow(.5, i + 1) + (i == 9 ? pow(.5, 10) : 0);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 50000000, share);
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL), SOTTO_OK);
	CHECK(fit.split);
	for (int i = 0; i < 300; i++) {
		right += i < 10 && e[i].significant;
		wrong += i >= 10 && e[i].significant;
	}
	tap_note("%d of 10 found, %d others, dispersion %.2f", right, wrong, fit.dispersion);
	CHECK(right >= 8);
	CHECK(wrong <= 1);
	sotto_local_map_release(&w.map);
}

static void candidates_with_the_same_bits_are_not_told_apart(void)
{
	struct sotto_simulation_rng dice = {5};
	static struct rappor_world w = {
		.cohorts = 8, .bits = 8, .hashes = 2, .values = 5, .f = .5, .p = .25, .q = .75};
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_estimate e[5];
	struct sotto_local_fit fit;
	double share[5] = {.5, 0, .5, 0, 0};

	rappor_world_make(&w, &dice);
	memcpy(w.map.cells + 16, w.map.cells,
	       16 * sizeof(uint32_t)); /* the second is the first */
	rappor_world_draw(&w, &dice, 100000, share);
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL), SOTTO_OK);
	CHECK_INT(fit.aliased, 2);
	CHECK(isinf(e[0].sd) &&
	      !e[0].significant); /* the second may hold what the first seems to */
	CHECK(isinf(e[1].sd) && !e[1].significant);
	CHECK(isfinite(e[2].sd) && e[2].significant);
	sotto_local_map_release(&w.map);
}

/* a and b set what c and d set together: any of them may hold what another seems to. */
static void candidates_that_make_each_other_up_get_no_estimate(void)
{
	uint32_t cells[5 * 2 * 2] = {0, 1, 0, 1, 2, 3, 2, 3, 0, 2,
				     0, 2, 1, 3, 1, 3, 4, 5, 6, 7};
	uint64_t reports[2] = {100000, 100000},
		 ones[16] = {70000, 60000, 50000, 45000, 40000, 40000, 37500, 37500,
			     70000, 60000, 50000, 45000, 37500, 37500, 40000, 40000};
	struct sotto_local_map m = {.candidates = 5, .cohorts = 2, .hashes = 2, .cells = cells};
	struct sotto_local_cohorts d = {.cohorts = 2,
					.bits = 8,
					.p = .375,
					.q = .625,
					.reports = reports,
					.ones = ones};
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_estimate e[5];
	struct sotto_local_fit fit;

	REQUIRE(sotto_local_rappor_decode(&d, &m, &o, e, &fit, NULL) == SOTTO_OK);
	CHECK_INT(fit.aliased, 4);
	for (int i = 0; i < 4; i++)
		CHECK(isinf(e[i].sd) && !e[i].significant);
	CHECK(isfinite(e[4].sd));
}

static void bad_input_is_refused(void)
{
	struct sotto_simulation_rng dice = {6};
	static struct rappor_world w = {
		.cohorts = 4, .bits = 8, .hashes = 2, .values = 5, .f = .5, .p = .25, .q = .75};
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_estimate e[5];
	struct sotto_local_fit fit;
	struct sotto_error err = {""};

	rappor_world_make(&w, &dice);
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, &err), SOTTO_EINVAL);
	w.reports[0] = 100;
	w.data.q = w.data.p;
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, &err), SOTTO_EINVAL);
	w.data.q = .7;
	w.map.cells[3] = 8;
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, &err), SOTTO_EINVAL);
	w.map.cells[3] = SOTTO_LOCAL_NO_CELL;
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, &err), SOTTO_OK);
	w.data.cohorts = 3;
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, &err), SOTTO_EINVAL);
	sotto_local_map_release(&w.map);
}

/* The whole way: real encoders, real counting, candidate strings. */
static void reports_of_real_clients_are_decoded(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_RAPPOR);
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_cohorts data;
	struct sotto_local_map map;
	struct sotto_local_options o = {.alpha = .01};
	struct sotto_local_estimate e[4];
	struct sotto_local_fit fit;
	const void *names[4] = {"v0", "v1", "v2", "nobody"};
	size_t lengths[4] = {2, 2, 2, 6};
	uint64_t seed = 3;

	p.width = 16;
	p.groups = 8;
	p.zero.numerator = UINT64_C(1) << 62;
	p.one = (struct sotto_client_chance){UINT64_C(3) << 62, false};
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	for (unsigned i = 0; i < 40000; i++) {
		uint8_t key[32], report[8];
		struct sotto_client_secrets s = {
			.key = key, .fill = local_fill, .context = &seed};
		struct sotto_client c;
		size_t used;

		local_fill(&seed, key, 32);
		REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
		REQUIRE(local_encode(&c,
				     i % 10 < 6   ? 0
				     : i % 10 < 9 ? 1
						  : 2,
				     report, 8, &used) == SOTTO_OK);
		REQUIRE(sotto_local_aggregate_add(a, report, 1) == SOTTO_OK);
	}
	REQUIRE(sotto_local_rappor_cohorts(a, &data) == SOTTO_OK);
	REQUIRE(sotto_local_map_native(&p, names, lengths, 4, &map) == SOTTO_OK);
	REQUIRE(sotto_local_rappor_decode(&data, &map, &o, e, &fit, NULL) == SOTTO_OK);
	CHECK(fabs(e[0].count - 24000) < 5 * e[0].sd && e[0].significant);
	CHECK(fabs(e[1].count - 12000) < 5 * e[1].sd && e[1].significant);
	CHECK(fabs(e[2].count - 4000) < 5 * e[2].sd && e[2].significant);
	CHECK(fabs(e[3].count) < 5 * e[3].sd && !e[3].significant);
	CHECK(e[0].sd < 2000);
	sotto_local_map_release(&map);
	sotto_local_aggregate_free(a);
}

/* Mean and variance of the dice, both algorithms, within 6 standard errors. */
static void binomial_dice_have_their_moments(void)
{
	static const struct {
		uint64_t n;
		double p;
	} cases[] = {{10, .3}, {1000, .004}, {1000, .3}, {100000, .7}, {1000000000, .5}};
	struct sotto_simulation_rng dice = {7};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double n = (double)cases[i].n, p = cases[i].p, runs = 20000, sum = 0,
		       squares = 0;
		double v = n * p * (1 - p);

		for (int r = 0; r < (int)runs; r++) {
			double x =
				(double)sotto_simulation_binomial(&dice, cases[i].n, p) - n * p;

			sum += x;
			squares += x * x;
		}
		CHECK(fabs(sum / runs) < 6 * sqrt(v / runs));
		CHECK(fabs(squares / runs / v - 1) < 6 * sqrt((2 + 1 / v) / runs));
	}
}

int main(void)
{
	RUN(binomial_dice_have_their_moments);
	RUN(zipf_over_100_values_comes_back);
	RUN(small_cohorts_with_clear_reports_are_covered);
	RUN(intervals_cover_and_nulls_stay_null);
	RUN(frequent_values_are_covered_where_noise_is_small);
	RUN(missing_candidates_are_noticed);
	RUN(more_candidates_than_rows_are_split_and_found);
	RUN(rarer_strings_are_found_behind_frequent_ones);
	RUN(candidates_with_the_same_bits_are_not_told_apart);
	RUN(candidates_that_make_each_other_up_get_no_estimate);
	RUN(bad_input_is_refused);
	RUN(reports_of_real_clients_are_decoded);
	return tap_done();
}
