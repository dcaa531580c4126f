/*
 * `max_groups: auto` and `max_rows: auto`: found once for a grouping, charged in one entry
 * with each analyst's first question; to the whole budget once.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

#define POLICY(more)                                                                           \
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5" more "}\nauto_epsilon: 8\n"    \
	"tables:\n  visits:\n    source: visits.csv\n    unit: id\n    max_groups: auto\n"     \
	"    max_rows: auto\n    columns:\n      x: {bounds: [0, 100], type: integer}\n"       \
	"      ward: {keys: [a, b, c, d, e, f]}\n"

/* 600 units with three rows in each of two wards. */
static char *make_csv(void)
{
	char *csv = malloc(600 * 6 * 16 + 100), *at = csv;

	if (!csv)
		abort();
	at += sprintf(at, "id,ward,x\n");
	for (unsigned i = 0; i < 600; i++)
		for (unsigned j = 0; j < 6; j++)
			at += sprintf(at, "%u,%c,%u\n", i, 'a' + (int)((i + j % 2) % 6), j);
	return csv;
}

static bool open_with(struct clinic *c, const char *policy)
{
	char *csv = make_csv();
	bool open = clinic_open(c, policy, csv);

	free(csv);
	return open;
}

static struct sotto_answer *
ask_as(struct clinic *c, const char *analyst, const char *sql, const char *epsilon)
{
	struct sotto_question q = {.sql = sql, .analyst = analyst};
	struct sotto_answer *a = NULL;
	struct sotto_rational e;

	sotto_rational_init(&e);
	CHECK_INT(sotto_rational_parse(&e, epsilon, NULL), SOTTO_OK);
	q.epsilon = &e;
	(void)tap_check(sotto_session_query(c->session, &q, &a, &c->err) == SOTTO_OK, __FILE__,
			__LINE__, "%s: %s", sql, c->err.text);
	sotto_rational_release(&e);
	return a;
}

static double cost(const struct sotto_answer *a)
{
	return a ? sotto_rational_double_up(&a->epsilon) : NAN;
}

static void totals(struct clinic *c, const char *analyst, double *spent, uint64_t *entries)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l = NULL;

	sotto_ledger_totals_init(&t);
	REQUIRE(sotto_session_ledger(c->session, &l, NULL) == SOTTO_OK);
	REQUIRE(sotto_ledger_totals(l, analyst, &t, NULL) == SOTTO_OK);
	*spent = sotto_rational_double_up(&t.spent.epsilon);
	*entries = t.entries;
	sotto_ledger_totals_release(&t);
}

static const char by_ward[] = "SELECT ward, COUNT(*) FROM visits GROUP BY ward";

static void limits_are_found_once_for_a_grouping(void)
{
	struct sotto_answer *a, *b;
	double spent;
	uint64_t before, after;
	struct clinic c;

	REQUIRE(open_with(&c, POLICY("")));
	totals(&c, NULL, &spent, &before);
	a = ask_as(&c, NULL, by_ward, "1");
	REQUIRE(a);
	CHECK(cost(a) == 9);
	CHECK_INT(a->limits[0].max_groups, 2);
	CHECK_INT(a->limits[0].max_rows, 4);
	totals(&c, NULL, &spent, &after);
	CHECK(spent == 9);
	CHECK_INT(after, before + 1);
	b = ask_as(&c, NULL, by_ward, "1"); /* the same question, now with limits */
	REQUIRE(b);
	CHECK(b->repeated && cost(b) == 0);
	CHECK(b->values[1].integer == a->values[1].integer);
	sotto_answer_free(b);
	b = ask_as(&c, "bob", "SELECT ward, SUM(x) FROM visits WHERE x < 3 GROUP BY ward", "1");
	CHECK(cost(b) == 9 && b->limits[0].max_rows == 4); /* bob's first one */
	sotto_answer_free(b);
	totals(&c, NULL, &spent, &after);
	CHECK(spent == 10); /* the whole has paid for the limits */
	b = ask_as(&c, "bob", "SELECT ward, SUM(x) FROM visits GROUP BY ward", "1");
	CHECK(cost(b) == 1);
	sotto_answer_free(b);
	REQUIRE(clinic_reopen(&c)); /* the ledger has them */
	b = ask_as(&c, NULL, "SELECT ward, SUM(x) FROM visits GROUP BY ward", "1");
	CHECK(cost(b) == 1 && b->limits[0].max_groups == 2 && b->limits[0].max_rows == 4);
	sotto_answer_free(b);
	b = ask_as(&c, NULL, "SELECT COUNT(*) FROM visits", "1"); /* another grouping */
	CHECK(cost(b) == 9 && b->limits[0].max_rows == 8);
	sotto_answer_free(b);
	sotto_answer_free(a);
	clinic_close(&c);
}

/* Otherwise an analyst could look at tables of their own making at everybody's expense. */
static void the_share_of_each_asker_pays_and_the_whole_pays_once(void)
{
	double whole, share;
	struct sotto_answer *a;
	struct clinic c;
	uint64_t n;

	REQUIRE(open_with(&c, POLICY(", analysts: {ann: 1/50, bob: 1/2}")));
	a = ask_as(&c, "ann", by_ward, "3"); /* a share of 20, and 8 for the limits */
	CHECK(cost(a) == 11);
	sotto_answer_free(a);
	a = ask_as(&c, "bob", "SELECT ward, SUM(x) FROM visits GROUP BY ward", "3");
	CHECK(cost(a) == 11);
	sotto_answer_free(a);
	for (int opened = 0; opened < 2; opened++) { /* and counted anew from the rows */
		totals(&c, NULL, &whole, &n);
		totals(&c, "ann", &share, &n);
		CHECK(whole == 14 && share == 11);
		totals(&c, "bob", &share, &n);
		CHECK(share == 11);
		REQUIRE(clinic_reopen(&c));
	}
	clinic_close(&c);
}

/* ---- what one analyst sees of another --------------------------------------------------------- */

/* All that an explanation says, one line each. */
static void explain_into(struct clinic *c, const char *who, const char *sql, FILE *out)
{
	struct sotto_question q = {.sql = sql, .analyst = who};
	struct sotto_explanation *x = NULL;
	struct sotto_rational e;

	sotto_rational_init(&e);
	REQUIRE(sotto_rational_parse(&e, "1", NULL) == SOTTO_OK);
	q.epsilon = &e;
	CHECK_INT(sotto_session_explain(c->session, &q, &x, &c->err), SOTTO_OK);
	for (size_t i = 0; x && i < x->count; i++)
		fprintf(out, "%s %s: %s\n", x->lines[i].section, x->lines[i].name,
			x->lines[i].text);
	fprintf(out, "%d %d\n", x && x->assumes_limits, x && x->repeated);
	sotto_explanation_free(x);
	sotto_rational_release(&e);
}

/* An answer but for its noise: price, notes, limits, what is left. */
static void ask_into(struct clinic *c, const char *who, const char *sql, FILE *out)
{
	struct sotto_answer *a = ask_as(c, who, sql, "1");

	fprintf(out, "%g %g %d %zu", cost(a),
		a ? sotto_rational_double_up(&a->epsilon_left) : 0, a && a->repeated,
		a ? a->row_count : 0);
	for (size_t i = 0; a && i < a->limits_count; i++)
		fprintf(out, " %lld %lld", (long long)a->limits[i].max_groups,
			(long long)a->limits[i].max_rows);
	for (size_t i = 0; a && i < a->note_count; i++)
		fprintf(out, "\n%s", a->notes[i]);
	fprintf(out, "\n");
	sotto_answer_free(a);
}

/* Whatever bob does and sees, in a ledger that ann has used or not. */
static char *what_bob_sees(int ann_asks)
{
	static const char *const questions[] = {
		"SELECT ward, COUNT(*) FROM visits GROUP BY ward",
		"SELECT ward, SUM(x) FROM visits GROUP BY ward",
		"SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP(ward)",
		"SELECT COUNT(*) FROM visits",
	};
	struct clinic c;
	char *text = NULL;
	size_t length;
	FILE *out;

	out = open_memstream(&text, &length);
	if (!out || !open_with(&c, POLICY(", analysts: {ann: 1/2, bob: 1/2}")))
		abort();
	for (int i = 0; i < ann_asks; i++)
		sotto_answer_free(ask_as(&c, "ann", questions[i], "1"));
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		explain_into(&c, "bob", questions[i], out);
		ask_into(&c, "bob", questions[i], out);
		explain_into(&c, "bob", questions[i], out);
		ask_into(&c, "bob", questions[i], out);
	}
	fclose(out);
	clinic_close(&c);
	return text;
}

static void nobody_sees_that_another_has_found_limits(void)
{
	char *alone = what_bob_sees(0);

	for (int ann_asks = 1; ann_asks <= 4; ann_asks++) {
		char *beside = what_bob_sees(ann_asks);

		CHECK_STR(beside, alone);
		free(beside);
	}
	free(alone);
}

static void explain_tells_the_price_and_what_it_assumes(void)
{
	struct sotto_question q = {.sql = by_ward};
	struct sotto_explanation *x = NULL;
	struct sotto_rational e;
	struct clinic c;
	bool said = false;

	REQUIRE(open_with(&c, POLICY("")));
	sotto_rational_init(&e);
	REQUIRE(sotto_rational_parse(&e, "1", NULL) == SOTTO_OK);
	q.epsilon = &e;
	REQUIRE(sotto_session_explain(c.session, &q, &x, &c.err) == SOTTO_OK);
	CHECK(sotto_rational_double_up(&x->epsilon) == 9);
	for (size_t i = 0; i < x->count; i++)
		said = said || strstr(x->lines[i].text, "assume 1 group and 1 row");
	CHECK(said);
	sotto_explanation_free(x);
	sotto_rational_release(&e);
	clinic_close(&c);
}

static void finished_parts_find_limits_of_their_own(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(open_with(&c, POLICY("")));
	a = ask_as(&c, NULL, "SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP(ward)", "2");
	REQUIRE(a);
	CHECK(cost(a) == 18); /* two groupings */
	CHECK_INT(a->limits_count, 2);
	sotto_answer_free(a);
	a = ask_as(&c, NULL, by_ward, "1"); /* what the limits lost is known, too */
	CHECK(fabs(cost(a) - 0.95) < 1e-9);
	sotto_answer_free(a);
	clinic_close(&c);
}

static void contributions_are_found_and_written(void)
{
	struct sotto_found_contributions f;
	struct sotto_question q = {0};
	struct sotto_answer *a;
	struct sotto_rational e;
	struct clinic c;

	REQUIRE(open_with(&c, POLICY("")));
	sotto_found_contributions_init(&f);
	sotto_rational_init(&e);
	REQUIRE(sotto_rational_parse(&e, "8", NULL) == SOTTO_OK);
	q.epsilon = &e;
	CHECK_INT(sotto_session_contributions(c.session, "nowhere", NULL, &q, &f, &c.err),
		  SOTTO_EREFUSED);
	REQUIRE(sotto_session_contributions(c.session, "visits", "ward", &q, &f, &c.err) ==
		SOTTO_OK);
	CHECK_INT(f.max_groups, 2);
	CHECK_INT(f.max_rows, 4);
	CHECK(!f.repeated && sotto_rational_double_up(&f.epsilon) == 8);
	CHECK(f.groups_beyond < 0.05 && f.rows_beyond < 0.05);
	/* They serve `auto` of that grouping too, for everybody: the owner has found them. */
	for (int i = 0; i < 2; i++) {
		a = ask_as(&c, i ? "bob" : NULL, by_ward, "1");
		CHECK(cost(a) == 1 && a->limits[0].max_rows == 4);
		sotto_answer_free(a);
	}
	REQUIRE(sotto_session_contributions(c.session, "visits", "ward", &q, &f, &c.err) ==
		SOTTO_OK);
	CHECK(f.repeated);
	REQUIRE(sotto_session_write_contributions(c.session, "visits", &f, &c.err) == SOTTO_OK);
	REQUIRE(clinic_reopen(&c));
	a = ask_as(&c, NULL, "SELECT SUM(x) FROM visits", "1");
	CHECK(a && cost(a) == 1 && a->limits[0].max_rows == 4);
	sotto_answer_free(a);
	sotto_found_contributions_release(&f);
	sotto_rational_release(&e);
	clinic_close(&c);
}

/* 600 units with a row each, of whom every tenth has 64: six wards of 100 units. */
static char *make_long_tail(void)
{
	char *csv = malloc((600 + 60 * 64) * 16 + 100), *at = csv;

	if (!csv)
		abort();
	at += sprintf(at, "id,ward,x\n");
	for (unsigned i = 0; i < 600; i++)
		for (unsigned j = 0; j < (i % 10 == 0 ? 64 : 1); j++)
			at += sprintf(at, "%u,%c,%u\n", i, 'a' + (int)(i / 100), j);
	return csv;
}

static void finds_rows(const char *policy, int64_t rows)
{
	char *csv = make_long_tail();
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, csv));
	a = ask_as(&c, NULL, by_ward, "1");
	CHECK(a && a->limits[0].max_rows == rows);
	sotto_answer_free(a);
	clinic_close(&c);
	free(csv);
}

/* 64 rows of each tenth unit are 640 in a ward; their noise is 3 * 64 / epsilon. */
static void a_long_tail_is_kept_only_where_noise_costs_less(void)
{
	finds_rows(POLICY("") "default: {epsilon: 10}\n", 64);
	finds_rows(POLICY("") "default: {epsilon: 0.1}\n", 1);
}

int main(void)
{
	RUN(limits_are_found_once_for_a_grouping);
	RUN(the_share_of_each_asker_pays_and_the_whole_pays_once);
	RUN(nobody_sees_that_another_has_found_limits);
	RUN(explain_tells_the_price_and_what_it_assumes);
	RUN(finished_parts_find_limits_of_their_own);
	RUN(contributions_are_found_and_written);
	RUN(a_long_tail_is_kept_only_where_noise_costs_less);
	return tap_done();
}
