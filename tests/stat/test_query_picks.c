/*
 * A median through the whole of a query: its released values have the law of the
 * exponential mechanism with the plan's share of epsilon, and what is released
 * of two neighbours never proves more than the epsilon that was charged.
 */
#include <stdlib.h>

#include "central/price/plan_price.h"
#include "central/session/release/release.h"
#include "central/session/session.h"
#include "core/number/nearest.h"
#include "testlib/statistics/audit.h"
#include "testlib/fixture/clinic.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/statistics/stats.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { ROWS = 2, TOP = 60 };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 1\n"
	"    max_rows: 2\n    columns:\n"
	"      x: {bounds: [0, 60], type: integer}\n";

/* Six units at 1; the neighbour has one more, with three rows at the top. */
static const char csv[] = "id,x\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n";
static const char more[] = "id,x\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,60\n7,60\n7,60\n";

struct side {
	struct clinic clinic;
	struct sotto_plan plan;
	struct sotto_engine_result *exact;
};

static bool side_open(struct side *s, const char *rows, const char *sql)
{
	struct sotto_rational one = rational_of("1");
	struct sotto_question q = {.sql = sql, .epsilon = &one};
	bool done = clinic_open(&s->clinic, policy, rows) &&
		    sotto_session_plan(s->clinic.session, &q, &s->plan, &s->clinic.err) ==
			    SOTTO_OK &&
		    sotto_session_ready(s->clinic.session, &s->clinic.err) == SOTTO_OK &&
		    sotto_engine_run(s->clinic.session->engine, s->plan.engine_sql,
				     &s->exact) == SOTTO_OK;

	sotto_rational_release(&one);
	return tap_check(done, __FILE__, __LINE__, "%s: %s", sql, s->clinic.err.text);
}

static void side_close(struct side *s)
{
	sotto_engine_result_free(s->exact);
	sotto_plan_release(&s->plan);
	clinic_close(&s->clinic);
}

/* The first outcome of the only group. */
static unsigned draw(const struct side *s, struct sotto_rng *rng)
{
	struct sotto_value outcomes[16];
	const size_t row = 0;

	if (s->plan.outcome_count > 16 ||
	    sotto_choices_publish(&s->plan, s->exact, &row, 1, rng, NULL, outcomes) != SOTTO_OK)
		abort();
	return (unsigned)outcomes[0].integer;
}

static unsigned run(void *sides, bool neighbour, struct sotto_rng *rng)
{
	return draw((struct side *)sides + neighbour, rng);
}

/* How many of six values at 1 are on the wrong side of v, for the median. */
static double wrong(unsigned v)
{
	return v == 1 ? 0 : 3;
}

static double log_p_of_sample(const struct side *s, double epsilon, unsigned runs)
{
	double observed[3] = {0}, expected[3], total = 0;
	struct sotto_rng *rng = stream_open(5);

	for (unsigned i = 0; i < runs; i++) {
		unsigned v = draw(s, rng);

		observed[v < 2 ? v : 2]++;
	}
	for (unsigned v = 0; v < 3; v++)
		total += expected[v] = (v == 2 ? TOP - 1 : 1) * exp(-epsilon * wrong(v) / ROWS);
	for (unsigned v = 0; v < 3; v++)
		expected[v] *= runs / total;
	stream_close(rng);
	return log_p_chi_square(expected, observed, 3);
}

static void a_median_has_the_law_of_its_share_of_epsilon(void)
{
	unsigned runs = effort() == EFFORT_LONG ? 100000 : 8000;
	struct side s;
	double epsilon;

	REQUIRE(side_open(&s, csv, "SELECT MEDIAN(x) FROM visits"));
	epsilon = sotto_nearest_double(s.plan.choices[0].quantiles.choice->choice.epsilon.q);
	CHECK_REL(epsilon, 10.0 / 16, 1e-12);
	CHECK(log_p_of_sample(&s, epsilon, runs) > log(1e-9));
	CHECK(log_p_of_sample(&s, 1.6 * epsilon, runs) < log(1e-9));
	side_close(&s);
}

static void neighbours_prove_no_more_than_was_charged(void)
{
	static const char *const queries[] = {
		"SELECT MEDIAN(x) FROM visits", "SELECT MAX(x) FROM visits",
		"SELECT MEDIAN(x), MIN(x), MAX(x), QUANTILE(x, 0.3) FROM visits"};

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		struct side sides[2];
		struct audit a = {run, sides, TOP + 1, effort() == EFFORT_LONG ? 100000 : 3000,
				  0,   7};
		struct audit_proof p;

		REQUIRE(side_open(&sides[0], csv, queries[i]));
		REQUIRE(side_open(&sides[1], more, queries[i]));
		p = audit_prove(&a);
		tap_note("claim 1, proved %.3f (p %.4g, q %.4g)", p.epsilon, p.p, p.q);
		CHECK(p.epsilon <= 1);
		side_close(&sides[0]);
		side_close(&sides[1]);
	}
}

/* Priced at 9.6 where 1 is charged, of which the choice has 6: found by the same audit. */
static void a_share_that_is_too_large_is_found(void)
{
	struct side sides[2];
	struct audit a = {run, sides, TOP + 1, 8000, 0, 7};
	struct sotto_rational large = rational_of("48/5"), none = rational_of("0");

	REQUIRE(side_open(&sides[0], csv, "SELECT MEDIAN(x) FROM visits"));
	REQUIRE(side_open(&sides[1], more, "SELECT MEDIAN(x) FROM visits"));
	for (int i = 0; i < 2; i++)
		REQUIRE(sotto_plan_price(&sides[i].plan, &large, &none, false, NULL) ==
			SOTTO_OK);
	sotto_rational_release(&large);
	sotto_rational_release(&none);
	CHECK(audit_prove(&a).epsilon > 1);
	side_close(&sides[0]);
	side_close(&sides[1]);
}

int main(void)
{
	RUN(a_median_has_the_law_of_its_share_of_epsilon);
	RUN(neighbours_prove_no_more_than_was_charged);
	RUN(a_share_that_is_too_large_is_found);
	return tap_done();
}
