/*
 * No true count is read after measurement: once all answers are drawn, the counts are overwritten and
 * freed, and everything that is released is the same, byte for byte, as if answers were drawn
 * when they are asked for.  The same shows that drawing lazily and eagerly is one law: not only
 * the laws agree but every draw.
 */
#include "census/measure/census_measure.h"

#include <stdlib.h>

#include "census/solve/information/census_linear.h"
#include "testlib/fixture/country.h"
#include "testlib/tap.h"

enum { COUNTRIES = 40, ANSWERS_MAX = 1 << 24 };

static const char plan_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: q, categories: [h, p, d]}, {name: s, categories: 2}, {name: r, "
	"categories: 2}]\n"
	"privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {detailed: 1}, Mid: {total: 1/2, \"q*s\": 1/4, detailed: 1/4}, Low: "
	"{total: 1/4, detailed: 3/4}}\n"
	"invariants: [{level: Mid, query: total}, {level: Mid, query: q}]\n"
	"structural_zeros: [{q: p, s: 1}]\n"
	"output: {tables: [total, \"q*s\"]}\n"
	"estimate: {mode: MODE}\n";

/* Every count becomes another one. */
static void poison(struct sotto_census_truth *t)
{
	for (uint64_t i = 0; i < t->starts[t->leaves]; i++)
		t->counts[i] = t->counts[i] * 31 + 1000;
}

static bool estimate(struct country *c, const struct sotto_census_measurement *m,
		     struct sotto_census_linear *out)
{
	struct sotto_census_run run = {.plan = &c->w.plan,
				       .schema = &c->w.schema,
				       .shape = &c->w.shape,
				       .measurement = m};
	bool ok = sotto_census_run_prepare(&run) == SOTTO_OK &&
		  sotto_census_linear_init(out, &run) == SOTTO_OK;

	sotto_census_run_release(&run);
	return ok;
}

/* What a run gives: tables and estimates. */
struct result {
	int64_t counts[COUNTRY_NODES_MAX][COUNTRY_CELLS_MAX];
	struct sotto_census_linear linear;
};

static bool take(struct country *c, const struct sotto_census_measurement *m, struct result *r)
{
	bool ok = country_run(c, m, 2) == SOTTO_OK && estimate(c, m, &r->linear);

	memcpy(r->counts, c->counts, sizeof r->counts);
	return ok;
}

static bool are_same(const struct country *c, const struct result *a, const struct result *b)
{
	size_t n = sotto_census_node_count(&c->w.shape) * a->linear.per_node;

	return memcmp(a->counts, b->counts, sizeof a->counts) == 0 &&
	       memcmp(a->linear.estimates, b->linear.estimates,
		      n * sizeof *a->linear.estimates) == 0;
}

static void check_mode(const char *mode)
{
	struct country *c = malloc(sizeof *c);
	struct result *lazy = malloc(sizeof *lazy), *eager = malloc(sizeof *eager);
	size_t differ = 0;
	char text[2000];

	snprintf(text, sizeof text, "%.*s%s}\n", (int)(strstr(plan_text, "MODE") - plan_text),
		 plan_text, mode);
	for (uint64_t i = 0; i < COUNTRIES; i++) {
		struct sotto_census_measurement m, late;
		bool recorded = false;

		REQUIRE(country_open(c, text, 100 + i, false) && country_fix_middle(c));
		REQUIRE(country_measure(c, i, &m) == SOTTO_OK && take(c, &m, lazy));
		REQUIRE(sotto_census_measurement_record(&m, ANSWERS_MAX, &recorded) ==
			SOTTO_OK);
		CHECK(recorded && m.truth == NULL);
		REQUIRE(country_measure(c, i, &late) == SOTTO_OK);
		poison(c->w.truth);
		REQUIRE(take(c, &m, eager));
		CHECK(are_same(c, lazy, eager));
		sotto_census_linear_release(&eager->linear);
		/* The test can fail: who still reads the counts sees the poison. */
		REQUIRE(estimate(c, &late, &eager->linear));
		differ += !are_same(c, lazy, eager);
		sotto_census_linear_release(&eager->linear);
		sotto_census_world_forget(&c->w);
		CHECK(c->w.truth == NULL);
		REQUIRE(take(c, &m, eager));
		CHECK(are_same(c, lazy, eager));
		sotto_census_linear_release(&eager->linear);
		sotto_census_linear_release(&lazy->linear);
		sotto_census_measurement_release(&late);
		sotto_census_measurement_release(&m);
		country_close(c);
	}
	CHECK(differ > COUNTRIES / 2);
	free(lazy);
	free(eager);
	free(c);
}

static void least_squares_reads_no_count_after_measurement(void)
{
	check_mode("gls");
}

static void top_down_reads_no_count_after_measurement(void)
{
	check_mode("topdown");
}

static void answers_beyond_the_limit_are_not_recorded(void)
{
	struct country *c = malloc(sizeof *c);
	struct sotto_census_measurement m;
	bool recorded = true;
	char text[2000];

	snprintf(text, sizeof text, "%.*sgls}\n", (int)(strstr(plan_text, "MODE") - plan_text),
		 plan_text);
	REQUIRE(country_open(c, text, 1, false) && country_measure(c, 1, &m) == SOTTO_OK);
	REQUIRE(sotto_census_measurement_record(&m, 100, &recorded) == SOTTO_OK);
	CHECK(!recorded && m.truth == c->w.truth && !m.recorded);
	sotto_census_measurement_release(&m);
	country_close(c);
	free(c);
}

int main(void)
{
	RUN(least_squares_reads_no_count_after_measurement);
	RUN(top_down_reads_no_count_after_measurement);
	RUN(answers_beyond_the_limit_are_not_recorded);
	return tap_done();
}
