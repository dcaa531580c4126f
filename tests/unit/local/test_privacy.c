/* Epsilons of the integers really used: acceptance figures, rounding, exact enumeration. */
#include "local/protocol/design.h"
#include "sotto/local.h"

#include <mpfr.h>

#include "testlib/ratio.h"
#include "testlib/tap.h"

static struct sotto_local_privacy
statement(const struct sotto_client_params *p, uint64_t reports)
{
	struct sotto_local_privacy s;

	sotto_local_privacy_init(&s);
	CHECK_INT(sotto_local_privacy_state(p, reports, &s), SOTTO_OK);
	sotto_local_privacy_release(&s);
	return s;
}

static struct sotto_client_params rappor(const char *f, const char *p, const char *q)
{
	struct sotto_client_params params = {.width = 32, .hashes = 2, .groups = 128};

	CHECK_INT(sotto_local_design_rappor(&params, ratio(f), ratio(p), ratio(q), NULL),
		  SOTTO_OK);
	return params;
}

static void rappor_has_the_published_epsilons(void)
{
	struct sotto_client_params p = rappor(".5", ".25", ".75");
	struct sotto_local_privacy s = statement(&p, 1);

	CHECK_REL(s.report, 2.043302495, 1e-9);
	CHECK_REL(s.after, s.report, 1e-12); /* eps_T(1) = eps_1 */
	CHECK_REL(s.permanent, 4.394449155, 1e-9);
	CHECK(isinf(s.lifetime));
	CHECK_REL(statement(&p, 2).after, 3.389191442, 1e-9);
	CHECK_REL(statement(&p, 1000).after, 4.394449155, 1e-9);
	p = rappor(".5", ".5", ".75");
	CHECK_REL(statement(&p, 1).report, 1.074285864, 1e-9);
	/* p > q is legal and costs the same as its mirror */
	p = rappor(".5", ".75", ".25");
	CHECK_REL(statement(&p, 1).report, 2.043302495, 1e-9);
	CHECK_REL(statement(&p, 2).after, 3.389191442, 1e-9);
}

static void the_curve_of_reports_rises_to_its_limit(void)
{
	struct sotto_client_params p = rappor(".5", ".25", ".75");
	double last = 0;

	for (uint64_t t = 1; t < 40; t++) {
		double now = statement(&p, t).after;

		CHECK(now >= last && now <= 4.394449155 * (1 + 1e-9));
		last = now;
	}
	CHECK(statement(&p, 8).after > .99 * 4.394449155);
}

static void coin_tosses_have_epsilon_log_3(void)
{
	struct sotto_client_params p = {0};

	CHECK_INT(sotto_local_design_coin(&p, ratio("1/2"), ratio("1/2"), NULL), SOTTO_OK);
	CHECK_REL(statement(&p, 1).report, 1.098612289, 1e-9);
	CHECK(isinf(statement(&p, 1).permanent));
	CHECK_REL(statement(&p, 7).after, 7 * 1.098612289, 1e-9);
	/* t = .6, r = .2: the answers yes and no differ; the larger counts */
	CHECK_INT(sotto_local_design_coin(&p, ratio(".6"), ratio(".2"), NULL), SOTTO_OK);
	CHECK_REL(statement(&p, 1).report, fmax(log(.68 / .08), log(.92 / .32)), 1e-9);
}

static void memoized_answers_cost_once(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_ONE_BIT_MEAN, .size = 100, .grain = 10, .memoize = 1};

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, ratio(".1"), NULL), SOTTO_OK);
	CHECK_REL(statement(&p, 1).report, .776136585, 1e-8);
	CHECK_REL(statement(&p, 1).after, .776136585, 1e-8);
	CHECK_REL(statement(&p, 1).permanent, 1, 1e-9);
	CHECK_REL(statement(&p, 500).after, 1, 1e-9);
	CHECK_REL(statement(&p, 1).lifetime, 11, 1e-9);
	p = (struct sotto_client_params){
		.protocol = SOTTO_CLIENT_DBITFLIP, .size = 100, .hashes = 4, .memoize = 1};
	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_REL(statement(&p, 9).after, 1, 1e-9);
	CHECK_REL(statement(&p, 1).lifetime, 5, 1e-9);
	p.memoize = 0;
	CHECK_REL(statement(&p, 9).after, 9, 1e-9);
}

/* ln odds <= eps in exact arithmetic, and by at most 2^-30 less. */
static void check_rounding(struct sotto_client_params *p, const char *eps, double parts)
{
	struct sotto_local_privacy s;
	const struct sotto_rational *second =
		p->protocol == SOTTO_CLIENT_SFP || p->protocol == SOTTO_CLIENT_TREEHIST
			? ratio(eps)
			: NULL;
	mpfr_t log, want;

	CHECK_INT(sotto_local_design(p, ratio(eps), second, NULL, NULL), SOTTO_OK);
	sotto_local_privacy_init(&s);
	mpfr_inits2(300, log, want, NULL);
	CHECK_INT(sotto_local_privacy_state(p, 1, &s), SOTTO_OK);
	mpfr_set_q(log, s.odds.q, MPFR_RNDU);
	mpfr_log(log, log, MPFR_RNDU);
	mpfr_set_q(want, ratio(eps)->q, MPFR_RNDD);
	mpfr_mul_d(want, want, parts, MPFR_RNDD);
	mpfr_sub(want, want, log, MPFR_RNDN);
	if (!(mpfr_sgn(want) >= 0 && mpfr_cmp_d(want, 0x1p-30) <= 0))
		tap_note("protocol %u at epsilon %s", p->protocol, eps);
	CHECK(mpfr_sgn(want) >= 0);
	CHECK(mpfr_cmp_d(want, 0x1p-30) <= 0);
	mpfr_clears(log, want, NULL);
	sotto_local_privacy_release(&s);
}

static void realised_epsilon_is_below_the_asked_one_and_close(void)
{
	static const char *const eps[] = {".1", ".5", "1", "1.672", "2", "4", "8", "10"};
	static const uint32_t protocols[] = {
		SOTTO_CLIENT_GRR,          SOTTO_CLIENT_SUE,      SOTTO_CLIENT_OUE,
		SOTTO_CLIENT_OLH,          SOTTO_CLIENT_FLH,      SOTTO_CLIENT_HR,
		SOTTO_CLIENT_SUBSET,       SOTTO_CLIENT_CMS,      SOTTO_CLIENT_HCMS,
		SOTTO_CLIENT_ONE_BIT_MEAN, SOTTO_CLIENT_DBITFLIP, SOTTO_CLIENT_PEM,
		SOTTO_CLIENT_SFP,          SOTTO_CLIENT_TREEHIST};

	for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
		for (size_t e = 0; e < sizeof eps / sizeof eps[0]; e++) {
			struct sotto_client_params p = {.protocol = protocols[i], .size = 64};
			bool two = protocols[i] == SOTTO_CLIENT_SFP ||
				   protocols[i] == SOTTO_CLIENT_TREEHIST;

			if (protocols[i] == SOTTO_CLIENT_CMS ||
			    protocols[i] == SOTTO_CLIENT_HCMS || two) {
				p.width = 256;
				p.groups = 64;
			}
			if (protocols[i] == SOTTO_CLIENT_PEM) {
				p.groups = 8;
				p.grain = 6;
			}
			if (protocols[i] == SOTTO_CLIENT_DBITFLIP || two)
				p.hashes = 4;
			if (two)
				p.grain = 8;
			check_rounding(&p, eps[e], two ? 2 : 1);
		}
}

static void flip_probabilities_are_the_published_ones(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_CMS, .width = 1024, .groups = 64};

	CHECK_INT(sotto_local_design(&p, ratio("4"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_REL(sotto_local_chance(p.flip), .119202922, 1e-8);
	p = (struct sotto_client_params){
		.protocol = SOTTO_CLIENT_HCMS, .width = 1024, .groups = 64};
	CHECK_INT(sotto_local_design(&p, ratio("4"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_REL(sotto_local_chance(p.flip), .017986210, 1e-7);
	p = (struct sotto_client_params){.protocol = SOTTO_CLIENT_GRR, .size = 16};
	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_REL(sotto_local_chance(p.keep), .153416785, 1e-8);
	CHECK_REL((1 - sotto_local_chance(p.keep)) / 15, .056438881, 1e-8);
}

static void sizes_left_open_are_the_best_ones(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_OLH, .size = 1000};

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_INT(p.hashes, 4);
	p = (struct sotto_client_params){.protocol = SOTTO_CLIENT_SUBSET, .size = 1024};
	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_INT(p.hashes, 275);
	p = (struct sotto_client_params){.protocol = SOTTO_CLIENT_HR, .size = 1000};
	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	CHECK_INT(p.groups, 2);
	CHECK_INT(p.width, 512);
}

static void designs_that_say_nothing_are_refused(void)
{
	struct sotto_client_params p = {.width = 8, .hashes = 2, .groups = 8};
	struct sotto_error err = {""};

	CHECK_INT(sotto_local_design_rappor(&p, ratio("1"), ratio(".25"), ratio(".75"), &err),
		  SOTTO_EINVAL);
	CHECK(err.text[0] != '\0');
	CHECK_INT(sotto_local_design_rappor(&p, ratio(".5"), ratio(".5"), ratio(".5"), &err),
		  SOTTO_EINVAL);
	CHECK_INT(sotto_local_design_rappor(&p, ratio("1.5"), ratio(".5"), ratio(".6"), &err),
		  SOTTO_EINVAL);
	p = (struct sotto_client_params){.protocol = SOTTO_CLIENT_GRR, .size = 10};
	CHECK_INT(sotto_local_design(&p, ratio("0"), NULL, NULL, &err), SOTTO_ERANGE);
	CHECK_INT(sotto_local_design(&p, ratio("50"), NULL, NULL, &err), SOTTO_ERANGE);
	p.size = 0;
	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, &err), SOTTO_EINVAL);
}

static void shuffled_reports_have_the_published_epsilons(void)
{
	struct sotto_local_shuffled s;

	CHECK_INT(sotto_local_shuffle(1, 1000000, ratio("1e-8"), &s), SOTTO_OK);
	CHECK_REL(s.closed, .026775163, 1e-7);
	CHECK_REL(s.clone, .006125476462, 1e-6); /* as sotto account has it */
	CHECK_INT(sotto_local_shuffle(1, 10000, ratio("1e-6"), &s), SOTTO_OK);
	CHECK_REL(s.closed, .21402565193, 1e-9);
	CHECK_REL(s.clone, .0530053165, 1e-6);
	/* outside eps0 <= ln(n / (16 ln(4/delta))) the closed form says nothing */
	CHECK_INT(sotto_local_shuffle(4, 1000, ratio("1e-6"), &s), SOTTO_OK);
	CHECK(isinf(s.closed) && s.clone <= 4);
	CHECK_INT(sotto_local_shuffle(1, 0, ratio("1e-6"), &s), SOTTO_EINVAL);
	CHECK_INT(sotto_local_shuffle(1, 10, ratio("1"), &s), SOTTO_EINVAL);
	CHECK_INT(sotto_local_shuffle(INFINITY, 10, ratio(".1"), &s), SOTTO_EINVAL);
}

int main(void)
{
	RUN(rappor_has_the_published_epsilons);
	RUN(the_curve_of_reports_rises_to_its_limit);
	RUN(coin_tosses_have_epsilon_log_3);
	RUN(memoized_answers_cost_once);
	RUN(realised_epsilon_is_below_the_asked_one_and_close);
	RUN(flip_probabilities_are_the_published_ones);
	RUN(sizes_left_open_are_the_best_ones);
	RUN(designs_that_say_nothing_are_refused);
	RUN(shuffled_reports_have_the_published_epsilons);
	return tap_done();
}
