/*
 * Every oracle, end to end: encode, count, decode, many times over.  The mean is
 * within 4.5 standard errors of the truth, the sample variance within its own
 * error of the formula, 95 % intervals hold in 95 % of the runs, and simultaneous
 * ones all together.  The long set runs 2000 times and wants the mean within 4
 * standard errors, the variance within 10 %, coverage in [.935, .965].
 */
#include "local/decode/estimate.h"
#include "local/decode/sketch.h"
#include "local/protocol/design.h"
#include "sotto/decode.h"
#include "sotto/local.h"

#include <stdlib.h>

#include "testlib/effort.h"
#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

#define USERS 1000
#define DOMAIN 12

/* value of user i: 0 has 400 users, 1 has 200, 2..5 have 100, the others nobody */
static unsigned value_of(unsigned i)
{
	return i < 400 ? 0 : i < 600 ? 1 : 2 + (i - 600) / 100;
}

static const double truth[DOMAIN] = {400, 200, 100, 100, 100, 100};

struct moments {
	double sum, squares, covered, runs;
};

static unsigned runs(void)
{
	return effort() == EFFORT_LONG ? 2000 : effort() == EFFORT_SHORT ? 400 : 60;
}

/* e with an interval each, together with intervals that hold all at once. */
static void one_run(const struct sotto_client_params *p, uint64_t *seed, bool strings,
		    struct sotto_local_estimate *e, struct sotto_local_estimate *together)
{
	struct sotto_local_aggregate *a = NULL;
	char names[DOMAIN][8];
	const void *texts[DOMAIN];
	size_t lengths[DOMAIN], stride = sotto_client_report_bytes(p), used;
	struct sotto_local_candidates all = {.count = DOMAIN};
	struct sotto_local_options o = {.alpha = .05};
	uint8_t key[32];
	struct sotto_client_secrets s = {.key = key, .fill = local_fill, .context = seed};
	struct sotto_client c;
	uint8_t report[256];

	for (unsigned i = 0; i < DOMAIN; i++) {
		lengths[i] = (size_t)snprintf(names[i], sizeof names[i], "v%u", i);
		texts[i] = names[i];
	}
	if (strings) {
		all.strings = texts;
		all.lengths = lengths;
	}
	REQUIRE(sotto_local_aggregate_new(p, &a) == SOTTO_OK);
	for (unsigned i = 0; i < USERS; i++) {
		/* permanent answers and buckets are drawn from the device's key */
		if (i == 0 || p->protocol == SOTTO_CLIENT_RAPPOR ||
		    p->protocol == SOTTO_CLIENT_DBITFLIP) {
			local_fill(seed, key, sizeof key);
			REQUIRE(sotto_client_init(&c, p, &s) == SOTTO_OK);
		}
		REQUIRE(local_encode(&c, value_of(i), report, sizeof report, &used) ==
			SOTTO_OK);
		REQUIRE(used == stride);
		REQUIRE(sotto_local_aggregate_add(a, report, 1) == SOTTO_OK);
	}
	REQUIRE(sotto_local_decode(a, &all, &o, e, NULL) == SOTTO_OK);
	o.simultaneous = true;
	REQUIRE(sotto_local_decode(a, &all, &o, together, NULL) == SOTTO_OK);
	sotto_local_aggregate_free(a);
}

typedef double (*variance_formula)(const struct sotto_client_params *p, double n_v, double s2);

static void judge(const char *name, const struct moments *m, double n_v, double formula)
{
	bool all = effort() == EFFORT_LONG;
	double mean = m->sum / m->runs;
	double variance = m->squares / m->runs - mean * mean;
	double slack = all ? .1 : 4.5 * sqrt(2 / m->runs);
	double errors = all ? 4 : 4.5, cover = m->covered / m->runs;
	double off = all ? .015 : 4.5 * sqrt(.0475 / m->runs);

	if (!(fabs(mean - n_v) < errors * sqrt(formula / m->runs)) ||
	    !(fabs(variance / formula - 1) < slack) || !(fabs(cover - .95) <= off))
		tap_note("%s: count %.0f, mean %.2f, variance %.0f, formula %.0f, covered %.4f",
			 name, n_v, mean, variance, formula, cover);
	CHECK(fabs(mean - n_v) < errors * sqrt(formula / m->runs));
	CHECK(fabs(variance / formula - 1) < slack);
	CHECK(fabs(cover - .95) <= off);
}

static void try_oracle(struct sotto_client_params p, bool strings, variance_formula formula)
{
	struct moments m[DOMAIN] = {{0}};
	uint64_t seed = 77 + p.protocol;
	double s2 = 0, all_held = 0;

	for (unsigned v = 0; v < DOMAIN; v++)
		s2 += truth[v] * truth[v];
	for (unsigned run = 0; run < runs(); run++) {
		struct sotto_local_estimate e[DOMAIN], together[DOMAIN];
		bool held = true;

		p.salt = run; /* variances are over the hash functions too */
		one_run(&p, &seed, strings, e, together);
		for (unsigned v = 0; v < DOMAIN; v++) {
			m[v].sum += e[v].count;
			m[v].squares += e[v].count * e[v].count;
			m[v].covered += e[v].low <= truth[v] && truth[v] <= e[v].high;
			m[v].runs++;
			held &= together[v].low <= truth[v] && truth[v] <= together[v].high;
		}
		all_held += held;
	}
	CHECK(all_held / runs() >= (effort() == EFFORT_LONG ? .935 : .90));
	for (unsigned v = 0; v < DOMAIN; v += v < 2 ? 1 : 9) /* 400, 200, 100, and nobody */
		judge(sotto_local_protocol_name(p.protocol), &m[v], truth[v],
		      formula(&p, truth[v], s2 - truth[v] * truth[v]));
}

static struct sotto_client_params
design(uint32_t protocol, const char *eps, uint32_t hashes, uint32_t groups)
{
	struct sotto_client_params p = {
		.protocol = protocol, .size = DOMAIN, .hashes = hashes, .groups = groups};

	if (protocol == SOTTO_CLIENT_CMS || protocol == SOTTO_CLIENT_HCMS) {
		p.size = 0;
		p.width = 64;
	}
	CHECK_INT(sotto_local_design(&p, ratio(eps), NULL, NULL, NULL), SOTTO_OK);
	return p;
}

static double e1(void)
{
	return exp(1);
}

/* The published formulas, at epsilon 1. */
static double grr(const struct sotto_client_params *p, double v, double s2)
{
	double e = e1(), d = p->size;

	(void)s2;
	return sotto_local_variance(USERS, v, e / (e + d - 1), 1 / (e + d - 1),
				    SOTTO_LOCAL_SAMPLE);
}

static double sue(const struct sotto_client_params *p, double v, double s2)
{
	double s = exp(.5);

	(void)p;
	(void)s2;
	return sotto_local_variance(USERS, v, s / (s + 1), 1 / (s + 1), SOTTO_LOCAL_SAMPLE);
}

static double oue(const struct sotto_client_params *p, double v, double s2)
{
	(void)p;
	(void)s2;
	return sotto_local_variance(USERS, v, .5, 1 / (e1() + 1), SOTTO_LOCAL_SAMPLE);
}

static double olh(const struct sotto_client_params *p, double v, double s2)
{
	double e = e1(), g = p->hashes;

	(void)s2;
	return sotto_local_variance(USERS, v, e / (e + g - 1), 1 / g, SOTTO_LOCAL_SAMPLE);
}

static double flh(const struct sotto_client_params *p, double v, double s2)
{
	return olh(p, v, 0) + (s2 - (USERS - v)) / p->groups / (p->hashes - 1.0);
}

static double subset(const struct sotto_client_params *p, double v, double s2)
{
	double e = e1(), w = p->hashes, d = p->size, all = w * e + d - w;

	(void)s2;
	return sotto_local_variance(USERS, v, w * e / all,
				    (w * (w - 1) * e + (d - w) * w) / ((d - 1) * all),
				    SOTTO_LOCAL_SAMPLE);
}

static double hadamard(const struct sotto_client_params *p, double v, double s2)
{
	double e = e1(), b = p->groups, in_block = 0;
	unsigned own = v == 400 ? 0 : v == 200 ? 1 : v == 100 ? 2 : 11;

	(void)s2;
	for (unsigned u = 0; u < DOMAIN; u++)
		in_block += u % p->groups == own % p->groups ? truth[u] : 0;
	return (e - 1 + 2 * b) / (e - 1) / (e - 1) * (2 * USERS + in_block * (e - 1)) - v;
}

static double basic_rappor(const struct sotto_client_params *p, double v, double s2)
{
	(void)p;
	(void)s2;
	return sotto_local_variance(USERS, v, .625, .375, SOTTO_LOCAL_SAMPLE);
}

static double dbitflip(const struct sotto_client_params *p, double v, double s2)
{
	double s = exp(.5), ratio_ = (double)p->size / p->hashes;

	(void)s2;
	return USERS * ratio_ * s / (s - 1) / (s - 1) + v * (ratio_ - 1);
}

static double cms(const struct sotto_client_params *p, double v, double s2)
{
	return sotto_local_variance_cms(USERS, v, s2, p->width, p->groups, 1 / (1 + exp(.5)));
}

static double hcms(const struct sotto_client_params *p, double v, double s2)
{
	return sotto_local_variance_hcms(USERS, v, s2, p->width, p->groups, 1 / (1 + exp(1)));
}

static void grr_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_GRR, "1", 0, 0), false, grr);
}

static void sue_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_SUE, "1", 0, 0), false, sue);
}

static void oue_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_OUE, "1", 0, 0), false, oue);
}

static void olh_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_OLH, "1", 0, 0), false, olh);
}

static void flh_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_FLH, "1", 0, 40), false, flh);
}

static void hadamard_response_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_HR, "1", 0, 1), false, hadamard);
	try_oracle(design(SOTTO_CLIENT_HR, "1", 0, 0), false, hadamard);
}

static void subset_selection_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_SUBSET, "1", 0, 0), false, subset);
}

static void dbitflip_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_DBITFLIP, "1", 4, 0), false, dbitflip);
	try_oracle(design(SOTTO_CLIENT_DBITFLIP, "1", DOMAIN, 0), false,
		   sue); /* d = k is SUE */
}

/* Two rounds, f = .5, p = .25, q = .75: pure with .625 and .375. */
static void basic_rappor_estimates_as_its_formula_says(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_RAPPOR,
					.size = DOMAIN,
					.width = DOMAIN,
					.hashes = 1,
					.groups = 1};

	CHECK_INT(sotto_local_design_rappor(&p, ratio(".5"), ratio(".25"), ratio(".75"), NULL),
		  SOTTO_OK);
	try_oracle(p, false, basic_rappor);
}

static void cms_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_CMS, "1", 0, 16), true, cms);
}

static void hcms_estimates_as_its_formula_says(void)
{
	try_oracle(design(SOTTO_CLIENT_HCMS, "1", 0, 16), true, hcms);
}

/* Bonferroni over 100 candidates that nobody holds: false discoveries in <= 5 % of the runs. */
static void null_runs_find_nothing(void)
{
	struct sotto_client_params p = design(SOTTO_CLIENT_GRR, "1", 0, 0);
	unsigned nulls = 500, wrong = 0;
	uint64_t seed = 5;

	p.size = 101;
	CHECK_INT(sotto_local_design(&p, ratio("2"), NULL, NULL, NULL), SOTTO_OK);
	for (unsigned run = 0; run < nulls; run++) {
		struct sotto_local_aggregate *a = NULL;
		struct sotto_client_secrets s = {.fill = local_fill, .context = &seed};
		struct sotto_local_options o = {.alpha = .05};
		static struct sotto_local_estimate e[101];
		struct sotto_local_candidates all = {.count = 101};
		struct sotto_client c;
		uint8_t report[8];
		size_t used;
		unsigned hits = 0;

		REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
		REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
		for (unsigned i = 0; i < 2000; i++) {
			REQUIRE(sotto_client_encode_number(&c, 0, report, 8, &used) ==
				SOTTO_OK);
			REQUIRE(sotto_local_aggregate_add(a, report, 1) == SOTTO_OK);
		}
		REQUIRE(sotto_local_decode(a, &all, &o, e, NULL) == SOTTO_OK);
		CHECK(e[0].significant);
		for (unsigned v = 1; v < 101; v++)
			hits += e[v].significant;
		wrong += hits > 0;
		sotto_local_aggregate_free(a);
	}
	tap_note("%u of %u null runs had a false discovery", wrong, nulls);
	CHECK(wrong <= nulls * 8 / 100);
}

static void one_bit_means_are_unbiased_with_gamma_and_rounding(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_ONE_BIT_MEAN,
					.size = 1000,
					.grain = 100,
					.memoize = 1};
	double sum = 0, squares = 0, covered = 0, n = runs() / 2;
	uint64_t seed = 9;

	CHECK_INT(sotto_local_design(&p, ratio("2"), NULL, ratio(".1"), NULL), SOTTO_OK);
	for (unsigned run = 0; run < (unsigned)n; run++) {
		struct sotto_local_aggregate *a = NULL;
		struct sotto_local_mean m;

		REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
		for (unsigned i = 0; i < USERS; i++) {
			uint8_t key[32], report[1];
			struct sotto_client_secrets s = {
				.key = key, .fill = local_fill, .context = &seed};
			struct sotto_client c;
			size_t used;

			local_fill(&seed, key, 32);
			REQUIRE(sotto_client_init(&c, &p, &s) == SOTTO_OK);
			REQUIRE(sotto_client_encode_number(&c, 137 + i % 100, report, 1,
							   &used) == SOTTO_OK);
			REQUIRE(sotto_local_aggregate_add(a, report, 1) == SOTTO_OK);
		}
		REQUIRE(sotto_local_decode_mean(a, .05, &m) == SOTTO_OK);
		sum += m.mean;
		squares += m.sd * m.sd;
		covered += m.low <= 186.5 && 186.5 <= m.high;
		sotto_local_aggregate_free(a);
	}
	CHECK(fabs(sum / n - 186.5) < 4.5 * sqrt(squares / n / n));
	CHECK(covered / n > .95 - 4.5 * sqrt(.0475 / n)); /* conservative, never below */
}

int main(void)
{
	RUN(grr_estimates_as_its_formula_says);
	RUN(sue_estimates_as_its_formula_says);
	RUN(oue_estimates_as_its_formula_says);
	RUN(olh_estimates_as_its_formula_says);
	RUN(flh_estimates_as_its_formula_says);
	RUN(hadamard_response_estimates_as_its_formula_says);
	RUN(subset_selection_estimates_as_its_formula_says);
	RUN(dbitflip_estimates_as_its_formula_says);
	RUN(basic_rappor_estimates_as_its_formula_says);
	RUN(cms_estimates_as_its_formula_says);
	RUN(hcms_estimates_as_its_formula_says);
	RUN(null_runs_find_nothing);
	RUN(one_bit_means_are_unbiased_with_gamma_and_rounding);
	return tap_done();
}
