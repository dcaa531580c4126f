/* What is not the regression: pooled counts, constrained fits, the reference, the bootstrap. */
#include <math.h>
#include <stdlib.h>

#include "local/decode/estimate.h"
#include "local/protocol/design.h"
#include "local/rappor/regression/constrained.h"
#include "local/rappor/rappor_job.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"
#include "testlib/fixture/rappor_world.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

static struct sotto_local_options options_of(enum sotto_local_method method)
{
	return (struct sotto_local_options){
		.alpha = .05, .method = method, .post = SOTTO_LOCAL_POST_NONE, .seed = 1};
}

/* k = 1: cohorts are summed, and the answer is that of the pure protocol, exact intervals too. */
static void one_bit_is_one_debiased_rate(void)
{
	uint64_t reports[3] = {200, 300, 0}, ones[3] = {90, 130, 0};
	uint32_t cells[3 * 3] = {
		0, 0, 0, SOTTO_LOCAL_NO_CELL, SOTTO_LOCAL_NO_CELL, SOTTO_LOCAL_NO_CELL,
		0, 0, 0};
	struct sotto_local_cohorts d = {.cohorts = 3,
					.bits = 1,
					.p = .375,
					.q = .625,
					.reports = reports,
					.ones = ones};
	struct sotto_local_map m = {.candidates = 3, .cohorts = 3, .hashes = 1, .cells = cells};
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
	struct sotto_local_estimate e[3], pure;
	struct sotto_local_fit fit;

	CHECK_INT(sotto_local_rappor_decode(&d, &m, &o, e, &fit, NULL), SOTTO_OK);
	CHECK_INT(
		sotto_local_estimate_pure(500, 220, .625, .375, .05, SOTTO_LOCAL_SAMPLE, &pure),
		SOTTO_OK);
	CHECK(fit.pooled && fit.aliased == 2 && fit.used_cohorts == 2);
	CHECK(isinf(e[0].sd) && isinf(e[2].sd)); /* the same bit: any of the two may hold it */
	CHECK_REL(e[1].count, 370, 1e-12); /* who does not set the bit */
	m.candidates = 2;
	CHECK_INT(sotto_local_rappor_decode(&d, &m, &o, e, &fit, NULL), SOTTO_OK);
	CHECK_INT(fit.aliased, 0);
	CHECK_REL(e[0].count, 130, 1e-12); /* (220 - 187.5)/.25 */
	CHECK_REL(e[0].sd, pure.sd, 1e-12);
	CHECK(e[0].low == pure.low && e[0].high == pure.high); /* exact below 1000 reports */
}

/* A diagonal map is debiased; the raw sums, which the reference returns, are far off. */
static void a_diagonal_map_is_debiased(void)
{
	uint64_t reports[2] = {6000, 4000}, ones[2 * 3] = {2700, 2250, 2250, 1800, 1500, 1500};
	uint32_t cells[3 * 2] = {0, 0, 1, 1, 2, 2};
	struct sotto_local_cohorts d = {.cohorts = 2,
					.bits = 3,
					.p = .375,
					.q = .625,
					.reports = reports,
					.ones = ones};
	struct sotto_local_map m = {.candidates = 3, .cohorts = 2, .hashes = 1, .cells = cells};
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
	struct sotto_local_estimate e[3];
	struct sotto_local_fit fit;

	o.target = SOTTO_LOCAL_POPULATION;
	CHECK_INT(sotto_local_rappor_decode(&d, &m, &o, e, &fit, NULL), SOTTO_OK);
	CHECK(fit.pooled);
	CHECK_REL(e[0].count, 3000, 1e-12); /* t_ij of N = 10000 and c = 4500 */
	CHECK_REL(e[0].sd, 198.997487, 1e-8);
	CHECK(fabs(e[1].count) < 1e-9 && !e[1].significant);
	CHECK(fit.misfit_p > .5);
	ones[0] = 3600; /* somebody fills one cohort */
	ones[3] = 900;
	CHECK_INT(sotto_local_rappor_decode(&d, &m, &o, e, &fit, NULL), SOTTO_OK);
	CHECK(fit.misfit_p < 1e-9 && fit.dispersion > 10);
	cells[5] = 1; /* two share a bit in one cohort: no longer diagonal */
	CHECK_INT(sotto_local_rappor_decode(&d, &m, &o, e, &fit, NULL), SOTTO_OK);
	CHECK(!fit.pooled);
}

/* Where each bit is of one candidate, intervals of selected ones are the exact ones at their level. */
static void selected_intervals_of_pooled_bits_are_wider(void)
{
	uint64_t reports[2] = {300, 200}, ones[2 * 4] = {180, 110, 112, 114, 120, 75, 76, 74};
	uint32_t cells[4 * 2] = {0, 0, 1, 1, 2, 2, 3, 3};
	struct sotto_local_cohorts d = {.cohorts = 2,
					.bits = 4,
					.p = .375,
					.q = .625,
					.reports = reports,
					.ones = ones};
	struct sotto_local_map m = {.candidates = 4, .cohorts = 2, .hashes = 1, .cells = cells};
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION), s = o;
	struct sotto_local_estimate e[4], each[4], want;
	struct sotto_local_fit fit;

	s.selected = true;
	REQUIRE(sotto_local_rappor_decode(&d, &m, &o, each, &fit, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_rappor_decode(&d, &m, &s, e, &fit, NULL) == SOTTO_OK);
	CHECK(fit.pooled && e[0].significant);
	REQUIRE(sotto_local_estimate_pure(500, 300, .625, .375, .05 / 4, SOTTO_LOCAL_SAMPLE,
					  &want) == SOTTO_OK);
	CHECK(e[0].low == want.low && e[0].high == want.high);
	CHECK(e[0].high - e[0].low > each[0].high - each[0].low);
	for (int i = 1; i < 4; i++)
		CHECK(!e[i].significant && e[i].low == each[i].low &&
		      e[i].high == each[i].high);
}

/* Made-up reports that fill one cohort are found there, whatever else fits. */
static void a_filled_cohort_is_named(void)
{
	static struct rappor_world w = RAPPOR_WORLD(16, 40);
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
	static struct sotto_local_estimate e[40];
	struct sotto_local_fit fit;
	struct sotto_simulation_rng dice = {13};
	double share[40] = {0};

	rappor_zipf(share, 10);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 100000, share);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) == SOTTO_OK);
	CHECK(fit.worst_cohort_p > 1e-6);
	for (int b = 0; b < 16; b += 2) /* five hundred fakes with every other bit */
		w.ones[11 * 16 + b] += 500;
	w.reports[11] += 500;
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) == SOTTO_OK);
	tap_note("cohort %zu, p %g", fit.worst_cohort, fit.worst_cohort_p);
	CHECK_INT(fit.worst_cohort, 11);
	CHECK(fit.worst_cohort_p < 1e-6);
	sotto_local_map_release(&w.map);
}

/* R of S selected: their intervals are those at 1 - R alpha/S. */
static void selected_intervals_are_wider(void)
{
	static struct rappor_world w = RAPPOR_WORLD(16, 40);
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION), s = o;
	static struct sotto_local_estimate e[40], each[40];
	struct sotto_local_fit fit;
	struct sotto_simulation_rng dice = {14};
	double share[40] = {0}, found = 0, z;

	rappor_zipf(share, 10);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 100000, share);
	s.selected = true;
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, each, &fit, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &s, e, &fit, NULL) == SOTTO_OK);
	for (int i = 0; i < 40; i++)
		found += e[i].significant;
	z = sotto_local_normal_quantile(1 - .05 * found / 40 / 2);
	for (int i = 0; i < 40; i++) {
		double half = (e[i].high - e[i].low) / 2;

		CHECK(e[i].significant == each[i].significant);
		CHECK_REL(half, (e[i].significant ? z : 1.959963984540054) * e[i].sd, 1e-9);
	}
	CHECK(found > 0 && found < 40);
	s.simultaneous = true;
	CHECK_INT(sotto_local_rappor_decode(&w.data, &w.map, &s, e, &fit, NULL), SOTTO_EINVAL);
	sotto_local_map_release(&w.map);
}

/* No reports in a cohort: its rows are left out, and nothing changes. */
static void cohorts_without_reports_are_dropped(void)
{
	static struct rappor_world w = RAPPOR_WORLD(8, 10);
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
	struct sotto_local_estimate with[10], without[10];
	struct sotto_local_fit fit;
	struct sotto_simulation_rng dice = {3};
	double share[10];
	uint32_t *cells;

	rappor_zipf(share, 10);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 100000, share);
	w.reports[7] = 0;
	for (int b = 0; b < 16; b++)
		w.ones[7 * 16 + b] = 0;
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, with, &fit, NULL) == SOTTO_OK);
	CHECK_INT(fit.used_cohorts, 7);
	cells = malloc(10 * 14 * sizeof *cells);
	for (int s = 0; s < 10; s++)
		for (int i = 0; i < 14; i++)
			cells[s * 14 + i] = w.map.cells[s * 16 + i];
	free(w.map.cells);
	w.map.cells = cells;
	w.map.cohorts = w.data.cohorts = 7;
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, without, &fit, NULL) ==
		SOTTO_OK);
	for (int s = 0; s < 10; s++)
		CHECK(with[s].count == without[s].count && with[s].sd == without[s].sd);
	sotto_local_map_release(&w.map);
}

/* The conditions of Karush, Kuhn and Tucker on problems small enough to know. */
static void constrained_fits_obey_and_are_best(void)
{
	size_t start[4] = {0, 2, 4, 6};
	uint32_t rows[6] = {0, 1, 1, 2, 2, 3};
	struct sotto_columns columns = {.count = 3, .start = start, .rows = rows};
	double weight[4] = {1, 1, 1, 1}, open[4] = {1, 1, 1, 1}, x[3];
	double inside[4] = {.2, .5, .7, .4}, below[4] = {-.5, .2, .4, .2};
	double above[4] = {.8, .8, .8, .8}, cap[4] = {.1, 1, 1, 1};
	struct sotto_constrained c = {
		.columns = &columns, .rows = 4, .y = inside, .weight = weight, .cap = open};

	REQUIRE(sotto_constrained_solve(&c, x) == SOTTO_OK); /* x = (.2, .3, .4) fits exactly */
	CHECK(fabs(x[0] - .2) < 1e-7 && fabs(x[1] - .3) < 1e-7 && fabs(x[2] - .4) < 1e-7);
	c.y = below; /* free: x0 < 0; without it x1, x2 solve 2 x1 + x2 = .6, x1 + 2 x2 = .6 */
	REQUIRE(sotto_constrained_solve(&c, x) == SOTTO_OK);
	CHECK(x[0] == 0 && fabs(x[1] - .2) < 1e-7 && fabs(x[2] - .2) < 1e-7);
	c.y = above; /* the sum is 1: x = (a, 1 - 2a, a) */
	REQUIRE(sotto_constrained_solve(&c, x) == SOTTO_OK);
	CHECK(fabs(x[0] + x[1] + x[2] - 1) < 1e-7);
	CHECK(fabs(x[0] - x[2]) < 1e-7);
	for (double a = 0; a <= .5; a += .001) { /* no point of that symmetry is better */
		double there = 2 * pow(.8 - a, 2) + 2 * pow(.8 - (1 - a), 2);
		double here = 2 * pow(.8 - x[0], 2) + 2 * pow(.8 - (x[0] + x[1]), 2);

		CHECK(here <= there + 1e-6);
	}
	c.y = inside;
	c.cap = cap; /* x0 <= .1 binds: then 2 x1 + x2 = 1.1, x1 + 2 x2 = 1.1 */
	REQUIRE(sotto_constrained_solve(&c, x) == SOTTO_OK);
	CHECK(fabs(x[0] - .1) < 1e-7 && fabs(x[1] - 1.1 / 3) < 1e-7 &&
	      fabs(x[2] - 1.1 / 3) < 1e-7);
}

static void constrained_posts_are_shares_and_the_estimates_stay_raw(void)
{
	static struct rappor_world w = RAPPOR_WORLD(16, 60);
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_CONSTRAINED),
				   raw = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
	static struct sotto_local_estimate e[60], r[60];
	struct sotto_local_fit fit;
	struct sotto_simulation_rng dice = {4};
	double share[60] = {0}, sum = 0, far = 0, raw_far = 0;

	rappor_zipf(share, 10);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 20000, share);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &raw, r, &fit, NULL) == SOTTO_OK);
	for (int i = 0; i < 60; i++) {
		CHECK(e[i].count == r[i].count && e[i].sd == r[i].sd);
		CHECK(e[i].post >= 0);
		sum += e[i].post;
		far += fabs(e[i].post - w.truth[i]);
		raw_far += fabs(r[i].count - w.truth[i]);
	}
	CHECK(sum <= 20000 * (1 + 1e-6));
	CHECK(far < .8 * raw_far); /* knowing what shares are helps */
	sotto_local_map_release(&w.map);
}

/* X'(y - X x), every row alike: 0 at the best x, and at most 0 where x >= 0 holds it at 0. */
static void gradient_of(const struct sotto_job *j, const double *x, double *out)
{
	double *left = calloc(j->rows.count, sizeof *left);

	sotto_columns_apply(&j->columns, j->rows.count, x, left);
	for (size_t r = 0; r < j->rows.count; r++)
		left[r] = j->rows.y[r] - left[r];
	sotto_columns_apply_transposed(&j->columns, left, out);
	free(left);
}

static void plain_fits_are_best_where_every_bit_counts_alike(void)
{
	static struct rappor_world w = RAPPOR_WORLD(16, 60);
	struct sotto_local_options ols = options_of(SOTTO_LOCAL_METHOD_OLS),
				   nnls = options_of(SOTTO_LOCAL_METHOD_NNLS),
				   best = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
	static struct sotto_local_estimate e[60], n[60], b[60];
	double share[60] = {0}, x[60], g[60];
	struct sotto_simulation_rng dice = {14};
	struct sotto_local_fit fit;
	struct sotto_job j;
	int held = 0;

	rappor_zipf(share, 10);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 20000, share);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &ols, e, &fit, NULL) == SOTTO_OK);
	CHECK(!fit.background);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &nnls, n, &fit, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &best, b, &fit, NULL) == SOTTO_OK);
	REQUIRE(sotto_job_make(&j, &w.data, &w.map, SOTTO_ALL_COHORTS) == SOTTO_OK);
	for (int i = 0; i < 60; i++)
		x[i] = e[i].count / 20000;
	gradient_of(&j, x, g);
	for (int i = 0; i < 60; i++) {
		CHECK(fabs(g[i]) < 1e-9);
		CHECK(e[i].count == n[i].count && e[i].sd == n[i].sd);
		CHECK(e[i].sd > b[i].sd * (1 - 1e-3)); /* weights are there for a reason */
		x[i] = n[i].post / 20000;
	}
	gradient_of(&j, x, g);
	for (int i = 0; i < 60; i++) {
		CHECK(x[i] >= 0 && g[i] < 1e-5 && (x[i] == 0 || g[i] > -1e-5));
		held += x[i] == 0;
	}
	CHECK(held > 5 && held < 55);
	sotto_job_release(&j);
	sotto_local_map_release(&w.map);
}

/* Cohorts of very different sizes, where weights matter most: intervals hold all the same. */
static void errors_of_ordinary_fits_are_their_own(void)
{
	enum { RUNS = 100, COUNT = 30 };
	static struct rappor_world w = RAPPOR_WORLD(16, COUNT);
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_OLS);
	struct sotto_local_estimate e[COUNT];
	struct sotto_simulation_rng dice = {15};
	struct sotto_local_fit fit;
	double share[COUNT] = {0}, covered = 0, all = 0;

	o.target = SOTTO_LOCAL_POPULATION;
	rappor_zipf(share, 10);
	for (int run = 0; run < RUNS; run++) {
		rappor_world_make(&w, &dice);
		rappor_world_draw(&w, &dice, 60000, share);
		for (uint32_t c = 0; c < w.data.cohorts;
		     c += 2) { /* a tenth of their reports */
			uint64_t few = w.reports[c] / 10;

			for (uint32_t i = 0; i < w.data.bits; i++) {
				uint64_t *ones = &w.ones[c * w.data.bits + i], kept = 0;

				for (uint64_t r = 0; r < few; r++) /* without replacement */
					kept += sotto_simulation_unit(&dice) *
							(double)(w.reports[c] - r) <
						(double)(*ones - kept);
				*ones = kept;
			}
			w.reports[c] = few;
		}
		REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) ==
			SOTTO_OK);
		for (int i = 0; i < COUNT; i++) {
			double users = 0;

			for (uint32_t c = 0; c < w.data.cohorts; c++)
				users += (double)w.reports[c];
			covered +=
				e[i].low <= share[i] * users && share[i] * users <= e[i].high;
			all++;
		}
		sotto_local_map_release(&w.map);
	}
	tap_note("coverage %.4f", covered / all);
	CHECK(covered / all > .935 && covered / all < .97);
}

static void the_reference_finds_what_is_there(void)
{
	static struct rappor_world w = RAPPOR_WORLD(32, 50);
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REFERENCE);
	static struct sotto_local_estimate e[50], again[50];
	struct sotto_local_fit fit;
	struct sotto_simulation_rng dice = {5};
	double share[50] = {0};

	rappor_zipf(share, 10);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 1000000, share);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, again, &fit, NULL) == SOTTO_OK);
	for (int i = 0; i < 10; i++) {
		CHECK(e[i].significant);
		CHECK(fabs(e[i].count - w.truth[i]) < 20000);
	}
	for (int i = 0; i < 50; i++) {
		CHECK(e[i].count == floor(e[i].count) && e[i].sd == floor(e[i].sd));
		CHECK(e[i].low >= 0 && e[i].high <= 1e6);
		CHECK(e[i].significant || e[i].count == 0);
		CHECK(isnan(e[i].p_value)); /* it has no test */
		CHECK(e[i].count == again[i].count); /* the seed decides */
	}
	CHECK(fit.explained > .9 && fit.explained < 1.1);
	sotto_local_map_release(&w.map);
}

/* More candidates than .8 rows: a lasso chooses first. */
static void the_reference_selects_among_many(void)
{
	static struct rappor_world w = RAPPOR_WORLD(16, 300);
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REFERENCE);
	static struct sotto_local_estimate e[300];
	struct sotto_local_fit fit;
	struct sotto_simulation_rng dice = {6};
	double share[300] = {0};
	int right = 0, wrong = 0;

	rappor_zipf(share, 8);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 1000000, share);
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) == SOTTO_OK);
	for (int i = 0; i < 300; i++) {
		right += i < 8 && e[i].significant;
		wrong += i >= 8 && e[i].significant && e[i].count > 10000;
	}
	tap_note("%d of 8 found, %d large others", right, wrong);
	CHECK(right >= 7);
	CHECK(wrong <= 3); /* the reference has no control over these */
	sotto_local_map_release(&w.map);
}

/* Theory and its referee agree, for both targets. */
static void the_bootstrap_agrees_with_theory(void)
{
	static struct rappor_world w = {.cohorts = 8,
					.bits = 16,
					.hashes = 2,
					.values = 20,
					.f = .25,
					.p = .2,
					.q = .8};
	struct sotto_simulation_rng dice = {7};
	double share[20] = {0}, sd[20];

	rappor_zipf(share, 6);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 50000, share);
	for (int target = 0; target < 2; target++) {
		struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
		struct sotto_local_estimate e[20];
		struct sotto_local_fit fit;
		double ratio = 0;

		o.target = (enum sotto_local_target)target;
		REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) ==
			SOTTO_OK);
		CHECK_INT(sotto_local_rappor_bootstrap(&w.data, &w.map, &o, e, 1, sd, NULL),
			  SOTTO_EINVAL);
		REQUIRE(sotto_local_rappor_bootstrap(&w.data, &w.map, &o, e, 400, sd, NULL) ==
			SOTTO_OK);
		for (int i = 0; i < 20; i++) {
			double inflate = fit.scaled ? sqrt(fit.dispersion) : 1;

			ratio += sd[i] * inflate / e[i].sd / 20;
			CHECK(sd[i] * inflate / e[i].sd > .8 &&
			      sd[i] * inflate / e[i].sd < 1.25);
		}
		tap_note("target %d: bootstrap over theory %.3f", target, ratio);
		CHECK(ratio > .93 && ratio < 1.07);
	}
	sotto_local_map_release(&w.map);
}

/*
 * Candidates that are rare or not there, whose estimates are off by one to two standard
 * errors: their bits are in every world of the bootstrap, and are no error in any.  A tenth of the
 * users hold rare ones, so that there are such bits.  (Kills: errors counted from a truth of 0.)
 */
static void the_bootstrap_agrees_for_rare_candidates_too(void)
{
	static struct rappor_world w = {.cohorts = 8,
					.bits = 16,
					.hashes = 2,
					.values = 20,
					.f = .25,
					.p = .2,
					.q = .8};
	int rare = 0;

	for (uint64_t seed = 30; seed < 34; seed++) {
		struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
		struct sotto_local_estimate e[20];
		struct sotto_local_fit fit;
		struct sotto_simulation_rng dice = {seed};
		double share[20] = {0}, sd[20];

		rappor_zipf(share, 3);
		for (int i = 0; i < 20; i++)
			share[i] = .9 * share[i] + (i < 3 ? 0 : .1 / 17);
		rappor_world_make(&w, &dice);
		rappor_world_draw(&w, &dice, 30000, share);
		REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) ==
			SOTTO_OK);
		REQUIRE(sotto_local_rappor_bootstrap(&w.data, &w.map, &o, e, 300, sd, NULL) ==
			SOTTO_OK);
		CHECK(!fit.scaled);
		for (int i = 0; i < 20; i++) {
			double z = fabs(e[i].count / e[i].sd), ratio = sd[i] / e[i].sd;

			if (!(z > 1 && z < 2))
				continue;
			rare++;
			CHECK(ratio > .8 && ratio < 1.25);
		}
		sotto_local_map_release(&w.map);
	}
	tap_note("%d candidates between one and two standard errors", rare);
	CHECK(rare >= 8);
}

/* Weights come from a fit before the one that counts. */
static void
regress_twice(struct sotto_job *j, bool constant, struct sotto_regression_solution *s)
{
	double *share = malloc(j->rows.count * sizeof *share);

	REQUIRE(sotto_regress(&j->rows, &j->columns, constant, s) == SOTTO_OK);
	sotto_columns_apply(&j->columns, j->rows.count, s->x, share);
	for (size_t r = 0; r < j->rows.count; r++)
		share[r] += s->constant;
	sotto_job_weigh(j, share, 1 - (double)s->degrees / (double)j->rows.count);
	REQUIRE(sotto_regress(&j->rows, &j->columns, constant, s) == SOTTO_OK);
	free(share);
}

/* Residuals that chance explains widen nothing: the errors are those of the regression. */
static void errors_are_scaled_only_by_a_significant_misfit(void)
{
	static struct rappor_world w = {.cohorts = 8,
					.bits = 16,
					.hashes = 2,
					.values = 20,
					.f = .25,
					.p = .2,
					.q = .8};
	int dispersed = 0;

	for (uint64_t seed = 50; seed < 60; seed++) {
		struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
		struct sotto_local_estimate e[20];
		struct sotto_local_fit fit;
		struct sotto_regression_solution s;
		struct sotto_job j;
		struct sotto_simulation_rng dice = {seed};
		double share[20] = {0};

		o.target = SOTTO_LOCAL_POPULATION;
		rappor_zipf(share, 6);
		rappor_world_make(&w, &dice);
		rappor_world_draw(&w, &dice, 50000, share);
		REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) ==
			SOTTO_OK);
		REQUIRE(sotto_job_make(&j, &w.data, &w.map, SOTTO_ALL_COHORTS) == SOTTO_OK);
		REQUIRE(sotto_solution_init(&s, 20) == SOTTO_OK);
		regress_twice(&j, false, &s);
		CHECK(!fit.scaled && fit.misfit_p > SOTTO_LOCAL_MISFIT_P);
		for (int i = 0; i < 20; i++)
			CHECK_REL(e[i].sd, 50000 * sqrt(fmax(s.variance[i], s.noise[i])), 1e-9);
		dispersed += fit.dispersion > 1.02;
		sotto_solution_release(&s);
		sotto_job_release(&j);
		sotto_local_map_release(&w.map);
	}
	CHECK(dispersed > 1);
}

/* Bits that lie further from the fit than chance explains, with unknown strings too: all errors grow by that. */
static void errors_are_scaled_by_a_significant_misfit(void)
{
	static struct rappor_world w = {.cohorts = 8,
					.bits = 16,
					.hashes = 2,
					.values = 20,
					.f = .25,
					.p = .2,
					.q = .8};
	struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
	struct sotto_simulation_rng dice = {50};
	struct sotto_local_estimate e[20];
	struct sotto_local_fit fit;
	struct sotto_regression_solution s;
	struct sotto_job j;
	double share[20] = {0};

	o.target = SOTTO_LOCAL_POPULATION;
	rappor_zipf(share, 6);
	rappor_world_make(&w, &dice);
	rappor_world_draw(&w, &dice, 50000, share);
	for (int i = 0; i < 8 * 16; i++) /* by some five standard errors, both ways */
		w.ones[i] = i % 3 ? w.ones[i] + 90 : w.ones[i] - 180;
	REQUIRE(sotto_local_rappor_decode(&w.data, &w.map, &o, e, &fit, NULL) == SOTTO_OK);
	REQUIRE(sotto_job_make(&j, &w.data, &w.map, SOTTO_ALL_COHORTS) == SOTTO_OK);
	REQUIRE(sotto_solution_init(&s, 20) == SOTTO_OK);
	regress_twice(&j, false, &s);
	regress_twice(&j, true, &s);
	CHECK(fit.background && fit.scaled && fit.dispersion > 4);
	for (int i = 0; i < 20; i++)
		CHECK_REL(e[i].sd,
			  50000 * sqrt(fmax(s.variance[i], s.noise[i]) * fit.dispersion), 1e-9);
	sotto_solution_release(&s);
	sotto_job_release(&j);
	sotto_local_map_release(&w.map);
}

/* A sketch of few columns and rows, everybody on a few values: collisions are most of the error. */
static void a_dictionary_takes_collisions_out_of_a_sketch(void)
{
	enum { VALUES = 12, RUNS = 60 };
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_CMS, .width = 16, .groups = 8};
	char text[VALUES][8];
	const void *names[VALUES];
	size_t lengths[VALUES];
	double solved = 0, priced = 0, covered = 0;

	for (int i = 0; i < VALUES; i++) {
		lengths[i] = (size_t)snprintf(text[i], sizeof text[i], "v%d", i + 1);
		names[i] = text[i];
	}
	for (int run = 0; run < RUNS; run++) {
		uint64_t holders[VALUES] = {50000, 30000, 15000, 5000};
		struct sotto_local_candidates all = {
			.count = VALUES, .strings = names, .lengths = lengths};
		struct sotto_local_options o = options_of(SOTTO_LOCAL_METHOD_REGRESSION);
		struct sotto_local_aggregate *a = NULL;
		struct sotto_local_estimate own[VALUES], e[VALUES];
		struct sotto_local_cohorts data;
		struct sotto_local_map map;
		struct sotto_local_fit fit;

		p.salt = (uint64_t)run;
		REQUIRE(sotto_local_design(&p, ratio("4"), NULL, NULL, NULL) == SOTTO_OK);
		REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
		REQUIRE(sotto_local_simulate_fast(a, holders, VALUES, (uint64_t)run, NULL) ==
			SOTTO_OK);
		REQUIRE(sotto_local_decode(a, &all, &o, own, NULL) == SOTTO_OK);
		REQUIRE(sotto_local_rappor_cohorts(a, &data) == SOTTO_OK);
		REQUIRE(sotto_local_map_native(&p, names, lengths, VALUES, &map) == SOTTO_OK);
		REQUIRE(sotto_local_rappor_decode(&data, &map, &o, e, &fit, NULL) == SOTTO_OK);
		for (int i = 0; i < VALUES; i++) {
			double truth = (double)holders[i];

			priced += pow(own[i].count - truth, 2);
			solved += pow(e[i].count - truth, 2);
			covered += e[i].low <= truth && truth <= e[i].high;
		}
		sotto_local_map_release(&map);
		sotto_local_aggregate_free(a);
	}
	tap_note("squared error %.3g of that with collisions, covered %.3f", solved / priced,
		 covered / RUNS / VALUES);
	CHECK(solved < .05 * priced);
	CHECK(covered / RUNS / VALUES > .92 && covered / RUNS / VALUES < .98);
}

int main(void)
{
	RUN(one_bit_is_one_debiased_rate);
	RUN(a_diagonal_map_is_debiased);
	RUN(a_filled_cohort_is_named);
	RUN(selected_intervals_are_wider);
	RUN(selected_intervals_of_pooled_bits_are_wider);
	RUN(cohorts_without_reports_are_dropped);
	RUN(constrained_fits_obey_and_are_best);
	RUN(constrained_posts_are_shares_and_the_estimates_stay_raw);
	RUN(plain_fits_are_best_where_every_bit_counts_alike);
	RUN(errors_of_ordinary_fits_are_their_own);
	RUN(the_reference_finds_what_is_there);
	RUN(the_reference_selects_among_many);
	RUN(the_bootstrap_agrees_with_theory);
	RUN(the_bootstrap_agrees_for_rare_candidates_too);
	RUN(errors_are_scaled_only_by_a_significant_misfit);
	RUN(errors_are_scaled_by_a_significant_misfit);
	RUN(a_dictionary_takes_collisions_out_of_a_sketch);
	return tap_done();
}
