/*
 * Quantiles, modes and chosen groups from SQL to the answer: what the engine
 * lists, what epsilon is spent on, what intervals hold, what a malicious data set
 * cannot do.
 */
#include <stdlib.h>

#include "central/session/answer/answer_inside.h"
#include "central/session/release/release.h"
#include "central/session/session.h"
#include "core/number/nearest.h"
#include "testlib/fixture/clinic.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n    max_rows: 4\n"
	"    columns:\n      x: {bounds: [0, 100], type: integer}\n      w: {bounds: [-1, 1], "
	"step: 0.25}\n"
	"      ward: {keys: [a, b, c]}\n";

static const char few[] = "id,ward,x,w\n1,a,10,0\n1,b,20,0.5\n2,a,40,-1\n3,b,50,0.25\n"
			  "4,c,60,1\n5,c,70,\n6,a,,0.75\n";

/* A plan, priced, and what the engine found for it. */
struct trial {
	struct clinic clinic;
	struct sotto_plan plan;
	struct sotto_engine_result *exact;
};

static bool trial_open(struct trial *t, const char *csv, const char *sql, const char *epsilon,
		       const char *delta)
{
	struct sotto_rational e = rational_of(epsilon), d = rational_of(delta ? delta : "0");
	struct sotto_question q = {.sql = sql, .epsilon = &e, .delta = delta ? &d : NULL};
	bool done;

	*t = (struct trial){0};
	done = clinic_open(&t->clinic, policy, csv) &&
	       sotto_session_plan(t->clinic.session, &q, &t->plan, &t->clinic.err) ==
		       SOTTO_OK &&
	       sotto_session_ready(t->clinic.session, &t->clinic.err) == SOTTO_OK &&
	       sotto_engine_run(t->clinic.session->engine, t->plan.engine_sql, &t->exact) ==
		       SOTTO_OK;
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return tap_check(done, __FILE__, __LINE__, "%s: %s %s", sql, t->clinic.err.text,
			 t->clinic.session && t->clinic.session->engine
				 ? sotto_engine_detail(t->clinic.session->engine)
				 : "");
}

static void trial_close(struct trial *t)
{
	sotto_engine_result_free(t->exact);
	sotto_plan_release(&t->plan);
	clinic_close(&t->clinic);
}

static const struct sotto_engine_list *list_of(const struct trial *t, size_t row)
{
	return sotto_engine_list(t->exact, row,
				 t->plan.key_count + t->plan.derived_count +
					 t->plan.measure_count);
}

static bool list_is(const struct sotto_engine_list *l, size_t n, const int64_t (*want)[2])
{
	bool same = l->n == n;

	for (size_t i = 0; same && i < n; i++)
		same = l->values[i].secret == want[i][0] && l->counts[i].secret == want[i][1];
	return same;
}

/* ---- lists ------------------------------------------------------------------------------ */

static char *rows_of(unsigned units, unsigned rows, unsigned (*value)(unsigned, unsigned))
{
	char *csv = malloc(40 * (size_t)units * rows + 100), *at = csv;

	if (!csv)
		abort();
	at += sprintf(at, "id,ward,x,w\n");
	for (unsigned i = 0; i < units; i++)
		for (unsigned j = 0; j < rows; j++)
			at += sprintf(at, "%u,%c,%u,0.5\n", i, 'a' + (int)(i % 3), value(i, j));
	return csv;
}

static unsigned own_row(unsigned unit, unsigned row)
{
	return unit == 0 ? row + 1 : 7;
}

/* One unit with 1 .. 100: four of them, at places ceil((2 j - 1) 100 / 8) of their order. */
static void a_unit_with_many_rows_counts_with_evenly_spaced_ones(void)
{
	static const int64_t want[][2] = {{13, 1}, {38, 1}, {63, 1}, {88, 1}};
	char *csv = rows_of(1, 100, own_row);
	struct trial t;

	REQUIRE(trial_open(&t, csv, "SELECT MEDIAN(x) FROM visits", "1", NULL));
	CHECK(list_is(list_of(&t, 0), 4, want));
	trial_close(&t);
	free(csv);
}

static unsigned at_the_top(unsigned unit, unsigned row)
{
	(void)row;
	return unit == 0 ? 100 : 20;
}

/* A hundred thousand rows at the top weigh as max_rows. */
static void a_unit_with_very_many_rows_is_one_unit(void)
{
	static const int64_t want[][2] = {{100, 4}};
	char *csv = rows_of(1, 100000, at_the_top);
	struct trial t;

	REQUIRE(trial_open(&t, csv, "SELECT MAX(x) FROM visits", "1", NULL));
	CHECK(list_is(list_of(&t, 0), 1, want));
	trial_close(&t);
	free(csv);
}

/* NULL, NaN and text are not values; the rest is clipped, infinity too. */
static void values_are_clipped_and_what_is_none_is_skipped(void)
{
	static const int64_t x[][2] = {{0, 2}, {5, 2}, {100, 2}};
	static const int64_t w[][2] = {{-4, 1}, {0, 1}, {2, 1}, {4, 2}};
	static const char csv[] =
		"id,ward,x,w\n1,a,5,inf\n2,a,5,-inf\n3,a,-9,nan\n4,a,0,NULL\n5,a,100,0.1\n"
		"6,a,99999999,0.4\n7,a,,\n8,a,many,7\n";
	struct trial t;

	REQUIRE(trial_open(&t, csv, "SELECT MEDIAN(x) FROM visits", "1", NULL));
	CHECK(list_is(list_of(&t, 0), 3, x));
	trial_close(&t);
	REQUIRE(trial_open(&t, csv, "SELECT MEDIAN(w) FROM visits", "1", NULL));
	CHECK(list_is(list_of(&t, 0), 4, w));
	trial_close(&t);
}

static void groups_have_lists_of_their_own(void)
{
	static const int64_t a[][2] = {{3, 2}, {4, 1}}, b[][2] = {{9, 1}};
	static const char csv[] = "id,ward,x,w\n1,a,3,0\n2,a,3,0\n3,a,4,0\n4,b,9,0\n5,zz,1,0\n";
	struct trial t;

	if (trial_open(&t, csv, "SELECT ward, MEDIAN(x) FROM visits GROUP BY ward", "1",
		       NULL)) {
		REQUIRE(sotto_engine_rows(t.exact) == 3);
		for (size_t i = 0; i < 3; i++) {
			char ward = sotto_engine_cell(t.exact, i, 0).text[0];

			CHECK(ward == 'a'   ? list_is(list_of(&t, i), 2, a)
			      : ward == 'b' ? list_is(list_of(&t, i), 1, b)
					    : list_of(&t, i)->n == 0);
		}
	}
	trial_close(&t);
}

/* A unit in three wards counts in two of them only. */
static void a_unit_counts_in_at_most_max_groups_lists(void)
{
	static const char csv[] = "id,ward,x,w\n1,a,3,0\n1,b,3,0\n1,c,4,0\n";
	size_t values = 0;
	struct trial t;

	REQUIRE(trial_open(&t, csv, "SELECT ward, MEDIAN(x) FROM visits GROUP BY ward", "1",
			   NULL));
	for (size_t i = 0; i < sotto_engine_rows(t.exact); i++)
		values += list_of(&t, i)->n;
	CHECK_INT(values, 2);
	trial_close(&t);
}

/* ---- price -------------------------------------------------------------------------------- */

/* Shares of all choices in all groups that a unit reaches are the epsilon that is charged. */
static void choices_add_up_to_epsilon(void)
{
	static const char *const queries[] = {
		"SELECT MEDIAN(x) FROM visits",
		"SELECT ward, MEDIAN(x), MODE(ward), COUNT(*), MIN(w) FROM visits GROUP BY 1",
		"SELECT MIN(x), MAX(x), MEDIAN(x), QUANTILE(x, 0.9) FROM visits",
		"SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) LIMIT 2",
	};

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		struct trial t;

		REQUIRE(trial_open(&t, few, queries[i], "0.7", NULL));
		CHECK(rational_is(t.plan.cost.epsilon.q, "0.7"));
		CHECK(mpq_sgn(t.plan.cost.delta.q) == 0);
		CHECK(mpq_sgn(t.plan.cost.rho.q) > 0);
		trial_close(&t);
	}
}

/* Under zCDP the choices stay within the rho that epsilon and delta were turned into. */
static void choices_add_up_to_rho(void)
{
	struct trial t;
	double rho = 0;

	REQUIRE(trial_open(&t, few,
			   "SELECT ward, MEDIAN(x), MODE(ward), COUNT(*), SUM(x), AVG(w), "
			   "MIN(w) FROM visits GROUP BY ward",
			   "1", "1e-3"));
	CHECK_INT(t.plan.noise, SOTTO_NOISE_GAUSSIAN);
	for (size_t i = 0; i < t.plan.choice_count; i++) {
		const struct sotto_choice *p = &t.plan.choices[i];
		const struct sotto_rank_choice *c = p->quantiles.choice;
		bool mode = p->kind == SOTTO_CHOICE_MODE;
		double e = sotto_nearest_double(mode ? p->mode.choice->epsilon.q
						     : c->choice.epsilon.q);
		double end = mode ? 0 : sotto_nearest_double(c->choice.end_epsilon.q);

		CHECK(mode || c->method == SOTTO_RANKS_BY_CHOICE);
		rho += (double)t.plan.groups * (e * e + 2 * end * end) / 8;
	}
	for (size_t i = 0; i < t.plan.measure_count; i++) {
		const struct sotto_measure *m = &t.plan.measures[i];

		rho += (double)(t.plan.groups * m->per_group * m->per_group) /
		       (2 * sotto_nearest_double(m->noise->gaussian.sigma2.q));
	}
	CHECK_REL(rho, sotto_nearest_double(t.plan.cost.rho.q), 1e-9);
	CHECK(rho <= sotto_nearest_double(t.plan.cost.rho.q) * (1 + 1e-12));
	trial_close(&t);
}

/* ---- answers ------------------------------------------------------------------------------ */

static unsigned spread(unsigned unit, unsigned row)
{
	return (unit * 37 + row * 11) % 101;
}

/* 300 units with one row: the exact quantiles of 0 .. 100 lie where they must. */
static void intervals_cover_the_exact_quantile(void)
{
	static const char *const queries[] = {
		"SELECT MEDIAN(x), COUNT(*) FROM visits",
		"SELECT MIN(x), QUANTILE_DISC(x, 0.25), MAX(x) FROM visits"};
	static const double truth[2][3] = {{50, 300, 0}, {0, 25, 100}};
	unsigned runs = effort() == EFFORT_SANITIZED ? 40 : 400;
	char *csv = rows_of(300, 1, spread);

	for (size_t q = 0; q < 2; q++) {
		unsigned covered[3] = {0};
		struct clinic c;

		REQUIRE(clinic_open(&c, policy, csv));
		for (unsigned i = 0; i < runs; i++) {
			struct sotto_answer *a = clinic_ask(&c, queries[q], "2", NULL, true);

			REQUIRE(a);
			for (size_t j = 0; j < a->column_count; j++)
				covered[j] += a->lows[j].number <= truth[q][j] + 0.5 &&
					      truth[q][j] - 0.5 <= a->highs[j].number;
			sotto_answer_free(a);
		}
		for (size_t j = 0; j < (q ? 3 : 2); j++)
			CHECK(covered[j] > 0.95 * runs - 6 * sqrt(0.0475 * runs));
		clinic_close(&c);
	}
	free(csv);
}

static void a_constant_column_is_found_and_the_interval_says_so(void)
{
	struct sotto_answer *a;
	struct clinic c;
	char *csv = rows_of(200, 1, at_the_top);

	REQUIRE(clinic_open(&c, policy, csv));
	a = clinic_ask(&c, "SELECT MEDIAN(x), MIN(x), MAX(x) FROM visits WHERE x < 50", "1000",
		       NULL, true);
	REQUIRE(a);
	for (size_t i = 0; i < 3; i++) {
		CHECK(a->values[i].number == 20);
		CHECK(a->lows[i].number <= 20 && a->highs[i].number >= 20);
	}
	sotto_answer_free(a);
	clinic_close(&c);
	free(csv);
}

/* Whether there is anything in a group must not show in the form of the answer. */
static void empty_groups_and_full_ones_look_alike(void)
{
	static const char *const queries[] = {
		"SELECT MEDIAN(x) AS m, MODE(ward) AS o FROM visits",
		"SELECT MEDIAN(x) AS m, MODE(ward) AS o FROM visits WHERE x > 1000",
		("SELECT MEDIAN(x) FILTER (WHERE x > 999) AS m, MODE(ward) FILTER "
		 "(WHERE x > 999) AS o FROM visits")};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, few));
	for (size_t i = 0; i < 3; i++) {
		struct sotto_answer *a = clinic_ask(&c, queries[i], "1", NULL, true);

		REQUIRE(a && a->row_count == 1);
		CHECK(a->values[0].kind == SOTTO_VALUE_NUMBER);
		CHECK(a->values[0].number >= 0 && a->values[0].number <= 100);
		CHECK(a->lows[0].kind == SOTTO_VALUE_NUMBER);
		CHECK(a->values[1].kind == SOTTO_VALUE_TEXT);
		sotto_answer_free(a);
	}
	clinic_close(&c);
}

static bool same_value(const struct sotto_value *x, const struct sotto_value *y)
{
	return x->kind == y->kind && x->integer == y->integer && x->number == y->number &&
	       (x->kind != SOTTO_VALUE_TEXT || strcmp(x->text, y->text) == 0);
}

/* Also after the ledger was closed and read again. */
static void asking_again_gives_the_same_answer_free(void)
{
	static const char *const queries[] = {
		"SELECT ward, MEDIAN(x), MODE(ward), COUNT(*), MIN(w) FROM visits GROUP BY "
		"ward",
		"SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2",
		"SELECT QUANTILE(x, 0.1), QUANTILE(x, 0.2), QUANTILE(x, 0.8), MEDIAN(x) FROM "
		"visits"};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, few));
	for (size_t i = 0; i < 3; i++) {
		struct sotto_answer *a = clinic_ask(&c, queries[i], "0.5", NULL, false), *b;

		REQUIRE(a && clinic_reopen(&c));
		b = clinic_ask(&c, queries[i], "0.5", NULL, false);
		REQUIRE(b);
		CHECK(!a->repeated && b->repeated);
		CHECK(mpq_sgn(b->epsilon.q) == 0);
		REQUIRE(a->row_count == b->row_count);
		for (size_t j = 0; j < a->row_count * a->column_count; j++) {
			CHECK(same_value(&a->values[j], &b->values[j]));
			CHECK(same_value(&a->lows[j], &b->lows[j]));
			CHECK(same_value(&a->highs[j], &b->highs[j]));
		}
		sotto_answer_free(a);
		sotto_answer_free(b);
	}
	clinic_close(&c);
}

/* Other ranks of the same list, or more groups, are other questions. */
static void other_ranks_are_other_questions(void)
{
	static const char *const queries[] = {
		"SELECT QUANTILE(x, 0.4) AS q FROM visits",
		"SELECT QUANTILE(x, 0.6) AS q FROM visits",
		"SELECT QUANTILE_CONT(x, 0.6) AS q FROM visits",
		"SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1",
		"SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2",
		"SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) LIMIT 1"};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, few));
	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		struct sotto_answer *a = clinic_ask(&c, queries[i], "0.5", NULL, false);

		REQUIRE(a);
		CHECK(!a->repeated);
		sotto_answer_free(a);
	}
	clinic_close(&c);
}

/* ORDER BY COUNT(*) DESC LIMIT 1 at a small epsilon: the largest group wins more often. */
static void chosen_groups_follow_their_counts(void)
{
	unsigned first = 0, runs = 400;
	static const char csv[] = "id,ward,x,w\n1,a,3,0\n2,a,3,0\n3,b,4,0\n4,a,9,0\n5,a,1,0\n";
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, csv));
	for (unsigned i = 0; i < runs; i++) {
		struct sotto_answer *a = clinic_ask(&c,
						    "SELECT ward FROM visits GROUP BY ward "
						    "ORDER BY COUNT(DISTINCT id) DESC LIMIT 1",
						    "1", NULL, true);

		REQUIRE(a && a->row_count == 1 && a->column_count == 1);
		first += a->values[0].text[0] == 'a';
		sotto_answer_free(a);
	}
	/* counts 4, 1, 0 and exponential noise of scale 1: P(a) = 0.955 (by integration) */
	CHECK(first > 0.955 * runs - 30 && first < runs);
	clinic_close(&c);
}

static void an_error_cannot_be_aimed_at_for_quantiles_alone(void)
{
	struct sotto_rational e = rational_of("3");
	struct sotto_question q = {.sql = "SELECT MEDIAN(x) FROM visits", .error = &e};
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, few));
	CHECK_INT(sotto_session_plan(c.session, &q, &plan, &c.err), SOTTO_EREFUSED);
	CHECK(strstr(c.err.text, "quantile") != NULL);
	sotto_rational_release(&e);
	clinic_close(&c);
}

int main(void)
{
	RUN(a_unit_with_many_rows_counts_with_evenly_spaced_ones);
	RUN(a_unit_with_very_many_rows_is_one_unit);
	RUN(values_are_clipped_and_what_is_none_is_skipped);
	RUN(groups_have_lists_of_their_own);
	RUN(a_unit_counts_in_at_most_max_groups_lists);
	RUN(choices_add_up_to_epsilon);
	RUN(choices_add_up_to_rho);
	RUN(intervals_cover_the_exact_quantile);
	RUN(a_constant_column_is_found_and_the_interval_says_so);
	RUN(empty_groups_and_full_ones_look_alike);
	RUN(asking_again_gives_the_same_answer_free);
	RUN(other_ranks_are_other_questions);
	RUN(chosen_groups_follow_their_counts);
	RUN(an_error_cannot_be_aimed_at_for_quantiles_alone);
	return tap_done();
}
