/* Strings from pairs of their n-grams: what is there comes out, what is not does not. */
#include "sotto/discover.h"

#include <stdlib.h>

#include "local/plan/simulation_rng.h"
#include "testlib/tap.h"

#define GRAMS 25
#define COHORTS 16
#define BITS 16
#define HASHES 2
#define USERS 30000

static uint32_t cells[GRAMS * COHORTS * HASHES];
static struct sotto_local_ngram_report reports[USERS];
static const struct sotto_local_map map = {
	.candidates = GRAMS, .cohorts = COHORTS, .hashes = HASHES, .cells = cells};
static const struct sotto_local_ngrams question = {
	.positions = 3, .bits = BITS, .p = .15, .q = .85, .map = &map, .alpha = .01};

/* Three strings of three n-grams, 40, 35 and 15 %; the rest of the users hold anything. */
static const size_t strings[3][3] = {{1, 7, 20}, {1, 9, 3}, {12, 7, 4}};

static uint64_t report_of(struct sotto_simulation_rng *d, size_t gram, uint32_t cohort)
{
	const uint32_t *at = cells + (gram * COHORTS + cohort) * HASHES;
	uint64_t bits = 0;

	for (uint32_t b = 0; b < BITS; b++) {
		bool set = at[0] == b || at[1] == b;

		bits |= (uint64_t)(sotto_simulation_unit(d) < (set ? question.q : question.p))
			<< b;
	}
	return bits;
}

static void make_reports(uint64_t seed)
{
	static const uint32_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
	struct sotto_simulation_rng d = {seed};

	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		cells[i] = (uint32_t)(sotto_simulation_word(&d) % BITS);
	for (size_t i = 0; i < USERS; i++) {
		struct sotto_local_ngram_report *r = &reports[i];
		double u = sotto_simulation_unit(&d);
		const uint32_t *pair = pairs[sotto_simulation_word(&d) % 3];
		size_t any[3], which = u < .4 ? 0 : u < .75 ? 1 : 2;

		for (int k = 0; k < 3; k++)
			any[k] = u < .9 ? strings[which][k] : sotto_simulation_word(&d) % GRAMS;
		*r = (struct sotto_local_ngram_report){
			.cohort = (uint32_t)(sotto_simulation_word(&d) % COHORTS),
			.left = pair[0],
			.right = pair[1]};
		for (int k = 0; k < 2; k++)
			r->bits[k] = report_of(&d, any[pair[k]], r->cohort);
	}
}

static bool has(const struct sotto_local_cliques *c, const size_t *want)
{
	for (size_t i = 0; i < c->count; i++)
		if (memcmp(c->strings + 3 * i, want, 3 * sizeof *want) == 0)
			return true;
	return false;
}

static void three_strings_come_out_of_their_pairs(void)
{
	struct sotto_local_graph g;
	struct sotto_local_cliques c;

	make_reports(1);
	REQUIRE(sotto_local_ngrams_graph(&question, reports, USERS, &g, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_graph_cliques(&g, 1000, &c) == SOTTO_OK);
	tap_note("%zu edges, %zu strings", g.count, c.count);
	for (int i = 0; i < 3; i++)
		CHECK(has(&c, strings[i]));
	CHECK(c.count <= 4 && !c.capped);
	for (size_t i = 0; i < g.count; i++) {
		CHECK(g.edges[i].left < g.edges[i].right && g.edges[i].right < 3);
		CHECK(g.edges[i].share > g.edges[i].sd);
	}
	/* the share of an edge is that of the strings that have it */
	for (size_t i = 0; i < g.count; i++)
		if (g.edges[i].left == 1 && g.edges[i].first == 7 && g.edges[i].second == 20)
			CHECK(fabs(g.edges[i].share - .4) < 5 * g.edges[i].sd + .02);
	sotto_local_cliques_release(&c);
	sotto_local_graph_release(&g);
}

/* A constant threshold above every share leaves nothing. */
static void a_threshold_cuts_edges(void)
{
	struct sotto_local_ngrams strict = question;
	struct sotto_local_graph g;
	struct sotto_local_cliques c;

	strict.threshold = .25;
	make_reports(2);
	REQUIRE(sotto_local_ngrams_graph(&strict, reports, USERS, &g, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_graph_cliques(&g, 1000, &c) == SOTTO_OK);
	CHECK(has(&c, strings[0]) && has(&c, strings[1]) && !has(&c, strings[2]));
	sotto_local_cliques_release(&c);
	sotto_local_graph_release(&g);
}

static struct sotto_local_edge edge(uint32_t left, size_t first, uint32_t right, size_t second)
{
	return (struct sotto_local_edge){
		.left = left, .right = right, .first = first, .second = second};
}

static void cliques_need_every_pair(void)
{
	struct sotto_local_edge edges[] = {edge(0, 5, 1, 6), edge(0, 5, 2, 7), edge(1, 6, 2, 7),
					   edge(0, 8, 1, 6), edge(0, 8, 2, 7), edge(0, 9, 1, 6),
					   edge(1, 6, 2, 4)};
	struct sotto_local_graph g = {.positions = 3, .edges = edges, .count = 7};
	static const size_t want[2][3] = {{5, 6, 7}, {8, 6, 7}};
	struct sotto_local_cliques c;

	REQUIRE(sotto_local_graph_cliques(&g, 10, &c) == SOTTO_OK);
	CHECK_INT(c.count, 2); /* 9-6 lacks a third, 6-4 a first */
	CHECK(has(&c, want[0]) && has(&c, want[1]) && !c.capped);
	sotto_local_cliques_release(&c);
	REQUIRE(sotto_local_graph_cliques(&g, 1, &c) == SOTTO_OK);
	CHECK(c.count == 1 && c.capped);
	sotto_local_cliques_release(&c);
	g.count = 0;
	REQUIRE(sotto_local_graph_cliques(&g, 10, &c) == SOTTO_OK);
	CHECK_INT(c.count, 0);
	sotto_local_cliques_release(&c);
}

static void reports_of_no_position_are_refused(void)
{
	struct sotto_local_ngrams q = question;
	struct sotto_local_graph g;

	make_reports(3);
	CHECK_INT(sotto_local_ngrams_graph(&q, reports, 0, &g, NULL), SOTTO_EINVAL);
	reports[5].right = 3;
	CHECK_INT(sotto_local_ngrams_graph(&q, reports, USERS, &g, NULL), SOTTO_EINVAL);
	reports[5].right = reports[5].left;
	CHECK_INT(sotto_local_ngrams_graph(&q, reports, USERS, &g, NULL), SOTTO_EINVAL);
	q.positions = 1;
	CHECK_INT(sotto_local_ngrams_graph(&q, reports, 5, &g, NULL), SOTTO_EINVAL);
}

int main(void)
{
	RUN(three_strings_come_out_of_their_pairs);
	RUN(a_threshold_cuts_edges);
	RUN(cliques_need_every_pair);
	RUN(reports_of_no_position_are_refused);
	return tap_done();
}
