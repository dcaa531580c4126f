/* Consistent values by likelihood: mle-apx, the power-law prior, iterative Bayesian updates. */
#include "local/decode/consistency.h"
#include "local/decode/estimate.h"
#include "local/protocol/design.h"
#include "sotto/decode.h"
#include "sotto/local.h"

#include <math.h>
#include <stdlib.h>

#include "local/plan/simulation_rng.h"
#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

static struct sotto_local_estimate estimate(double count, double n, double p, double q)
{
	struct sotto_local_estimate e = {.count = count};

	e.sd = sqrt(sotto_local_variance(n, count, p, q, SOTTO_LOCAL_SAMPLE));
	e.null_sd = sqrt(sotto_local_variance(n, 0, p, q, SOTTO_LOCAL_SAMPLE));
	return e;
}

static double
loss(const struct sotto_local_estimate *e, const double *x, double n, double p, double q)
{
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += (x[i] - e[i].count) * (x[i] - e[i].count) /
		       sotto_local_variance(n, x[i], p, q, SOTTO_LOCAL_SAMPLE);
	return sum;
}

/* At the answer no small shift of users between two values is better. */
static void check_best(const struct sotto_local_estimate *e, double n, double p, double q)
{
	double x[4], best, sum = 0;

	for (int i = 0; i < 4; i++)
		sum += x[i] = e[i].post;
	CHECK_REL(sum, n, 1e-9);
	best = loss(e, x, n, p, q);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			double by = fmin(1, x[j]);

			x[i] += by;
			x[j] -= by;
			CHECK(loss(e, x, n, p, q) >= best - 1e-9);
			x[i] -= by;
			x[j] += by;
		}
}

static void mle_apx_is_the_most_likely_point_of_the_simplex(void)
{
	static const double rates[][2] = {{.5, .269}, {.6, .1}, {.9, .4}, {.7, .3}};
	const double n = 1000, counts[4] = {600, 500, -200, 50};

	for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		double p = rates[r][0], q = rates[r][1];
		struct sotto_local_estimate e[4];

		for (int i = 0; i < 4; i++)
			e[i] = estimate(counts[i], n, p, q);
		CHECK_INT(sotto_local_postprocess(e, 4, n, SOTTO_LOCAL_POST_MLE_APX), SOTTO_OK);
		CHECK(e[2].post == 0);
		check_best(e, n, p, q);
	}
	{ /* p + q = 1: every count has one variance, and the point is the nearest one */
		struct sotto_local_estimate e[4];
		static const double want[4] = {550, 450, 0, 0};

		for (int i = 0; i < 4; i++)
			e[i] = estimate(counts[i], n, .75, .25);
		CHECK_INT(sotto_local_postprocess(e, 4, n, SOTTO_LOCAL_POST_MLE_APX), SOTTO_OK);
		for (int i = 0; i < 4; i++)
			CHECK(fabs(e[i].post - want[i]) < 1e-6);
	}
}

static void a_power_law_prior_takes_noise_away(void)
{
	static struct sotto_local_estimate e[400];
	const double n = 100000, p = .5, q = .269;
	struct sotto_simulation_rng dice = {1};
	double raw = 0, post = 0, truth[400];

	for (int i = 0; i < 400; i++) {
		truth[i] = i < 30 ? n / 4 / (i + 1) : 0;
		e[i] = estimate(truth[i], n, p, q);
		e[i].count += e[i].sd * sotto_simulation_normal(&dice);
	}
	CHECK_INT(sotto_local_postprocess(e, 400, n, SOTTO_LOCAL_POST_POWER_LAW), SOTTO_OK);
	for (int i = 0; i < 400; i++) {
		CHECK(e[i].post >= 0 && e[i].post <= n);
		raw += fabs(e[i].count - truth[i]);
		post += fabs(e[i].post - truth[i]);
	}
	tap_note("distance %.0f raw, %.0f after", raw, post);
	CHECK(post < .3 * raw);
	CHECK(fabs(e[0].post - e[0].count) < .5 * e[0].sd); /* what is far from 0 stays */
}

/* A collection of so many users over d values, 60 % of them on the first. */
static struct sotto_local_aggregate *
collect(uint32_t protocol, uint32_t d, unsigned n, const char *eps, uint32_t groups)
{
	struct sotto_client_params p = {.protocol = protocol, .size = d, .groups = groups};
	struct sotto_local_aggregate *a = NULL;
	uint64_t seed = 11;
	struct sotto_client_secrets s = {.fill = local_fill, .context = &seed};
	struct sotto_client c;
	uint8_t report[32];
	size_t used;

	if (protocol == SOTTO_CLIENT_RR)
		CHECK(sotto_local_design_coin(&p, ratio("1/2"), ratio("1/3"), NULL) ==
		      SOTTO_OK);
	else
		CHECK(sotto_local_design(&p, ratio(eps), NULL, NULL, NULL) == SOTTO_OK);
	CHECK(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	p = *sotto_local_aggregate_counts(a).params;
	CHECK(sotto_client_init(&c, &p, &s) == SOTTO_OK);
	for (unsigned i = 0; i < n; i++) {
		CHECK(sotto_client_encode_number(&c, i % 10 < 6 ? 0 : 1, report, sizeof report,
						 &used) == SOTTO_OK);
		CHECK(sotto_local_aggregate_add(a, report, 1) == SOTTO_OK);
	}
	return a;
}

static void bayesian_updates_find_the_most_likely_counts(void)
{
	static const struct {
		uint32_t protocol, d, groups;
		unsigned n;
	} cases[] = {{SOTTO_CLIENT_RR, 2, 0, 2000},  {SOTTO_CLIENT_GRR, 6, 0, 4000},
		     {SOTTO_CLIENT_HR, 6, 0, 4000},  {SOTTO_CLIENT_HR, 6, 1, 4000},
		     {SOTTO_CLIENT_OLH, 6, 0, 3000}, {SOTTO_CLIENT_FLH, 6, 64, 4000}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_local_aggregate *a = collect(cases[i].protocol, cases[i].d,
							  cases[i].n, "2", cases[i].groups);
		struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_IBU};
		struct sotto_local_candidates all = {.count = cases[i].d};
		struct sotto_local_estimate e[6];
		double sum = 0, n = cases[i].n;

		CHECK_INT(sotto_local_decode(a, &all, &o, e, NULL), SOTTO_OK);
		for (uint32_t v = 0; v < cases[i].d; v++) {
			double want = v == 0 ? .6 * n : v == 1 ? .4 * n : 0;

			sum += e[v].post;
			CHECK(e[v].post >= 0);
			CHECK(fabs(e[v].post - want) < 5 * e[v].sd);
		}
		CHECK_REL(sum, n, 1e-6);
		o.iterations = 1; /* too few, and not silently so */
		CHECK_INT(sotto_local_decode(a, &all, &o, e, NULL), SOTTO_ERANGE);
		sotto_local_aggregate_free(a);
	}
}

/* Inside the simplex the likelihood of GRR is greatest at the unbiased estimate itself. */
static void updates_agree_with_unbiased_counts_where_those_are_shares(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_GRR, .size = 3};
	struct sotto_local_aggregate *a = NULL;
	uint64_t cells[3] = {500, 300, 200};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_IBU};
	struct sotto_local_candidates all = {.count = 3};
	struct sotto_local_estimate e[3];

	REQUIRE(sotto_local_design(&p, ratio("2"), NULL, NULL, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(a, 1000, NULL, cells) == SOTTO_OK);
	CHECK_INT(sotto_local_decode(a, &all, &o, e, NULL), SOTTO_OK);
	for (int i = 0; i < 3; i++)
		CHECK(fabs(e[i].post - e[i].count) < 1e-3);
	sotto_local_aggregate_free(a);
}

static void updates_refuse_counters_without_the_law_of_a_report(void)
{
	struct sotto_local_aggregate *a = collect(SOTTO_CLIENT_OUE, 6, 10, "2", 0);
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_IBU};
	struct sotto_local_candidates all = {.count = 6}, some = {.count = 3};
	struct sotto_local_estimate e[6];
	struct sotto_error err = {""};

	CHECK_INT(sotto_local_decode(a, &all, &o, e, &err), SOTTO_EINVAL);
	CHECK(err.text[0] != '\0');
	sotto_local_aggregate_free(a);
	a = collect(SOTTO_CLIENT_GRR, 6, 10, "2", 0);
	CHECK_INT(sotto_local_decode(a, &some, &o, e, &err), SOTTO_EINVAL);
	CHECK_INT(sotto_local_postprocess(e, 6, 10, SOTTO_LOCAL_POST_IBU), SOTTO_EINVAL);
	sotto_local_aggregate_free(a);
}

/* Candidates that are not all there is: no method may invent users for them. */
static void some_candidates_do_not_take_all_users(void)
{
	static const enum sotto_local_post posts[] = {SOTTO_LOCAL_POST_NORM_SUB,
						      SOTTO_LOCAL_POST_MLE_APX};
	struct sotto_local_aggregate *a = collect(SOTTO_CLIENT_GRR, 6, 4000, "2", 0);
	uint64_t only[2] = {1, 2};
	struct sotto_local_candidates some = {.count = 2, .numbers = only};
	struct sotto_local_estimate e[2];

	for (int i = 0; i < 2; i++) {
		struct sotto_local_options o = {.alpha = .05, .post = posts[i]};

		CHECK_INT(sotto_local_decode(a, &some, &o, e, NULL), SOTTO_OK);
		CHECK(fabs(e[0].post - fmax(e[0].count, 0)) < 1e-3);
	}
	sotto_local_aggregate_free(a);
}

int main(void)
{
	RUN(mle_apx_is_the_most_likely_point_of_the_simplex);
	RUN(a_power_law_prior_takes_noise_away);
	RUN(bayesian_updates_find_the_most_likely_counts);
	RUN(updates_agree_with_unbiased_counts_where_those_are_shares);
	RUN(updates_refuse_counters_without_the_law_of_a_report);
	RUN(some_candidates_do_not_take_all_users);
	return tap_done();
}
