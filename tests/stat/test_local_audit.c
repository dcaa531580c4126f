/*
 * Every encoder attacked: reports of two values, the event "this report speaks
 * for the first value", and the epsilon that the counts prove (Clopper-Pearson,
 * 1 - alpha).  It is never above the stated one, and close to it for GRR on two
 * symbols, so the attack has teeth.  A planted fault must be caught.
 */
#include "sotto/client_compat.h"
#include "sotto/local_decode.h"
#include "sotto/local_design.h"
#include "sotto/local_privacy.h"

#include <stdlib.h>

#include "local/special.h"
#include "testlib/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

#define ALPHA 1e-9 /* false alarm of one comparison */

static uint64_t trials(void)
{
	return getenv("SOTTO_LONG") ? 1000000 : 40000;
}

/* The epsilon proved by hits of the event under each input, in either direction. */
static double proved(uint64_t one, uint64_t zero, uint64_t n)
{
	double up = log(sotto_binomial_low(n, one, ALPHA / 2) /
			sotto_binomial_high(n, zero, ALPHA / 2));
	double down = log(sotto_binomial_low(n, n - zero, ALPHA / 2) /
			  sotto_binomial_high(n, n - one, ALPHA / 2));

	return fmax(fmax(up, down), 0);
}

/* Whether one report, decoded alone, speaks for v0 rather than v1. */
static bool speaks_for_first(struct sotto_local_aggregate *a)
{
	const void *names[2] = {"v0", "v1"};
	size_t lengths[2] = {2, 2};
	struct sotto_local_candidates numbers = {.count = 2},
				      strings = {2, NULL, names, lengths};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
	struct sotto_local_estimate e[2];

	if (sotto_local_decode(a, &numbers, &o, e, NULL) != SOTTO_OK &&
	    sotto_local_decode(a, &strings, &o, e, NULL) != SOTTO_OK)
		return false;
	return e[0].count > e[1].count;
}

static double attack(const struct sotto_client_params *p, bool leak)
{
	uint64_t hits[2] = {0, 0}, seed = 1000 + p->protocol, n = trials();
	struct sotto_client_secrets s = {.fill = local_fill, .context = &seed};
	struct sotto_client c;
	uint8_t report[1024], key[32];
	size_t used;

	s.key = key;
	for (uint64_t i = 0; i < 2 * n; i++) {
		struct sotto_local_aggregate *a = NULL;
		unsigned value = i % 2;

		local_fill(&seed, key, 32);
		if (sotto_client_open(&c, p, &s) != SOTTO_OK ||
		    local_encode(&c, value, report, sizeof report, &used) != SOTTO_OK ||
		    sotto_local_aggregate_new(p, &a) != SOTTO_OK)
			return INFINITY;
		if (leak && value == 1) /* the planted fault: a 1 never becomes a 0 */
			report[0] = (uint8_t)(report[0] | 2);
		if (sotto_local_aggregate_add(a, report, 1) != SOTTO_OK)
			return INFINITY;
		hits[value] += speaks_for_first(a);
		sotto_local_aggregate_free(a);
	}
	return proved(hits[0], hits[1], n);
}

static struct sotto_client_params design(uint32_t protocol, uint32_t size, const char *eps)
{
	struct sotto_client_params p = {.protocol = protocol, .size = size};

	if (protocol == SOTTO_CLIENT_CMS || protocol == SOTTO_CLIENT_HCMS) {
		p.size = 0;
		p.width = 16;
		p.groups = 4;
	}
	if (protocol == SOTTO_CLIENT_FLH)
		p.groups = 16;
	if (protocol == SOTTO_CLIENT_DBITFLIP)
		p.hashes = 3;
	CHECK_INT(sotto_local_design(&p, ratio(eps), NULL, NULL, NULL), SOTTO_OK);
	return p;
}

static double stated(const struct sotto_client_params *p)
{
	struct sotto_local_privacy s;

	sotto_local_privacy_init(&s);
	CHECK_INT(sotto_local_privacy_state(p, 1, &s), SOTTO_OK);
	sotto_local_privacy_release(&s);
	return s.report;
}

static void no_encoder_gives_away_more_than_it_states(void)
{
	static const uint32_t protocols[] = {
		SOTTO_CLIENT_GRR,  SOTTO_CLIENT_SUE,     SOTTO_CLIENT_OUE,    SOTTO_CLIENT_OLH,
		SOTTO_CLIENT_FLH,  SOTTO_CLIENT_HR,      SOTTO_CLIENT_SUBSET, SOTTO_CLIENT_CMS,
		SOTTO_CLIENT_HCMS, SOTTO_CLIENT_DBITFLIP};

	for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
		struct sotto_client_params p = design(protocols[i], 3, "1");
		double eps = attack(&p, false);

		tap_note("%s: proved %.3f of %.3f", sotto_local_protocol_name(protocols[i]),
			 eps, stated(&p));
		CHECK(eps <= stated(&p));
	}
}

static void the_attack_finds_nearly_all_of_grr_on_two_symbols(void)
{
	struct sotto_client_params p = design(SOTTO_CLIENT_GRR, 2, "1");
	double eps = attack(&p, false);

	CHECK(eps <= stated(&p));
	CHECK(eps >= .9 * stated(&p));
}

static void coins_and_basic_rappor_hold_too(void)
{
	struct sotto_client_params coin = {0}, basic = {.protocol = SOTTO_CLIENT_RAPPOR,
							.size = 3,
							.width = 3,
							.hashes = 1,
							.groups = 1};

	CHECK_INT(sotto_local_design_coin(&coin, ratio("1/2"), ratio("1/2"), NULL), SOTTO_OK);
	CHECK(attack(&coin, false) <= stated(&coin));
	CHECK_INT(sotto_local_design_rappor(&basic, ratio(".25"), ratio(".125"), ratio(".875"),
					    NULL),
		  SOTTO_OK);
	CHECK(attack(&basic, false) <= stated(&basic));
}

/* The fault of a public library: a permanent step that never turns a true 1 into 0. */
static void a_planted_leak_is_caught(void)
{
	struct sotto_client_params p = design(SOTTO_CLIENT_SUE, 3, "1");

	CHECK(attack(&p, true) > stated(&p));
}

static struct sotto_client_chance chance(double x)
{
	return (struct sotto_client_chance){(uint64_t)ldexp(x, 64), false};
}

/* Permanent responses of deployed clients over random secrets, against f as they realise it. */
static void compatible_permanent_responses_hold_what_f_realises(void)
{
	for (int mode = SOTTO_COMPAT_GOOGLE_PY; mode <= SOTTO_COMPAT_CHROMIUM; mode++) {
		uint8_t secret[48], bloom[2][1] = {{0x03}, {0x30}}, prr[1];
		struct sotto_compat c = {.mode = (enum sotto_compat_mode)mode,
					 .bits = 8,
					 .hashes = 2,
					 .cohorts = 8,
					 .f = chance(.5),
					 .p = chance(.25),
					 .q = chance(.75),
					 .secret = secret,
					 .secret_length = sizeof secret,
					 .id = "m",
					 .id_length = 1};
		uint64_t hits[2] = {0, 0}, seed = 31, n = trials();
		struct sotto_client_chance f, p, q;
		double eps, half;

		for (uint64_t i = 0; i < 2 * n; i++) {
			local_fill(&seed, secret, sizeof secret);
			REQUIRE(sotto_compat_permanent(&c, bloom[i % 2], prr) == SOTTO_OK);
			hits[i % 2] +=
				(prr[0] & 0x33) == 0x03; /* speaks for the first, loudly */
		}
		sotto_compat_realised(&c, &f, &p, &q);
		half = sotto_local_chance(f) / 2;
		eps = proved(hits[0], hits[1], n);
		CHECK(eps <= 4 * log((1 - half) / half));
		CHECK(eps > .5 * 4 * log((1 - half) / half));
	}
}

int main(void)
{
	RUN(no_encoder_gives_away_more_than_it_states);
	RUN(the_attack_finds_nearly_all_of_grr_on_two_symbols);
	RUN(coins_and_basic_rappor_hold_too);
	RUN(a_planted_leak_is_caught);
	RUN(compatible_permanent_responses_hold_what_f_realises);
	return tap_done();
}
