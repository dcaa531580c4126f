/* Estimates: the acceptance figures, multiple testing, post-processing, exact intervals. */
#include "local/decode/consistency.h"
#include "local/decode/estimate.h"
#include "local/decode/sketch.h"
#include "local/protocol/design.h"
#include "sotto/decode.h"
#include "sotto/local.h"

#include <stdlib.h>

#include "core/number/beta.h"
#include "core/number/normal.h"
#include "local/decode/kernel/fwht.h"
#include "local/decode/special.h"
#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

static void distribution_functions_have_known_values(void)
{
	CHECK_REL(sotto_beta_regularized(2, 3, .4), .5248, 1e-12);
	CHECK_REL(sotto_beta_regularized(500, 600, .45), .381693733665, 1e-9);
	CHECK_REL(sotto_chi_square_tail(2 * 1.920729410347062, 1), .05, 1e-9);
	CHECK_REL(sotto_chi_square_tail(2 * 9.153519, 10), .05, 1e-5);
	CHECK_REL(sotto_chi_square_tail(1, 10), 0.99982788437, 1e-9);
	CHECK_REL(sotto_chi_square_tail(100, 1), 1.523970604832e-23, 1e-9);
	CHECK_REL(sotto_chi_square_tail(400, 10), 9.413291991183e-80, 1e-9);
	CHECK_REL(sotto_binomial_at_most(10, .3, 3), .6496107184, 1e-10);
	/* Clopper-Pearson of 5 in 20 at 95 % */
	CHECK_REL(sotto_binomial_low(20, 5, .025), .08657147, 1e-6);
	CHECK_REL(sotto_binomial_high(20, 5, .025), .49104587, 1e-6);
}

/* A share at either end of the interval makes the count so extreme with chance alpha / 2. */
static void small_populations_have_exact_intervals(void)
{
	const uint64_t n = 50;
	const double p = .7, q = .2, alpha = .1;

	for (uint64_t c = 0; c <= n; c++) {
		struct sotto_local_estimate e;
		double low, high;

		CHECK_INT(sotto_local_estimate_pure(n, c, p, q, alpha, SOTTO_LOCAL_POPULATION,
						    &e),
			  SOTTO_OK);
		low = q + (p - q) * e.low / (double)n;
		high = q + (p - q) * e.high / (double)n;
		CHECK(e.low >= 0 && e.high <= (double)n && e.low <= e.high);
		if (e.low > 0 && e.low < (double)n)
			CHECK_REL(1 - sotto_binomial_at_most(n, low, (int64_t)c - 1), alpha / 2,
				  1e-6);
		if (e.high > 0 && e.high < (double)n)
			CHECK_REL(sotto_binomial_at_most(n, high, (int64_t)c), alpha / 2, 1e-6);
	}
}

static void coin_tosses_give_36_percent(void)
{
	struct sotto_client_params p = {0};
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_candidates both = {.count = 2};
	struct sotto_local_options o = {.alpha = .05, .target = SOTTO_LOCAL_POPULATION};
	struct sotto_local_estimate e[2];
	uint64_t yes = 430;

	CHECK_INT(sotto_local_design_coin(&p, ratio("1/2"), ratio("1/2"), NULL), SOTTO_OK);
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	CHECK_INT(sotto_local_aggregate_import(a, 1000, NULL, &yes), SOTTO_OK);
	CHECK_INT(sotto_local_decode(a, &both, &o, e, NULL), SOTTO_OK);
	CHECK_REL(e[1].count, 360, 1e-9);
	CHECK_REL(e[1].sd, 31.31134, 1e-6);
	CHECK_REL(e[0].count, 640, 1e-9);
	CHECK_REL(e[0].sd, e[1].sd, 1e-9);
	sotto_local_aggregate_free(a);
}

static double null_variance(uint32_t protocol, uint32_t d, const char *eps)
{
	struct sotto_client_params p = {.protocol = protocol, .size = d};
	double keep, one, zero, w;

	CHECK_INT(sotto_local_design(&p, ratio(eps), NULL, NULL, NULL), SOTTO_OK);
	keep = sotto_local_chance(p.keep);
	one = sotto_local_chance(p.one);
	zero = sotto_local_chance(p.zero);
	w = p.hashes;
	switch (protocol) {
	case SOTTO_CLIENT_GRR:
		return sotto_local_variance(1, 0, keep, (1 - keep) / (d - 1),
					    SOTTO_LOCAL_SAMPLE);
	case SOTTO_CLIENT_OLH:
		return sotto_local_variance(1, 0, keep, 1 / w, SOTTO_LOCAL_SAMPLE);
	case SOTTO_CLIENT_SUBSET:
		return sotto_local_variance(1, 0, keep,
					    (keep * (w - 1) + (1 - keep) * w) / (d - 1),
					    SOTTO_LOCAL_SAMPLE);
	case SOTTO_CLIENT_HR:
		return sotto_local_variance(1, 0, keep, .5, SOTTO_LOCAL_SAMPLE);
	default:
		return sotto_local_variance(1, 0, one, zero, SOTTO_LOCAL_SAMPLE);
	}
}

static void variances_per_user_are_the_published_ones(void)
{
	struct sotto_client_params hr = {
		.protocol = SOTTO_CLIENT_HR, .size = 1000, .groups = 1};

	CHECK_REL(null_variance(SOTTO_CLIENT_OUE, 10, "1"), 3.682694, 1e-6);
	CHECK_REL(null_variance(SOTTO_CLIENT_SUE, 10, "1"), 3.917698, 1e-6);
	CHECK_REL(null_variance(SOTTO_CLIENT_OLH, 10, "1"), 3.691655, 1e-6);
	CHECK_REL(null_variance(SOTTO_CLIENT_SUBSET, 1024, "1"), 3.673552, 1e-6);
	CHECK_REL(null_variance(SOTTO_CLIENT_GRR, 16, "1"), 5.662430017, 1e-7);
	CHECK_INT(sotto_local_design(&hr, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_REL(
		sotto_local_variance(1, 0, sotto_local_chance(hr.keep), .5, SOTTO_LOCAL_SAMPLE),
		4.682694, 1e-6);
	CHECK_REL(sotto_local_variance_cms(52000, 2000, 10 * 5000.0 * 5000, 256, 64,
					   1 / (1 + exp(1))),
		  63762.8957, 1e-8);
}

static void one_bit_means_are_the_published_ones(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 100};
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_mean m;
	uint64_t ones = 430;

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	CHECK_INT(sotto_local_decode_mean(a, .05, &m), SOTTO_EINVAL); /* no reports */
	CHECK_INT(sotto_local_aggregate_import(a, 1000, NULL, &ones), SOTTO_OK);
	CHECK_INT(sotto_local_decode_mean(a, .05, &m), SOTTO_OK);
	CHECK_REL(m.mean, 34.852326, 1e-7);
	sotto_local_aggregate_free(a);
	p.size = 86400;
	ones = 500000;
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	CHECK_INT(sotto_local_aggregate_import(a, 1000000, NULL, &ones), SOTTO_OK);
	CHECK_INT(sotto_local_decode_mean(a, .05, &m), SOTTO_OK);
	CHECK_REL(m.mean, 43200, 1e-9);
	CHECK_REL(m.sd, 93.482787, 1e-7);
	CHECK_REL(m.bound, 253.918231, 1e-8);
	sotto_local_aggregate_free(a);
}

static void norm_sub_is_the_projection_on_the_simplex(void)
{
	struct sotto_local_estimate e[4] = {
		{.count = .6}, {.count = .5}, {.count = -.2}, {.count = .05}};
	static const double want[4] = {.55, .45, 0, 0};

	CHECK_INT(sotto_local_postprocess(e, 4, 1, SOTTO_LOCAL_POST_NORM_SUB), SOTTO_OK);
	for (int i = 0; i < 4; i++)
		CHECK(fabs(e[i].post - want[i]) < 1e-12);
	CHECK_INT(sotto_local_postprocess(e, 4, 1, SOTTO_LOCAL_POST_NORM), SOTTO_OK);
	CHECK(fabs(e[0].post + e[1].post + e[2].post + e[3].post - 1) < 1e-12);
	CHECK_INT(sotto_local_postprocess(e, 4, 1, SOTTO_LOCAL_POST_NORM_MUL), SOTTO_OK);
	CHECK(fabs(e[0].post - .6 / 1.15) < 1e-12 && e[2].post == 0);
	CHECK_INT(sotto_local_postprocess(e, 4, 1, SOTTO_LOCAL_POST_NORM_CUT), SOTTO_OK);
	CHECK(e[0].post == .6 && e[1].post == 0 && e[3].post == 0);
	CHECK_INT(sotto_local_postprocess(e, 4, 1, SOTTO_LOCAL_POST_BASE_POS), SOTTO_OK);
	CHECK(e[2].post == 0 && e[3].post == .05);
}

static unsigned found(enum sotto_local_correction correction, uint64_t tests)
{
	static const double p[5] = {.001, .013, .014, .045, .9};
	struct sotto_local_estimate e[5];
	unsigned n = 0;

	for (int i = 0; i < 5; i++)
		e[i].p_value = p[i];
	CHECK_INT(sotto_local_decide(e, 5, tests, .05, correction), SOTTO_OK);
	for (int i = 0; i < 5; i++)
		n += e[i].significant;
	return n;
}

static void corrections_change_the_decision(void)
{
	CHECK_INT(found(SOTTO_LOCAL_CORRECT_NONE, 0), 4);
	CHECK_INT(found(SOTTO_LOCAL_CORRECT_BONFERRONI, 0), 1); /* .01 */
	CHECK_INT(found(SOTTO_LOCAL_CORRECT_HOLM, 0), 1); /* .013 > .0125 */
	CHECK_INT(found(SOTTO_LOCAL_CORRECT_BH, 0), 3); /* .014 <= .03 */
	CHECK_INT(found(SOTTO_LOCAL_CORRECT_BY, 0), 1); /* .014 > .03/2.283 */
	CHECK_INT(found(SOTTO_LOCAL_CORRECT_BONFERRONI, 1000), 0); /* screened ones count too */
}

static void detection_limit_is_the_published_one(void)
{
	double p = .375, q = .625, n = 1e6, sd = sqrt(p * (1 - p) * n) / (q - p);

	CHECK_REL(sd, 1936.491673, 1e-9);
	CHECK_REL(sotto_normal_upper(.05 / 100) * sd / n, .006372078, 1e-6);
	/* t_ij: N = 10000, c = 4500 */
	{
		struct sotto_local_estimate e;

		CHECK_INT(sotto_local_estimate_pure(10000, 4500, .625, .375, .05,
						    SOTTO_LOCAL_POPULATION, &e),
			  SOTTO_OK);
		CHECK_REL(e.count, 3000, 1e-12);
		CHECK_REL(e.sd, 198.997487, 1e-8);
	}
}

/* Below 1000 reports: every n_v whose tails both exceed alpha/2, found by trying all. */
static void small_collections_have_exact_intervals(void)
{
	const uint64_t n = 60, c = 30;
	const double p = .7, q = .3, alpha = .1;
	struct sotto_local_estimate e;
	int low = -1, high = -1;

	CHECK_INT(sotto_local_estimate_pure(n, c, p, q, alpha, SOTTO_LOCAL_SAMPLE, &e),
		  SOTTO_OK);
	for (uint64_t v = 0; v <= n; v++) {
		double below = 0, above = 0;

		for (uint64_t x = 0; x <= v; x++)
			for (uint64_t y = 0; y <= n - v; y++) {
				double mass = sotto_binomial_mass(v, p, x) *
					      sotto_binomial_mass(n - v, q, y);

				below += x + y <= c ? mass : 0;
				above += x + y >= c ? mass : 0;
			}
		if (below > alpha / 2 && above > alpha / 2) {
			low = low < 0 ? (int)v : low;
			high = (int)v;
		}
	}
	CHECK_INT(e.low, low);
	CHECK_INT(e.high, high);
	/* p < q is the mirror */
	{
		struct sotto_local_estimate mirror;

		CHECK_INT(sotto_local_estimate_pure(n, n - c, 1 - p, 1 - q, alpha,
						    SOTTO_LOCAL_SAMPLE, &mirror),
			  SOTTO_OK);
		CHECK_REL(mirror.count, e.count, 1e-12);
		CHECK_INT(mirror.low, low);
	}
	CHECK_INT(sotto_local_estimate_pure(n, c, .5, .5, alpha, SOTTO_LOCAL_SAMPLE, &e),
		  SOTTO_EINVAL);
}

/* Small collections: intervals of the selected are the exact ones at their own level. */
static void selected_values_have_exact_intervals_at_their_level(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_GRR, .size = 4};
	uint64_t cells[4] = {150, 90, 30, 30};
	struct sotto_local_candidates all = {.count = 4};
	struct sotto_local_options o = {.alpha = .05, .selected = true};
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_estimate e[4], want;
	double keep, selected = 0;

	CHECK_INT(sotto_local_design(&p, ratio("2"), NULL, NULL, NULL), SOTTO_OK);
	keep = sotto_local_chance(p.keep);
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(a, 300, NULL, cells) == SOTTO_OK);
	CHECK_INT(sotto_local_decode(a, &all, &o, e, NULL), SOTTO_OK);
	for (int i = 0; i < 4; i++)
		selected += e[i].significant;
	CHECK(selected == 2);
	for (int i = 0; i < 4; i++) {
		CHECK_INT(sotto_local_estimate_pure(300, cells[i], keep, (1 - keep) / 3,
						    i < 2 ? .05 * 2 / 4 : .05,
						    SOTTO_LOCAL_SAMPLE, &want),
			  SOTTO_OK);
		CHECK(e[i].low == want.low && e[i].high == want.high);
	}
	sotto_local_aggregate_free(a);
}

/* Protocols that are pure in disguise: one Hadamard block, and dBitFlip that sends every bucket. */
static void pure_protocols_in_disguise_have_exact_intervals_too(void)
{
	struct sotto_client_params hr = {.protocol = SOTTO_CLIENT_HR, .size = 3, .groups = 1};
	struct sotto_client_params bits = {
		.protocol = SOTTO_CLIENT_DBITFLIP, .size = 3, .hashes = 3};
	uint64_t columns[4] = {30, 70, 20, 25}, ones[3] = {80, 60, 40},
		 sent[3] = {145, 145, 145};
	struct sotto_local_candidates all = {.count = 3};
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_estimate e[3], want;
	double keep, flip;

	CHECK_INT(sotto_local_design(&hr, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	keep = sotto_local_chance(hr.keep);
	REQUIRE(sotto_local_aggregate_new(&hr, &a) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(a, 145, NULL, columns) == SOTTO_OK);
	CHECK_INT(sotto_local_decode(a, &all, &o, e, NULL), SOTTO_OK);
	/* value 0 is row 1: columns 0 and 2 */
	CHECK_INT(sotto_local_estimate_pure(145, 50, keep, .5, .05, SOTTO_LOCAL_SAMPLE, &want),
		  SOTTO_OK);
	CHECK(e[0].count == want.count && e[0].low == want.low && e[0].high == want.high);
	sotto_local_aggregate_free(a);

	CHECK_INT(sotto_local_design(&bits, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	flip = sotto_local_chance(bits.flip);
	REQUIRE(sotto_local_aggregate_new(&bits, &a) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(a, 145, sent, ones) == SOTTO_OK);
	CHECK_INT(sotto_local_decode(a, &all, &o, e, NULL), SOTTO_OK);
	CHECK_INT(sotto_local_estimate_pure(145, 80, 1 - flip, flip, .05, SOTTO_LOCAL_SAMPLE,
					    &want),
		  SOTTO_OK);
	CHECK(e[0].count == want.count && e[0].low == want.low && e[0].high == want.high);
	sotto_local_aggregate_free(a);
}

static void population_variance_is_sample_variance_plus_sampling(void)
{
	double n = 1000, v = 200, p = .6, q = .2;

	CHECK_REL(sotto_local_variance(n, v, p, q, SOTTO_LOCAL_POPULATION),
		  sotto_local_variance(n, v, p, q, SOTTO_LOCAL_SAMPLE) + v * (1 - v / n),
		  1e-12);
}

static void the_transform_is_its_definition(void)
{
	for (size_t n = 1; n <= 256; n *= 2) {
		int64_t x[256] = {0}, y[256];
		int32_t z[256], other[256];

		for (size_t i = 0; i < n; i++)
			z[i] = (int32_t)(x[i] = (int64_t)(i * i % 17) - 8);
		for (size_t j = 0; j < n; j++) {
			y[j] = 0;
			for (size_t i = 0; i < n; i++)
				y[j] += __builtin_parityll(i & j) ? -x[i] : x[i];
		}
		sotto_fwht_i64(x, n);
#if defined(__x86_64__)
		if (n >= 64 && __builtin_cpu_supports("avx512bw")) {
			memcpy(other, z, sizeof other);
			sotto_fwht_i32_avx512(other, n);
			CHECK_INT(other[n - 1], y[n - 1]);
			CHECK_INT(other[1], y[1]);
		}
		if (n >= 32 && __builtin_cpu_supports("avx2")) {
			memcpy(other, z, sizeof other);
			sotto_fwht_i32_avx2(other, n);
			for (size_t i = 0; i < n; i++)
				CHECK_INT(other[i], y[i]);
		}
#endif
		memcpy(other, z, sizeof other);
		sotto_fwht_i32_portable(other, n);
		for (size_t i = 0; i < n; i++)
			CHECK_INT(other[i], y[i]);
		sotto_fwht_i32(z, n);
		CHECK(memcmp(x, y, n * 8) == 0);
		for (size_t i = 0; i < n; i++)
			CHECK_INT(z[i], y[i]);
	}
}

static void candidates_outside_the_domain_are_refused(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_GRR, .size = 5};
	struct sotto_local_aggregate *a = NULL;
	uint64_t six[1] = {5};
	const void *text[1] = {"x"};
	size_t length[1] = {1};
	struct sotto_local_candidates far = {.count = 1, .numbers = six};
	struct sotto_local_candidates words = {.count = 1, .strings = text, .lengths = length};
	struct sotto_local_options o = {.alpha = .05}, bad = {.alpha = 1.5};
	struct sotto_local_estimate e[1];

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	CHECK_INT(sotto_local_decode(a, &far, &o, e, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_local_decode(a, &words, &o, e, NULL), SOTTO_EINVAL);
	six[0] = 4;
	CHECK_INT(sotto_local_decode(a, &far, &bad, e, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_local_decode(a, &far, &o, e, NULL), SOTTO_OK);
	sotto_local_aggregate_free(a);
}

/* Reports of users with values v1, v2 ...; everything follows from the seed. */
static enum sotto_status add_users(struct sotto_local_aggregate *a,
				   const struct sotto_client_params *p, const uint64_t *holders,
				   unsigned values, uint64_t seed)
{
	uint8_t key[32], report[64];
	struct sotto_client_secrets secrets = {
		.key = key, .fill = local_fill, .context = &seed};
	struct sotto_client c;
	size_t used;

	for (unsigned v = 0; v < values; v++)
		for (uint64_t u = 0; u < holders[v]; u++) {
			(void)local_fill(&seed, key, sizeof key);
			if (sotto_client_init(&c, p, &secrets) != SOTTO_OK ||
			    local_encode(&c, v + 1, report, sizeof report, &used) != SOTTO_OK ||
			    sotto_local_aggregate_add(a, report, 1) != SOTTO_OK)
				return SOTTO_EINVAL;
		}
	return SOTTO_OK;
}

/*
 * Six users in ten hold one value that is on no list, in a table of few rows: what it does to
 * the others by collisions is in their errors.  Hash functions are drawn anew in every run.  It
 * meets another value in a fourth of a row in the mean, and in whole rows only: test_collide.
 */
static void a_heavy_value_on_no_list_is_in_the_errors(void)
{
	static const uint32_t protocols[] = {SOTTO_CLIENT_CMS, SOTTO_CLIENT_HCMS,
					     SOTTO_CLIENT_FLH};
	enum { LISTED = 12, RUNS = 30 };
	uint64_t holders[LISTED + 1] = {6000, 1500, 800, 400, 300, 200, 200,
					200,  100,  100, 100, 100, 0};
	char text[LISTED][8];
	const void *names[LISTED];
	size_t lengths[LISTED];

	for (int i = 0; i < LISTED; i++) { /* all but the first */
		lengths[i] = (size_t)snprintf(text[i], sizeof text[i], "v%d", i + 2);
		names[i] = text[i];
	}
	for (size_t which = 0; which < 3; which++) {
		struct sotto_local_candidates listed = {
			.count = LISTED, .strings = names, .lengths = lengths};
		struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
		double covered = 0, share;

		for (uint64_t run = 0; run < RUNS; run++) {
			struct sotto_client_params p = {.protocol = protocols[which],
							.width = 32,
							.hashes = 8,
							.groups = 8,
							.salt = 77 * run + 5};
			struct sotto_local_estimate e[LISTED];
			struct sotto_local_aggregate *a = NULL;

			if (p.protocol == SOTTO_CLIENT_FLH)
				p.width = 0;
			else
				p.hashes = 0;
			REQUIRE(sotto_local_design(&p, ratio("2"), NULL, NULL, NULL) ==
				SOTTO_OK);
			REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
			REQUIRE(add_users(a, &p, holders, LISTED + 1, 1000 + run) == SOTTO_OK);
			REQUIRE(sotto_local_decode(a, &listed, &o, e, NULL) == SOTTO_OK);
			for (int i = 0; i < LISTED; i++)
				covered += e[i].low <= (double)holders[i + 1] &&
					   (double)holders[i + 1] <= e[i].high;
			sotto_local_aggregate_free(a);
		}
		share = covered / RUNS / LISTED;
		tap_note("%s: %.3f covered", sotto_local_protocol_name(protocols[which]),
			 share);
		CHECK(share > .94 && share < .995);
	}
}

/* How often the interval of a share misses it, summed over all numbers of supports. */
static double missed(uint64_t n, double p, double q, double share, double alpha)
{
	double rate = share * p + (1 - share) * q, sum = 0;

	for (uint64_t c = 0; c <= n; c++) {
		double mass = sotto_binomial_mass(n, rate, c);
		struct sotto_local_estimate e;

		if (mass < 1e-12)
			continue;
		if (sotto_local_estimate_pure(n, c, p, q, alpha, SOTTO_LOCAL_POPULATION, &e) !=
			    SOTTO_OK ||
		    share * (double)n < e.low || share * (double)n > e.high)
			sum += mass;
	}
	return sum;
}

/* The same of a number among those who reported: supports of holders and of the others. */
static double missed_in_sample(uint64_t n, double p, double q, double share, double alpha)
{
	uint64_t held = (uint64_t)(share * (double)n);
	double *held_is = calloc(n + 1, sizeof *held_is),
	       *other_is = calloc(n + 1, sizeof *other_is);
	double sum = 0;

	for (uint64_t c = 0; held_is && other_is && c <= n; c++) {
		held_is[c] = sotto_binomial_mass(held, p, c);
		other_is[c] = sotto_binomial_mass(n - held, q, c);
	}
	for (uint64_t c = 0; held_is && other_is && c <= n; c++) {
		struct sotto_local_estimate e;
		double mass = 0;

		for (uint64_t x = 0; x <= c && x <= held; x++)
			mass += held_is[x] * other_is[c - x];
		if (mass < 1e-12)
			continue;
		if (sotto_local_estimate_pure(n, c, p, q, alpha, SOTTO_LOCAL_SAMPLE, &e) !=
			    SOTTO_OK ||
		    (double)held < e.low || (double)held > e.high)
			sum += mass;
	}
	free(held_is);
	free(other_is);
	return sum;
}

/* OUE at epsilon 4 and 6: few reports support a rare value, and their law leans. */
static void small_tails_of_rare_values_are_as_small_as_they_say(void)
{
	static const double shares[] = {0, .002, .01, .05, .3}, epsilons[] = {4, 6},
			    alphas[] = {.05 / 12, .05 / 1000};
	static const uint64_t sizes[] = {1000, 1200, 3000, 10000};
	double worst = 0, worst_in_sample = 0;

	for (size_t i = 0; i < 5 * 2 * 4 * 2; i++) {
		double share = shares[i / 16], q = 1 / (exp(epsilons[i / 8 % 2]) + 1);
		double alpha = alphas[i % 2];
		uint64_t n = sizes[i / 2 % 4];

		worst = fmax(worst, missed(n, .5, q, share, alpha) / alpha);
		if (n < 10000) /* the time grows with its square */
			worst_in_sample =
				fmax(worst_in_sample,
				     missed_in_sample(n, .5, q, share, alpha) / alpha);
	}
	tap_note("missed at most %.2f times as often as stated, %.2f among those who reported",
		 worst, worst_in_sample);
	CHECK(worst < 2);
	CHECK(worst_in_sample < 2);
}

enum { LIES = 100 };

/* The same, where so few reports lie that a sum over the lies of both kinds is short. */
static double missed_by_few_lies(uint64_t n, double p, double q, uint64_t held, double alpha)
{
	double more[2 * LIES + 1] = {0},
			       sum = 0; /* chances of so many supports more than holders */

	for (uint64_t hidden = 0; hidden <= LIES && hidden <= held; hidden++)
		for (uint64_t feigned = 0; feigned <= LIES && feigned <= n - held; feigned++)
			more[LIES + feigned - hidden] +=
				sotto_binomial_mass(held, 1 - p, hidden) *
				sotto_binomial_mass(n - held, q, feigned);
	for (uint64_t i = 0; i <= 2 * LIES; i++) {
		struct sotto_local_estimate e;

		if (more[i] < 1e-7)
			continue;
		if (sotto_local_estimate_pure(n, held + i - LIES, p, q, alpha,
					      SOTTO_LOCAL_SAMPLE, &e) != SOTTO_OK ||
		    (double)held < e.low || (double)held > e.high)
			sum += more[i];
	}
	return sum;
}

/* k-ary randomized response at a large epsilon: many support a value, and few of them lie. */
static void intervals_of_frequent_values_hold_where_few_reports_lie(void)
{
	static const double shares[] = {.01, .3, .5, .9}, epsilons[] = {6, 8, 10},
			    alphas[] = {.05, .05 / 100};
	static const uint64_t sizes[] = {1500, 5000, 200000};
	double worst = 0;

	for (size_t i = 0; i < 4 * 3 * 3 * 2; i++) {
		double odds = exp(epsilons[i / 6 % 3]), p = odds / (odds + 7),
		       q = 1 / (odds + 7), alpha = alphas[i % 2];
		uint64_t n = sizes[i / 2 % 3], held = (uint64_t)(shares[i / 18] * (double)n);

		if ((double)held * (1 - p) < LIES / 3. && (double)(n - held) * q < LIES / 3.)
			worst = fmax(worst, missed_by_few_lies(n, p, q, held, alpha) / alpha);
	}
	tap_note("missed at most %.2f times as often as stated", worst);
	CHECK(worst < 1.25);
}

int main(void)
{
	RUN(distribution_functions_have_known_values);
	RUN(small_populations_have_exact_intervals);
	RUN(small_tails_of_rare_values_are_as_small_as_they_say);
	RUN(intervals_of_frequent_values_hold_where_few_reports_lie);
	RUN(coin_tosses_give_36_percent);
	RUN(variances_per_user_are_the_published_ones);
	RUN(one_bit_means_are_the_published_ones);
	RUN(norm_sub_is_the_projection_on_the_simplex);
	RUN(corrections_change_the_decision);
	RUN(detection_limit_is_the_published_one);
	RUN(small_collections_have_exact_intervals);
	RUN(selected_values_have_exact_intervals_at_their_level);
	RUN(pure_protocols_in_disguise_have_exact_intervals_too);
	RUN(population_variance_is_sample_variance_plus_sampling);
	RUN(the_transform_is_its_definition);
	RUN(candidates_outside_the_domain_are_refused);
	RUN(a_heavy_value_on_no_list_is_in_the_errors);
	return tap_done();
}
