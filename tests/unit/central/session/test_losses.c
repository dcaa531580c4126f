/*
 * What the limits lost is paid for once, in one entry with the question, and only where a
 * limit can bind.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

#define POLICY(more)                                                                           \
	"ledger: ledger.db\nbudget: {epsilon: 100, delta: 0.5}\n" more "tables:\n"             \
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 1\n    max_rows: "   \
	"2\n"                                                                                  \
	"    columns:\n      x: {bounds: [0, 100], type: integer}\n"                           \
	"      ward: {keys: [a, b, c]}\n"                                                      \
	"  rows:\n    source: visits.csv\n    unit: row\n    columns:\n"                       \
	"      x: {bounds: [0, 100], type: integer}\n      ward: {keys: [a, b, c]}\n"

static const char csv[] = "id,ward,x\n1,a,10\n1,b,20\n1,b,30\n2,c,200\n3,a,4\n3,a,5\n3,a,6\n";

static double epsilon_of(const struct sotto_answer *a)
{
	return a ? sotto_rational_double_up(&a->epsilon) : NAN;
}

static double cost_of(struct clinic *c, const char *sql, const char *epsilon)
{
	struct sotto_answer *a = clinic_ask(c, sql, epsilon, NULL, false);
	double cost = epsilon_of(a);

	(void)tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", sql, c->err.text);
	sotto_answer_free(a);
	return cost;
}

static uint64_t entries(struct clinic *c)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l = NULL;
	uint64_t n = 0;

	sotto_ledger_totals_init(&t);
	if (sotto_session_ledger(c->session, &l, NULL) == SOTTO_OK &&
	    sotto_ledger_totals(l, NULL, &t, NULL) == SOTTO_OK)
		n = t.entries;
	sotto_ledger_totals_release(&t);
	return n;
}

static bool near(double x, double y)
{
	return fabs(x - y) < 1e-12;
}

static void the_same_loss_is_paid_for_once(void)
{
	struct clinic c;
	uint64_t before;

	REQUIRE(clinic_open(&c, POLICY(""), csv));
	before = entries(&c);
	CHECK(near(cost_of(&c, "SELECT ward, COUNT(*) FROM visits GROUP BY ward", "1"), 1));
	CHECK_INT(entries(&c), before + 1);
	CHECK(near(cost_of(&c, "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", "2"),
		   1.9));
	CHECK(near(cost_of(&c, "SELECT ward, COUNT(*) FROM visits GROUP BY ward", "1"), 0));
	CHECK_INT(entries(&c), before + 2);
	/* Other rows, other keys: another loss. */
	CHECK(near(
		cost_of(&c, "SELECT ward, COUNT(*) FROM visits WHERE x > 5 GROUP BY ward", "1"),
		1));
	CHECK(near(cost_of(&c, "SELECT COUNT(*) FROM visits", "1"), 1));
	clinic_close(&c);
}

static void a_remembered_loss_is_the_same_number(void)
{
	struct sotto_answer *a, *b;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY(""), csv));
	a = clinic_ask(&c, "SELECT SUM(x) FROM visits", "1", NULL, false);
	b = clinic_ask(&c, "SELECT AVG(x) FROM visits", "1", NULL, false);
	REQUIRE(a && b && a->limits_count == 1 && b->limits_count == 1);
	CHECK(a->limits[0].loss.is_estimated && b->limits[0].loss.is_estimated);
	CHECK(a->limits[0].loss.units.value == b->limits[0].loss.units.value);
	CHECK(a->limits[0].loss.rows_lost.high == b->limits[0].loss.rows_lost.high);
	CHECK(near(epsilon_of(b), 0.95));
	sotto_answer_free(a);
	sotto_answer_free(b);
	/* --fresh pays for all of it again. */
	a = clinic_ask(&c, "SELECT AVG(x) FROM visits", "1", NULL, true);
	CHECK(near(epsilon_of(a), 1));
	sotto_answer_free(a);
	clinic_close(&c);
}

static void the_loss_of_other_data_is_paid_for_again(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY(""), csv));
	CHECK(near(cost_of(&c, "SELECT SUM(x) FROM visits", "1"), 1));
	REQUIRE(clinic_write(&c, "visits.csv", "id,ward,x\n1,a,10\n1,b,20\n1,b,30\n"));
	REQUIRE(clinic_reopen(&c));
	CHECK(near(cost_of(&c, "SELECT AVG(x) FROM visits", "1"), 1));
	clinic_close(&c);
}

/* Every value lies above its bound, and no other limit can bind. */
static void clipped_values_alone_make_an_answer_biased(void)
{
	char text[8000], *at = text + sprintf(text, "id,ward,x\n");
	struct sotto_answer *a;
	struct clinic c;

	for (int i = 0; i < 400; i++)
		at += sprintf(at, "%d,a,500\n", i);
	REQUIRE(clinic_open(&c, POLICY(""), text));
	a = clinic_ask(&c, "SELECT SUM(x) FROM rows", "20", NULL, false);
	REQUIRE(a && a->limits_count == 1);
	CHECK(a->limits[0].loss.units_clipped.low > 0);
	CHECK(!(a->limits[0].loss.share.low > 0));
	CHECK(a->limits[0].loss.biased && a->columns[0].biased);
	CHECK(a->limits[0].loss.sentence_count > 0 &&
	      strstr(a->limits[0].loss.sentences[0], "outside its bounds (95 % interval: "));
	sotto_answer_free(a);
	clinic_close(&c);
}

static void another_analyst_pays_for_it_like_for_anything(void)
{
	struct sotto_question q = {.sql = "SELECT COUNT(*) FROM visits", .analyst = "bob"};
	struct sotto_answer *a = NULL;
	struct sotto_rational e;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY(""), csv));
	CHECK(near(cost_of(&c, "SELECT COUNT(*) FROM visits", "1"), 1));
	sotto_rational_init(&e);
	REQUIRE(sotto_rational_parse(&e, "1/2", NULL) == SOTTO_OK);
	q.epsilon = &e;
	REQUIRE(sotto_session_query(c.session, &q, &a, &c.err) == SOTTO_OK);
	CHECK(near(epsilon_of(a), 0.5));
	sotto_answer_free(a);
	/* Even where the answer itself was another's, it costs and says what a new one does. */
	REQUIRE(sotto_rational_parse(&e, "1", NULL) == SOTTO_OK);
	q.analyst = "eve";
	REQUIRE(sotto_session_query(c.session, &q, &a, &c.err) == SOTTO_OK);
	CHECK(near(epsilon_of(a), 1) && !a->repeated);
	CHECK(a->limits[0].loss.is_estimated);
	sotto_answer_free(a);
	REQUIRE(sotto_rational_parse(&e, "2", NULL) == SOTTO_OK);
	REQUIRE(sotto_session_query(c.session, &q, &a, &c.err) == SOTTO_OK);
	CHECK(near(epsilon_of(a), 1.9)); /* and then it is known to her too */
	sotto_answer_free(a);
	sotto_rational_release(&e);
	clinic_close(&c);
}

static void nothing_is_spent_where_no_limit_can_bind(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY(""), csv));
	a = clinic_ask(&c, "SELECT ward, COUNT(*) FROM rows GROUP BY ward", "1", NULL, false);
	REQUIRE(a && a->limits_count == 1);
	CHECK(!a->limits[0].loss.is_estimated && a->limits[0].sentence_count == 0);
	CHECK(near(a->highs[1].number - a->values[1].number, 3)); /* all of epsilon 1 */
	sotto_answer_free(a);
	a = clinic_ask(&c, "SELECT COUNT(DISTINCT id) FROM visits", "1", NULL, false);
	REQUIRE(a && a->limits_count == 1);
	CHECK(!a->limits[0].loss.is_estimated);
	sotto_answer_free(a);
	/* A value that cannot leave its range is not clipped; a declared one can be. */
	a = clinic_ask(&c,
		       "SELECT SUM(CASE WHEN x > 5 THEN 1 ELSE 0 END), SUM(clip(x, 0, 9)) "
		       "FROM rows",
		       "1", NULL, false);
	REQUIRE(a && a->limits[0].clip_count == 2);
	CHECK(!a->limits[0].clips[0].can_bind && !a->limits[0].clips[1].can_bind);
	sotto_answer_free(a);
	a = clinic_ask(&c, "SELECT SUM(x) FROM rows", "1", NULL, false);
	REQUIRE(a && a->limits[0].clip_count == 1);
	CHECK(a->limits[0].clips[0].can_bind && a->limits[0].loss.is_estimated);
	sotto_answer_free(a);
	a = clinic_ask(&c, "SELECT SUM(x) FROM rows WHERE x BETWEEN 3 AND 50", "1", NULL,
		       false);
	REQUIRE(a && a->limits[0].clip_count == 1);
	CHECK(!a->limits[0].clips[0].can_bind);
	sotto_answer_free(a);
	clinic_close(&c);
}

static void the_policy_and_the_question_can_switch_it_off(void)
{
	struct sotto_question q = {.sql = "SELECT COUNT(*) FROM visits"};
	struct sotto_rational e, none;
	struct sotto_answer *a = NULL;
	struct clinic c;

	sotto_rational_init(&e);
	sotto_rational_init(&none);
	REQUIRE(sotto_rational_parse(&e, "1", NULL) == SOTTO_OK);
	REQUIRE(clinic_open(&c, POLICY("diagnostics: 0\n"), csv));
	a = clinic_ask(&c, "SELECT COUNT(*) FROM visits", "1", NULL, false);
	CHECK(a && !a->limits[0].loss.is_estimated && a->limits[0].sentence_count == 1);
	sotto_answer_free(a);
	clinic_close(&c);
	REQUIRE(clinic_open(&c, POLICY("diagnostics: 10 %\n"), csv));
	q.epsilon = &e;
	q.diagnostics = &none;
	REQUIRE(sotto_session_query(c.session, &q, &a, &c.err) == SOTTO_OK);
	CHECK(!a->limits[0].loss.is_estimated);
	sotto_answer_free(a);
	CHECK(near(cost_of(&c, q.sql, "1"), 1));
	CHECK(near(cost_of(&c, q.sql, "2"), 1.8));
	clinic_close(&c);
	sotto_rational_release(&e);
	sotto_rational_release(&none);
}

static void a_question_never_costs_less_than_the_least(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY("min_epsilon: 1\n"), csv));
	CHECK(near(cost_of(&c, "SELECT COUNT(*) FROM visits", "2"), 2));
	CHECK(near(cost_of(&c, "SELECT COUNT(*) FROM visits WHERE TRUE", "1"), 1));
	CHECK(near(cost_of(&c, "SELECT COUNT(*) AS n, COUNT(*) + 1 FROM visits", "1.01"),
		   1.01));
	clinic_close(&c);
}

/* What was lost is known as "at least": an interval cannot include it. */
static void an_interval_is_about_the_noise(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY(""), csv));
	a = clinic_ask(&c, "SELECT COUNT(*), SUM(x) FROM visits", "90", NULL, false);
	REQUIRE(a);
	CHECK(fabs(a->highs[0].number + a->lows[0].number - 2 * a->values[0].number) < 2);
	CHECK(a->columns[0].biased == a->limits[0].loss.biased);
	sotto_answer_free(a);
	clinic_close(&c);
}

/* Where noise moves what was lost far below 0, in one run of 40, nobody may be told that nothing was. */
static void a_loss_below_zero_makes_nobody_surer(void)
{
	struct clinic c;
	size_t sure = 0;

	REQUIRE(clinic_open(&c, POLICY(""), csv));
	for (int i = 0; i < 150; i++) {
		struct sotto_answer *a;
		char sql[80];

		(void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM visits WHERE x > -%d", i);
		a = clinic_ask(&c, sql, "1/2", NULL, false);
		REQUIRE(a && a->limits_count == 1);
		sure += !(a->limits[0].loss.share.high > 0.1);
		sotto_answer_free(a);
	}
	CHECK(sure == 0);
	clinic_close(&c);
}

int main(void)
{
	RUN(a_loss_below_zero_makes_nobody_surer);
	RUN(the_same_loss_is_paid_for_once);
	RUN(a_remembered_loss_is_the_same_number);
	RUN(the_loss_of_other_data_is_paid_for_again);
	RUN(clipped_values_alone_make_an_answer_biased);
	RUN(another_analyst_pays_for_it_like_for_anything);
	RUN(nothing_is_spent_where_no_limit_can_bind);
	RUN(the_policy_and_the_question_can_switch_it_off);
	RUN(a_question_never_costs_less_than_the_least);
	RUN(an_interval_is_about_the_noise);
	return tap_done();
}
