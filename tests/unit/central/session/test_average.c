/*
 * An average alone is two sums that share a price: one unit moves them together by no more
 * than is charged, whatever its rows are (src/central/price/average.md).
 */
#include <stdio.h>
#include <string.h>

#include "central/price/plan_price.h"
#include "central/session/session.h"
#include "testlib/chance.h"
#include "testlib/fixture/clinic.h"
#include "testlib/question/movement.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n    max_rows: 3\n"
	"    columns:\n      x: {bounds: [-30, 101], type: integer}\n"
	"      ward: {keys: [a, b, c]}\n"
	"  others:\n    source: others.csv\n    unit: id\n    max_groups: 2\n    max_rows: 3\n"
	"    columns:\n      x: {bounds: [-30, 101], type: integer}\n"
	"      ward: {keys: [a, b, c]}\n";

static const char *const averages[] = {"SELECT AVG(x) FROM %s",
				       "SELECT ward, AVG(x) FROM %s GROUP BY ward",
				       "SELECT ward, AVG(x * 3 - 7) FROM %s GROUP BY ward",
				       "SELECT ward, AVG(-x) FROM %s WHERE x > 0 GROUP BY ward",
				       "SELECT AVG(x) FILTER (WHERE ward = 'a') FROM %s"};

/* Rows of five units, at the bounds, beyond them, between them or missing; of one only in `all`. */
static void make_rows(struct chance *c, char *all, char *others)
{
	static const char *const values[] = {"-30", "101", "-900", "900", "0", "35", "", "36"};

	all += sprintf(all, "id,ward,x\n");
	others += sprintf(others, "id,ward,x\n");
	for (unsigned unit = 0; unit < 5; unit++) {
		const char *own = values[chance_below(c, 8)];

		for (unsigned n = 1 + chance_below(c, 12); n > 0; n--) {
			char row[40];

			(void)snprintf(row, sizeof row, "%u,%c,%s\n", unit,
				       'a' + (int)chance_below(c, 3),
				       !chance_in(c, 8) ? own : values[chance_below(c, 8)]);
			all += sprintf(all, "%s", row);
			if (unit > 0)
				others += sprintf(others, "%s", row);
		}
	}
}

static bool run(struct clinic *c, const char *format, const char *table,
		struct sotto_plan *plan, struct sotto_engine_result **out)
{
	struct sotto_question q = {.sql = NULL};
	struct sotto_rational one;
	char sql[200];
	bool done;

	(void)snprintf(sql, sizeof sql, format, table);
	sotto_rational_init(&one);
	mpq_set_ui(one.q, 1, 1);
	q.sql = sql;
	q.epsilon = &one;
	done = sotto_session_plan(c->session, &q, plan, &c->err) == SOTTO_OK &&
	       sotto_session_ready(c->session, &c->err) == SOTTO_OK &&
	       sotto_engine_run(c->session->engine, plan->engine_sql, out) == SOTTO_OK;
	sotto_rational_release(&one);
	return tap_check(done, __FILE__, __LINE__, "%s: %s", sql, c->err.text);
}

static bool price(struct sotto_plan *plan, bool gaussian)
{
	struct sotto_rational one, delta;
	bool priced;

	sotto_rational_init(&one);
	sotto_rational_init(&delta);
	mpq_set_ui(one.q, 1, 1);
	mpq_set_ui(delta.q, gaussian, 1000);
	mpq_canonicalize(delta.q);
	plan->wanted_noise = gaussian ? SOTTO_NOISE_GAUSSIAN : SOTTO_NOISE_LAPLACE;
	priced = sotto_plan_price(plan, &one, &delta, gaussian, NULL) == SOTTO_OK;
	sotto_rational_release(&one);
	sotto_rational_release(&delta);
	return priced;
}

static void check_average(struct clinic *c, const char *format, double *most)
{
	struct sotto_engine_result *all = NULL, *others = NULL;
	struct sotto_plan plan = {0}, without = {0};
	struct movement m;

	if (run(c, format, "visits", &plan, &all) &&
	    run(c, format, "others", &without, &others)) {
		CHECK_INT(plan.measure_count, 2);
		CHECK(plan.measures[1].is_second);
		movement_between(&m, &plan, all, others);
		for (int gaussian = 0; gaussian < 2; gaussian++) {
			const char *fault =
				price(&plan, gaussian) ? movement_fault(&m, &plan) : "no price";

			(void)tap_check(!fault, __FILE__, __LINE__, "%s: %s", format,
					fault ? fault : "");
		}
		if (plan.key_count &&
		    (m.l1[0] + m.l1[1]) / (double)(plan.groups * plan.measures[0].per_group) >
			    *most)
			*most = (m.l1[0] + m.l1[1]) /
				(double)(plan.groups * plan.measures[0].per_group);
	}
	sotto_engine_result_free(all);
	sotto_engine_result_free(others);
	sotto_plan_release(&plan);
	sotto_plan_release(&without);
}

/* Some unit moves them as far as is charged, so that a bound below it would be found. */
static void a_unit_moves_both_sums_by_no_more_than_is_charged(void)
{
	struct chance chance = {20};
	char all[2000], others[2000];
	double most = 0;

	for (int world = 0; world < 8; world++) {
		struct clinic c;

		make_rows(&chance, all, others);
		REQUIRE(clinic_open(&c, policy, all));
		REQUIRE(clinic_write(&c, "others.csv", others));
		clinic_seal(&c);
		REQUIRE(clinic_reopen(&c));
		for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++)
			check_average(&c, averages[i], &most);
		clinic_close(&c);
	}
	CHECK(most == 1);
}

int main(void)
{
	RUN(a_unit_moves_both_sums_by_no_more_than_is_charged);
	return tap_done();
}
