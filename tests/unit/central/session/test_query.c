/* Answers: charged first, repeated free, noisy always, and the same for the same rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/engine_result.h"
#include "central/price/plan_price.h"
#include "central/session/release/release.h"
#include "central/session/session.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char by_ward[] = "SELECT ward, COUNT(*), SUM(x) FROM visits GROUP BY ward";

/* What the ledger has left, as text "epsilon" (to be freed). */
static char *left(struct clinic *c)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l;
	char *text = NULL;

	sotto_ledger_totals_init(&t);
	if (sotto_session_ledger(c->session, &l, NULL) == SOTTO_OK &&
	    sotto_ledger_totals(l, NULL, &t, NULL) == SOTTO_OK &&
	    sotto_rational_format(&t.spent.epsilon, &text) != SOTTO_OK)
		text = NULL;
	sotto_ledger_totals_release(&t);
	return text;
}

static void check_spent(struct clinic *c, const char *want)
{
	char *got = left(c);

	CHECK_STR(got ? got : "nothing", want);
	free(got);
}

static bool same_values(const struct sotto_answer *x, const struct sotto_answer *y)
{
	bool same = x->row_count == y->row_count && x->column_count == y->column_count;

	for (size_t i = 0; same && i < x->row_count * x->column_count; i++)
		same = x->values[i].kind == y->values[i].kind &&
		       x->values[i].number == y->values[i].number;
	return same;
}

static void asking_again_repeats_the_answer_free(void)
{
	struct clinic c;
	struct sotto_answer *x, *y, *z;

	REQUIRE(clinic_open(&c, NULL, NULL));
	x = clinic_ask(&c, by_ward, "0.25", NULL, false);
	REQUIRE(x);
	CHECK(!x->repeated);
	CHECK_INT(x->row_count, 3);
	REQUIRE(clinic_reopen(&c));
	y = clinic_ask(&c,
		       "select ward,\n count(*), sum(x) -- the same\n from visits group by 1",
		       "1/4", NULL, false);
	REQUIRE(y);
	CHECK(y->repeated);
	CHECK(same_values(x, y));
	CHECK_INT(sotto_rational_sign(&y->epsilon), 0);
	check_spent(&c, "0.25");
	z = clinic_ask(&c, by_ward, "0.25", NULL, true);
	REQUIRE(z);
	CHECK(!z->repeated);
	CHECK(!same_values(x, z));
	check_spent(&c, "0.5");
	sotto_answer_free(x);
	sotto_answer_free(y);
	sotto_answer_free(z);
	clinic_close(&c);
}

static void sorting_and_cutting_a_released_answer_is_free(void)
{
	struct clinic c;
	struct sotto_answer *x, *y;

	REQUIRE(clinic_open(&c, NULL, NULL));
	x = clinic_ask(&c, by_ward, "0.5", NULL, false);
	y = clinic_ask(
		&c,
		"SELECT ward, COUNT(*) + 0, SUM(x) FROM visits GROUP BY ward HAVING COUNT(*) < "
		"1e9 ORDER BY 2 DESC LIMIT 2",
		"0.5", NULL, false);
	REQUIRE(x && y);
	CHECK(y->repeated);
	CHECK_INT(y->row_count, 2);
	CHECK(y->values[1].number >= y->values[4].number);
	sotto_answer_free(x);
	sotto_answer_free(y);
	clinic_close(&c);
}

static void equal_shares_exhaust_a_budget_exactly(void)
{
	static const char policy[] =
		"ledger: ledger.db\nbudget: {epsilon: 0.3}\ndiagnostics: 0\ntables:\n"
		"  visits: {source: visits.csv, unit: id}\n";
	struct clinic c;
	struct sotto_answer *a;

	REQUIRE(clinic_open(&c, policy, NULL));
	for (int i = 0; i < 3; i++) {
		a = clinic_ask(&c, "SELECT COUNT(*) FROM visits", "0.1", NULL, true);
		(void)tap_check(a != NULL, __FILE__, __LINE__, "share %d: %s", i, c.err.text);
		sotto_answer_free(a);
	}
	CHECK(!clinic_ask(&c, "SELECT COUNT(*) FROM visits", "1e-9", NULL, true));
	CHECK(strstr(c.err.text, "epsilon") != NULL);
	check_spent(&c, "0.3");
	clinic_close(&c);
}

static void a_refusal_costs_nothing(void)
{
	static const char *const bad[] = {
		"SELECT * FROM visits",
		"SELECT SUM(note) FROM visits",
		"SELECT COUNT(*) FROM nowhere",
		"SELECT id, COUNT(*) FROM visits GROUP BY id",
		"DELETE FROM visits",
		"SELECT 1; SELECT 2",
		"SELECT COUNT(*) FROM visits WHERE random() < 0.5",
		"SELECT x FROM visits GROUP BY ward",
	};
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		CHECK(!clinic_ask(&c, bad[i], "1", NULL, false));
		CHECK(c.err.text[0] != '\0');
	}
	check_spent(&c, "0");
	clinic_close(&c);
}

/* What fails between planning and answering keeps the charge, and the words say nothing. */
static void a_failure_after_the_charge_keeps_it(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	a = clinic_ask(&c, by_ward, "0.25", NULL, false);
	REQUIRE(a);
	sotto_answer_free(a);
	REQUIRE(clinic_damage(&c) && clinic_reopen(&c)); /* the engine remembers what it read */
	CHECK(!clinic_ask(&c, "SELECT COUNT(x) FROM visits", "0.5", NULL, false));
	CHECK_STR(c.err.text,
		  "the query was charged but could not be answered; nothing about the data "
		  "follows from this");
	check_spent(&c, "0.75");
	clinic_close(&c);
}

static void a_name_without_a_share_is_no_way_round_the_shares(void)
{
	static const char policy[] =
		"ledger: ledger.db\nbudget: {epsilon: 1, analysts: {ann: 1/2}}\n"
		"tables:\n  visits: {source: visits.csv, unit: id}\n";
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	CHECK(!clinic_ask(&c, "SELECT COUNT(*) FROM visits", "0.1", NULL, false));
	CHECK(strstr(c.err.text, "gives no share") != NULL);
	check_spent(&c, "0");
	clinic_close(&c);
}

/* Private keys have a delta without being given one, also where they are inside. */
static void private_keys_get_a_hundredth_of_the_delta(void)
{
	static const char *const queries[] = {
		"SELECT note, COUNT(*) FROM visits GROUP BY note",
		"SELECT COUNT(*) FROM (SELECT note, COUNT(*) AS n FROM visits GROUP BY note) "
		"AS t"};

	for (int i = 0; i < 2; i++) {
		struct sotto_answer *a;
		struct clinic c;

		REQUIRE(clinic_open(&c, NULL, NULL));
		a = clinic_ask(&c, queries[i], "1", NULL, false);
		if (tap_check(a != NULL, __FILE__, __LINE__, "%s", c.err.text))
			CHECK(mpq_cmp_ui(a->delta.q, 1, 200) == 0);
		sotto_answer_free(a);
		clinic_close(&c);
	}
}

static void an_empty_set_is_answered_like_any_other(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	a = clinic_ask(&c,
		       "SELECT COUNT(*), SUM(x), AVG(x), STDDEV(x) FROM visits WHERE x > 1e6",
		       "8", NULL, false);
	REQUIRE(a);
	CHECK_INT(a->row_count, 1);
	for (size_t i = 0; i < 4; i++)
		CHECK(a->values[i].kind == SOTTO_VALUE_NUMBER ||
		      a->values[i].kind == SOTTO_VALUE_INTEGER);
	CHECK(a->values[2].number >= 0 && a->values[2].number <= 100);
	sotto_answer_free(a);
	clinic_close(&c);
}

/* ---- exact values, through the inside ----------------------------------------------------------- */

static struct sotto_engine_result *
exact(struct clinic *c, const char *sql, struct sotto_plan *plan)
{
	struct sotto_rational one, delta;
	struct sotto_question q = {.sql = sql, .epsilon = &one, .delta = &delta};
	struct sotto_engine_result *r = NULL;
	bool ok;

	sotto_rational_init(&one);
	sotto_rational_init(&delta);
	(void)!sotto_rational_set_ratio(&one, 1, 1);
	(void)!sotto_rational_set_ratio(&delta, 1, 20);
	ok = sotto_session_plan(c->session, &q, plan, &c->err) == SOTTO_OK &&
	     sotto_session_ready(c->session, &c->err) == SOTTO_OK &&
	     sotto_engine_run(c->session->engine, plan->engine_sql, &r) == SOTTO_OK;
	sotto_rational_release(&one);
	sotto_rational_release(&delta);
	if (!ok)
		tap_note("%s %s", c->err.text,
			 c->session->engine ? sotto_engine_detail(c->session->engine) : "");
	return ok ? r : NULL;
}

/* By hand: rows beyond two are scaled to the mean, NULL is skipped, x is clipped to 0..100. */
static void the_engine_computes_what_the_spec_says(void)
{
	struct sotto_engine_result *r;
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(
		&c, NULL,
		"id,ward,x\n1,a,10\n1,a,20\n1,a,60\n2,a,1000\n3,a,\n3,b,-7\n4,zz,5\n,a,50\n"));
	r = exact(&c,
		  "SELECT COUNT(*), COUNT(x), SUM(x), COUNT(DISTINCT id) FROM visits WHERE "
		  "ward = 'a'",
		  &plan);
	REQUIRE(r);
	CHECK_INT(plan.measure_count, 4);
	for (size_t i = 0; i < plan.measure_count; i++) {
		int64_t got = sotto_engine_exact(r, 0, i).secret;
		const struct sotto_measure *m = &plan.measures[i];

		if (m->kind == SOTTO_MEASURE_SUM)
			CHECK_INT(got, (10 + 20 + 60) * 2 / 3 + 100);
		else if (m->kind == SOTTO_MEASURE_UNITS)
			CHECK_INT(got, 3);
		else
			CHECK_INT(got, m->column == SIZE_MAX ? 2 + 1 + 1 : 2 + 1);
	}
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

static int64_t sum_of(struct clinic *c, const char *sql)
{
	struct sotto_engine_result *r;
	struct sotto_plan plan;
	int64_t total = 0;

	r = exact(c, sql, &plan);
	if (!r)
		return INT64_MIN;
	for (size_t row = 0; row < sotto_engine_rows(r); row++)
		for (size_t i = 0; i < plan.measure_count; i++)
			total = total * 31 +
				sotto_engine_exact(r, row,
						   plan.key_count + plan.derived_count + i)
					.secret;
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	return total;
}

static void order_of_rows_and_threads_do_not_matter(void)
{
	static const char sql[] =
		"SELECT COUNT(*), SUM(x), VAR_POP(x), COUNT(DISTINCT note) FROM visits";
	static const char shuffled[] =
		"id,ward,x,note\n8,b,-5,only\n8,a,500,n1\n8,a,100,n1\n7,c,90,n3\n6,a,,n1\n5,c,"
		"70,n3\n4,b,60,n2\n"
		"3,b,50,n2\n2,a,40,n1\n1,b,30,n2\n1,a,20,n1\n1,a,10,n1\n";
	struct clinic c, d;
	int64_t want;

	REQUIRE(clinic_open(&c, NULL, NULL));
	REQUIRE(clinic_open(&d, NULL, shuffled));
	want = sum_of(&c, sql);
	CHECK(want != INT64_MIN);
	CHECK_INT(sum_of(&d, sql), want);
	REQUIRE(clinic_reopen(&c));
	sotto_session_set_threads(c.session, 4);
	CHECK_INT(sum_of(&c, sql), want);
	clinic_close(&c);
	clinic_close(&d);
}

/* ---- noise ------------------------------------------------------------------------------------- */

/* 4000 fresh releases: the spread is that of the plan's scale (false alarm below 1e-9). */
static void the_spread_of_the_noise_is_that_of_the_plan(void)
{
	enum { DRAWS = 4000 };
	struct sotto_engine_result *r;
	struct sotto_plan plan;
	struct clinic c;
	double sum = 0, squares = 0, scale, variance, exact_value;

	REQUIRE(clinic_open(&c, NULL, NULL));
	r = exact(&c, "SELECT COUNT(*) FROM visits", &plan);
	REQUIRE(r);
	exact_value = (double)sotto_engine_exact(r, 0, 0).secret;
	for (int i = 0; i < DRAWS; i++) {
		struct sotto_release release;
		double z;

		sotto_release_init(&release);
		REQUIRE(sotto_release_publish(&release, &plan, r, c.session->rng) == SOTTO_OK);
		z = (double)release.values[0].value - exact_value;
		sum += z;
		squares += z * z;
		sotto_release_release(&release);
	}
	CHECK_INT(plan.noise, SOTTO_NOISE_LAPLACE);
	scale = (double)plan.measures[0].per_group * (double)plan.groups; /* epsilon is 1 */
	variance = 1 / (cosh(1 / scale) - 1);
	CHECK(fabs(sum / DRAWS) < 6.5 * sqrt(variance / DRAWS));
	/* the sample variance has relative deviation sqrt(5/n), and is skew */
	CHECK(fabs(squares / DRAWS / variance - 1) < 8 * sqrt(5.0 / DRAWS));
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/* Prices a plan at epsilon 1, delta 1/20, which only private keys (or also Gaussians) may use. */
static bool reprice(struct sotto_plan *plan, bool gaussian)
{
	struct sotto_rational one, delta;
	bool ok;

	sotto_rational_init(&one);
	sotto_rational_init(&delta);
	ok = sotto_rational_set_ratio(&one, 1, 1) == SOTTO_OK &&
	     sotto_rational_set_ratio(&delta, 1, 20) == SOTTO_OK &&
	     sotto_plan_price(plan, &one, &delta, gaussian, NULL) == SOTTO_OK;
	sotto_rational_release(&one);
	sotto_rational_release(&delta);
	return ok;
}

/* How often the only key is shown. */
static double share_shown(struct clinic *c, const struct sotto_plan *plan,
			  const struct sotto_engine_result *r, int draws)
{
	int shown = 0;

	for (int i = 0; i < draws; i++) {
		struct sotto_release release;

		sotto_release_init(&release);
		if (sotto_release_publish(&release, plan, r, c->session->rng) != SOTTO_OK)
			return 2;
		shown += release.rows > 0;
		sotto_release_release(&release);
	}
	return (double)shown / draws;
}

/*
 * A key that one unit has is shown with probability at most delta, and nearly
 * delta: one threshold lower it would be more.  (Kills: mass at the threshold
 * left out, delta not divided over groups.)
 */
static void a_single_units_key_is_shown_at_most_delta_often(void)
{
	enum { DRAWS = 6000 };
	struct sotto_engine_result *r;
	struct sotto_plan plan;
	struct clinic c;
	double a, shown_at, below;

	REQUIRE(clinic_open(&c, NULL, "id,note,ward,x\n1,only,a,1\n"));
	r = exact(&c, "SELECT note, COUNT(DISTINCT id) FROM visits GROUP BY note", &plan);
	REQUIRE(r);
	REQUIRE(reprice(&plan, false));
	CHECK_INT(plan.noise, SOTTO_NOISE_LAPLACE);
	CHECK_INT(plan.measure_count, 1);
	CHECK_INT(plan.groups, 2);
	a = exp(-1.0 / 2);
	shown_at =
		pow(a, (double)plan.threshold.least - 1) / (1 + a); /* P(1 + Z >= threshold) */
	below = pow(a, (double)plan.threshold.least - 2) / (1 + a);
	CHECK(2 * shown_at <= 0.05);
	CHECK(2 * below > 0.05);
	CHECK(fabs(share_shown(&c, &plan, r, DRAWS) - shown_at) <
	      6.5 * sqrt(shown_at * (1 - shown_at) / DRAWS));
	REQUIRE(reprice(&plan, true));
	CHECK_INT(plan.noise, SOTTO_NOISE_GAUSSIAN);
	CHECK(2 * share_shown(&c, &plan, r, DRAWS) <
	      0.025 + 2 * 6.5 * sqrt(0.0125 * (1 - 0.0125) / DRAWS));
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/* Almost without noise: a key of one unit is shown at a threshold of 1 and not at 2. */
static void a_key_is_shown_from_the_threshold_on(void)
{
	struct sotto_rational epsilon, delta;
	struct sotto_engine_result *r;
	struct sotto_plan plan;
	struct clinic c;

	sotto_rational_init(&epsilon);
	sotto_rational_init(&delta);
	CHECK_INT(sotto_rational_set_ratio(&epsilon, 900, 1), SOTTO_OK);
	CHECK_INT(sotto_rational_set_ratio(&delta, 1, 20), SOTTO_OK);
	REQUIRE(clinic_open(&c, NULL, "id,note,ward,x\n1,only,a,1\n"));
	r = exact(&c, "SELECT note, COUNT(DISTINCT id) FROM visits GROUP BY note", &plan);
	REQUIRE(r && sotto_plan_price(&plan, &epsilon, &delta, false, NULL) == SOTTO_OK);
	plan.threshold.least = 1;
	CHECK(share_shown(&c, &plan, r, 20) == 1);
	plan.threshold.least = 2;
	CHECK(share_shown(&c, &plan, r, 20) == 0);
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	clinic_close(&c);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
}

/* JSON has no such numbers, and the ledger keeps answers as JSON. */
static void keys_that_are_infinite_or_no_numbers_are_released_and_repeated(void)
{
	static const char policy[] =
		"budget: {epsilon: 100, delta: 1e-2}\ntables:\n  visits: {source: visits.csv, "
		"unit: id, columns: {id: {type: integer}, x: {type: number}}}\n";
	static const char *const keys[] = {"inf", "-inf", "nan", "1.5"};
	static const char sql[] = "SELECT x, COUNT(*) FROM visits GROUP BY x";
	char csv[4000] = "id,x\n";
	struct sotto_answer *x, *y;
	struct clinic c;
	bool same = true;

	for (int i = 0; i < 240; i++)
		(void)snprintf(csv + strlen(csv), 20, "%d,%s\n", i, keys[i % 4]);
	REQUIRE(clinic_open(&c, policy, csv));
	x = clinic_ask(&c, sql, "20", "1e-4", false);
	REQUIRE(x);
	CHECK_INT(x->row_count, 4);
	CHECK(isinf(x->values[0].number) && x->values[0].number < 0);
	CHECK(isinf(x->values[4].number) && x->values[4].number > 0);
	CHECK(isnan(x->values[6].number));
	REQUIRE(clinic_reopen(&c));
	y = clinic_ask(&c, sql, "20", "1e-4", false);
	REQUIRE(y);
	CHECK(y->repeated);
	for (int i = 0; i < 8; i++)
		same = same && (x->values[i].number == y->values[i].number ||
				(isnan(x->values[i].number) && isnan(y->values[i].number)));
	CHECK(same);
	sotto_answer_free(x);
	sotto_answer_free(y);
	clinic_close(&c);
}

/* Of a text the first max_text characters count, in every place. */
static void texts_are_cut_where_the_policy_says(void)
{
	static const char policy[] =
		"budget: {epsilon: 10000, delta: 1e-2}\ntables:\n  visits: {source: "
		"visits.csv, "
		"unit: id, max_text: 50, columns: {id: {type: integer}, t: {type: text, "
		"max_text: 8}, s: {type: text}}}\n";
	static const char csv[] = "id,t,s\n1,abcdefghij,abcdefghij\n2,abcdefghxx,ab\n"
				  "3,ééééééééé,x\n4,abc,x\n";
	static const struct {
		const char *where;
		int count;
	} cases[] = {
		{"t LIKE '%j'", 0},          {"s LIKE '%j'", 1},
		{"length(t) = 8", 3},        {"length(s) = 10", 1},
		{"right(t, 2) = 'gh'", 2},   {"t = 'abc'", 1},
		{"t = 'abcdefghij'", 0},     {"t LIKE 'abc%'", 3},
		{"t || '' = 'abcdefgh'", 2}, {"t ~ 'é{9}'", 0},
		{"t ~ 'é{8}'", 1},           {"t IN ('abc', 'abcdefgh')", 3},
	};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, csv));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_answer *a;
		char sql[200];

		(void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM visits WHERE %s",
			       cases[i].where);
		a = clinic_ask(&c, sql, "500", NULL, false);
		if (!tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", sql, c.err.text))
			continue;
		(void)tap_check((int)a->values[0].number == cases[i].count, __FILE__, __LINE__,
				"%s: %g", sql, a->values[0].number);
		sotto_answer_free(a);
	}
	clinic_close(&c);
}

/* A day or a moment that is a key, or that a subquery chose, is compared as one and not as its text. */
static void days_are_compared_as_days(void)
{
	static const char policy[] =
		"budget: {epsilon: 1000000}\ndiagnostics: 0\ntables:\n  visits: {source: "
		"visits.csv, "
		"unit: id, columns: {day: {type: date, bounds: [2024-01-01, 2024-04-30]}}}\n";
	static const char months[] =
		"SELECT SUM(n) FROM (SELECT date_trunc('month', day) AS m, "
		"COUNT(*) AS n FROM visits GROUP BY m HAVING %s) AS s";
	static const struct {
		const char *form, *condition;
		int count;
	} cases[] = {
		{months, "m = '2024-03-01'", 4},
		{months, "m > '2024-03-01'", 1},
		{months, "m BETWEEN '2024-02-01' AND '2024-03-01'", 6},
		{months, "m IN ('2024-02-01', DATE '2024-04-01')", 3},
		{months, "EXTRACT(month FROM m) = 2 OR COUNT(*) > 3", 6},
		{"SELECT COUNT(*) FROM visits WHERE %s",
		 "day > (SELECT MEDIAN(day) FROM visits)", 4},
		{"SELECT COUNT(*) FROM visits WHERE %s",
		 "day < (SELECT MEDIAN(day) FROM visits) - INTERVAL '20 days'", 3},
	};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy,
			    "id,day\n1,2024-01-03\n2,2024-01-04\n3,2024-02-03\n4,2024-02-29\n"
			    "5,2024-03-01\n6,2024-03-05\n7,2024-03-31\n8,2024-04-03\n"
			    "9,2024-03-03\n"));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_answer *a;
		char sql[400];

		(void)snprintf(sql, sizeof sql, cases[i].form, cases[i].condition);
		a = clinic_ask(&c, sql, "900", NULL, false);
		if (!tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", sql, c.err.text))
			continue;
		(void)tap_check((int)a->values[0].number == cases[i].count, __FILE__, __LINE__,
				"%s: %g", sql, a->values[0].number);
		sotto_answer_free(a);
	}
	clinic_close(&c);
}

/* Longer texts, one of which is what they become in the engine's query, are in no group. */
static void a_text_longer_than_all_keys_is_none_of_them(void)
{
	static const char policy[] =
		"budget: {epsilon: 10000, delta: 1e-2}\ndiagnostics: 0\ntables:\n  visits: "
		"{source: visits.csv, unit: id, max_groups: 3, columns: {id: {type: integer}, "
		"t: {type: text, keys: [a, bb, null]}}}\n";
	static const char csv[] = "id,t\n1,a\n2,a\n3,a\n4,bb\n5,bb\n6,\n7,...\n8,bbb\n"
				  "9,aaaaaaaaaaaaaaaaaaaaaaaaa\n10,..\n11,...\n";
	double sum = 0, squares = 0;
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, csv));
	a = clinic_ask(&c, "SELECT COUNT(*) FROM visits GROUP BY t", "500", NULL, false);
	REQUIRE(a && a->row_count == 3);
	for (size_t i = 0; i < a->row_count; i++) {
		sum += a->values[i * a->column_count].number;
		squares += a->values[i * a->column_count].number *
			   a->values[i * a->column_count].number;
	}
	CHECK_INT((long)sum, 6);
	CHECK_INT((long)squares, 9 + 4 + 1);
	sotto_answer_free(a);
	clinic_close(&c);
}

/* A NUL and the sign that is shown for it: which group comes first tells of no row. */
static void keys_that_are_shown_alike_come_in_no_order(void)
{
	enum { DRAWS = 64 };
	struct sotto_engine_result *r;
	struct sotto_plan plan;
	struct clinic c;
	int first = 0;

	REQUIRE(clinic_open(&c, NULL, "id,note,ward,x\n1,m,a,1\n2,n,a,1\n"));
	r = exact(&c, "SELECT note, COUNT(DISTINCT id) FROM visits GROUP BY note", &plan);
	REQUIRE(r);
	REQUIRE(reprice(&plan, false));
	REQUIRE(sotto_engine_rows(r) == 2);
	r->columns[0].cells[1] = r->columns[0].cells[0];
	r->columns[1].exact[0] = 1000000;
	r->columns[1].exact[1] = 1000;
	for (int i = 0; i < DRAWS; i++) {
		struct sotto_release release;

		sotto_release_init(&release);
		REQUIRE(sotto_release_publish(&release, &plan, r, c.session->rng) == SOTTO_OK);
		REQUIRE(release.rows == 2);
		first += release.values[0].value > release.values[release.measure_count].value;
		sotto_release_release(&release);
	}
	CHECK(first > 0);
	CHECK(first < DRAWS);
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

int main(void)
{
	RUN(keys_that_are_infinite_or_no_numbers_are_released_and_repeated);
	RUN(texts_are_cut_where_the_policy_says);
	RUN(days_are_compared_as_days);
	RUN(a_text_longer_than_all_keys_is_none_of_them);
	RUN(asking_again_repeats_the_answer_free);
	RUN(sorting_and_cutting_a_released_answer_is_free);
	RUN(equal_shares_exhaust_a_budget_exactly);
	RUN(a_refusal_costs_nothing);
	RUN(a_failure_after_the_charge_keeps_it);
	RUN(a_name_without_a_share_is_no_way_round_the_shares);
	RUN(private_keys_get_a_hundredth_of_the_delta);
	RUN(an_empty_set_is_answered_like_any_other);
	RUN(the_engine_computes_what_the_spec_says);
	RUN(order_of_rows_and_threads_do_not_matter);
	RUN(the_spread_of_the_noise_is_that_of_the_plan);
	RUN(a_key_is_shown_from_the_threshold_on);
	RUN(a_single_units_key_is_shown_at_most_delta_often);
	RUN(keys_that_are_shown_alike_come_in_no_order);
	return tap_done();
}
