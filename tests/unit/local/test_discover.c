/* Unknown strings are discovered, and only those that are there. */
#include "local/protocol/design.h"
#include "sotto/discover.h"
#include "sotto/local.h"

#include <stdlib.h>

#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

static const char *const words[3] = {"tea", "milk", "coffee"};
static const unsigned share[3] = {50, 30, 20}; /* of 100 users */

static struct sotto_local_aggregate *
collect(const struct sotto_client_params *p, unsigned users)
{
	struct sotto_local_aggregate *a = NULL;
	uint64_t seed = 42 + p->protocol;
	struct sotto_client_secrets s = {.fill = local_fill, .context = &seed};
	struct sotto_client c;
	uint8_t report[1024];
	size_t used;

	if (sotto_local_aggregate_new(p, &a) != SOTTO_OK ||
	    sotto_client_init(&c, p, &s) != SOTTO_OK)
		return NULL;
	for (unsigned i = 0; i < users; i++) {
		unsigned w = i % 100 < share[0] ? 0 : i % 100 < share[0] + share[1] ? 1 : 2;

		if (sotto_client_encode(&c, words[w], strlen(words[w]), report, sizeof report,
					&used) != SOTTO_OK ||
		    sotto_local_aggregate_add(a, report, 1) != SOTTO_OK)
			return NULL;
	}
	return a;
}

/* All three words found with counts within 5 sd, nothing else significant. */
static void judge(const struct sotto_local_findings *f, unsigned users)
{
	unsigned right = 0, wrong = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct sotto_local_found *one = &f->items[i];
		int which = -1;

		for (int w = 0; w < 3; w++)
			if (one->length == strlen(words[w]) &&
			    memcmp(one->bytes, words[w], one->length) == 0)
				which = w;
		if (which < 0) {
			wrong += one->estimate.significant;
			continue;
		}
		right += one->estimate.significant;
		CHECK(fabs(one->estimate.count - users * share[which] / 100.0) <
		      5 * one->estimate.sd);
	}
	tap_note("%u of 3 found, %u others, %zu queried", right, wrong, f->queried);
	CHECK_INT(right, 3);
	CHECK_INT(wrong, 0);
}

/* With --selected: R significant ones of S candidates have intervals at 1 - R alpha/S, others what they had. */
static void judge_selected(struct sotto_local_aggregate *a, struct sotto_local_search s,
			   const struct sotto_local_findings *plain)
{
	struct sotto_local_findings f, own;
	double found = 0, z;

	s.options.selected = true;
	REQUIRE(sotto_local_discover(a, &s, &f, NULL) == SOTTO_OK);
	REQUIRE(f.count == plain->count && f.queried == plain->queried);
	for (size_t i = 0; i < f.count; i++)
		found += f.items[i].estimate.significant;
	z = sotto_local_normal_quantile(1 - s.options.alpha * found / (double)f.queried / 2);
	for (size_t i = 0; i < f.count; i++) {
		const struct sotto_local_estimate *e = &f.items[i].estimate,
						  *was = &plain->items[i].estimate;

		if (e->significant) {
			CHECK_REL(e->high - e->count, z * e->sd, 1e-9);
			CHECK(found < (double)f.queried ? e->low < was->low
							: e->low <= was->low);
		} else {
			CHECK(e->low == was->low && e->high == was->high);
		}
	}
	CHECK(found > 0);
	s.options.selected = false;
	s.options.alpha *= found / (double)f.queried;
	REQUIRE(sotto_local_discover(a, &s, &own, NULL) == SOTTO_OK);
	for (size_t i = 0; i < f.count; i++)
		if (f.items[i].estimate.significant) {
			CHECK_REL(f.items[i].estimate.low, own.items[i].estimate.low, 1e-12);
			CHECK_REL(f.items[i].estimate.high, own.items[i].estimate.high, 1e-12);
		}
	sotto_local_findings_release(&own);
	sotto_local_findings_release(&f);
}

/* Of the population that users were drawn from, less is known than of the users. */
static void judge_population(struct sotto_local_aggregate *a, struct sotto_local_search s,
			     const struct sotto_local_findings *plain, double users)
{
	struct sotto_local_findings f;

	s.options.target = SOTTO_LOCAL_POPULATION;
	REQUIRE(sotto_local_discover(a, &s, &f, NULL) == SOTTO_OK);
	REQUIRE(f.count == plain->count);
	for (size_t i = 0; i < f.count; i++) {
		double held = fmax(f.items[i].estimate.count, 0);
		double was = plain->items[i].estimate.sd;

		CHECK_REL(f.items[i].estimate.sd, sqrt(was * was + held * (1 - held / users)),
			  1e-9);
	}
	sotto_local_findings_release(&f);
}

static void prefixes_grow_into_the_frequent_words(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_PEM, .size = 48, .grain = 6, .groups = 7};
	struct sotto_local_search s = {.options = {.alpha = .01}};
	struct sotto_local_findings f;
	struct sotto_local_aggregate *a;

	CHECK_INT(sotto_local_design(&p, ratio("3"), NULL, NULL, NULL), SOTTO_OK);
	a = collect(&p, 20000);
	REQUIRE(a != NULL);
	CHECK_INT(sotto_local_discover(a, &s, &f, NULL), SOTTO_OK);
	judge(&f, 20000);
	judge_selected(a, s, &f);
	sotto_local_findings_release(&f);
	sotto_local_aggregate_free(a);
}

static void a_tree_of_sketches_finds_the_frequent_words(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_TREEHIST,
					.size = 48,
					.grain = 8,
					.width = 1024,
					.groups = 128};
	struct sotto_local_search s = {.options = {.alpha = .01}};
	struct sotto_local_findings f;
	struct sotto_local_aggregate *a;

	CHECK_INT(sotto_local_design(&p, ratio("3"), ratio("3"), NULL, NULL), SOTTO_OK);
	a = collect(&p, 40000);
	REQUIRE(a != NULL);
	CHECK_INT(sotto_local_discover(a, &s, &f, NULL), SOTTO_OK);
	judge(&f, 40000);
	judge_selected(a, s, &f);
	judge_population(a, s, &f, 40000);
	sotto_local_findings_release(&f);
	sotto_local_aggregate_free(a);
}

static void fragments_are_put_together_by_their_puzzle_hash(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_SFP,
					.size = 6,
					.hashes = 2,
					.width = 256,
					.groups = 64,
					.grain = 8};
	struct sotto_local_search s = {.options = {.alpha = .01},
				       .alphabet = (const uint8_t *)"acefiklmot",
				       .alphabet_size = 10,
				       .keep = 40};
	struct sotto_local_findings f;
	struct sotto_local_aggregate *a;

	CHECK_INT(sotto_local_design(&p, ratio("6"), ratio("3"), NULL, NULL), SOTTO_OK);
	a = collect(&p, 20000);
	REQUIRE(a != NULL);
	CHECK_INT(sotto_local_discover(a, &s, &f, NULL), SOTTO_OK);
	judge(&f, 20000);
	judge_selected(a, s, &f);
	judge_population(a, s, &f, 20000);
	sotto_local_findings_release(&f);
	sotto_local_aggregate_free(a);
}

static void searches_that_cannot_be_done_are_refused(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_GRR, .size = 4};
	struct sotto_local_search s = {.options = {.alpha = .01}};
	struct sotto_local_findings f;
	struct sotto_local_aggregate *a = NULL;
	struct sotto_error err = {""};

	CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
	CHECK_INT(sotto_local_discover(a, &s, &f, &err), SOTTO_EINVAL);
	CHECK(err.text[0] != '\0');
	sotto_local_aggregate_free(a);
	/* a first prefix of 47 bits is 2^47 candidates */
	p = (struct sotto_client_params){
		.protocol = SOTTO_CLIENT_PEM, .size = 48, .grain = 46, .groups = 2};
	CHECK_INT(sotto_local_design(&p, ratio("3"), NULL, NULL, NULL), SOTTO_OK);
	a = collect(&p, 100);
	REQUIRE(a != NULL);
	CHECK_INT(sotto_local_discover(a, &s, &f, &err), SOTTO_ERANGE);
	sotto_local_aggregate_free(a);
}

int main(void)
{
	RUN(prefixes_grow_into_the_frequent_words);
	RUN(a_tree_of_sketches_finds_the_frequent_words);
	RUN(fragments_are_put_together_by_their_puzzle_hash);
	RUN(searches_that_cannot_be_done_are_refused);
	return tap_done();
}
