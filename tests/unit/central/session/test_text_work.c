/*
 * What is read row by row: the values of what takes long for each row, wherever it stands, so that
 * neither a dictionary of a file nor what the file says about its values decides on anything
 * (test_each_row.c); all others as they lie in the file.
 *
 * Seen to fail: without sotto_each, sotto_row or the schema each in what is written for the engine;
 * where many questions of little work are not counted together.
 */
#include <stdio.h>
#include <string.h>

#include "central/plan/plan.h"
#include "central/session/session.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\n"
	"tables:\n  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n"
	"    max_rows: 2\n    columns:\n      x: {bounds: [0, 100], type: integer}\n"
	"      ward: {keys: [a, b, c]}\n";

static const char *const heavy[] = {
	"SELECT COUNT(*) FROM visits WHERE reverse(note) <> 'x'",
	"SELECT COUNT(*) FROM visits WHERE note SIMILAR TO '(a|b)*c%'",
	"SELECT reverse(note), COUNT(*) FROM visits GROUP BY 1",
	"SELECT SUM(length(reverse(note))) FROM visits",
	"SELECT COUNT(DISTINCT upper(note)) FROM visits",
	"SELECT ward, MEDIAN(length(reverse(note))) FROM visits GROUP BY ward",
	"SELECT COUNT(*) FROM (SELECT id, reverse(note) AS m FROM visits) AS v WHERE m <> 'x'",
	"SELECT COUNT(*) FROM (SELECT id, MAX(upper(note)) AS m FROM visits GROUP BY id) AS v "
	"WHERE m <> 'x'",
	"SELECT COUNT(*) FROM (SELECT DISTINCT id, reverse(note) AS m FROM visits) AS v",
	"SELECT COUNT(*) FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY "
	"reverse(note)) AS n FROM visits) AS v WHERE n = 1",
	"SELECT COUNT(*) FROM visits AS v WHERE EXISTS (SELECT 1 FROM visits AS w WHERE w.id = "
	"v.id AND reverse(w.note) <> 'x')",
	"SELECT COUNT(*) FROM (SELECT id FROM visits WHERE reverse(note) <> 'x' INTERSECT "
	"SELECT "
	"id FROM visits) AS v",
};

/* Of values that are not texts, or of conditions beside what takes long. */
static const char *const heavy_numbers[] = {
	"SELECT COUNT(*) FROM visits WHERE md5(CAST(x AS TEXT)) <> 'x'",
	"SELECT COUNT(*) FROM visits WHERE atan(exp(x)) > 1",
	"SELECT SUM(clip(atan(exp(x)), 0, 1)) FROM visits",
	"SELECT COUNT(*) FROM visits WHERE (x > 1000 AND md5(CAST(x AS TEXT)) <> 'x') IS NULL",
	("SELECT COUNT(*) FROM (SELECT id, md5(CAST(x AS TEXT)) AS m FROM visits GROUP BY id, "
	 "md5(CAST(x AS TEXT))) AS v WHERE m <> 'x'"),
};

static const char *const light[] = {
	"SELECT COUNT(*) FROM visits WHERE note <> 'x'",
	"SELECT COUNT(*) FROM visits WHERE note LIKE 'a%'",
	"SELECT note, COUNT(*) FROM visits GROUP BY 1",
	"SELECT ward, SUM(x) FROM visits GROUP BY ward",
	"SELECT COUNT(DISTINCT note) FROM visits",
};

/* Whether the mark stands in what the engine is asked, and whether it can answer. */
static bool has_mark(struct clinic *c, const char *sql, const char *mark)
{
	struct sotto_rational epsilon, delta;
	struct sotto_question q = {.sql = sql, .epsilon = &epsilon, .delta = &delta};
	struct sotto_explanation *x = NULL;
	struct sotto_answer *a;
	bool each = false;

	sotto_rational_init(&epsilon);
	sotto_rational_init(&delta);
	CHECK(sotto_rational_parse(&epsilon, "1", NULL) == SOTTO_OK &&
	      sotto_rational_parse(&delta, "1e-6", NULL) == SOTTO_OK);
	if (tap_check(sotto_session_explain(c->session, &q, &x, &c->err) == SOTTO_OK, __FILE__,
		      __LINE__, "%s: %s", sql, c->err.text))
		each = strstr(x->engine_sql, mark) != NULL;
	sotto_explanation_free(x);
	a = clinic_ask(c, sql, "1", "1e-6", false);
	(void)tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", sql, c->err.text);
	sotto_answer_free(a);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
	return each;
}

static void check_mark(struct clinic *c, const char *sql, const char *mark, bool wanted)
{
	(void)tap_check(has_mark(c, sql, mark) == wanted, __FILE__, __LINE__, "%s in %s", mark,
			sql);
}

static void what_takes_long_reads_its_values_row_by_row(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, clinic_csv));
	for (size_t i = 0; i < sizeof heavy / sizeof heavy[0]; i++) {
		check_mark(&c, heavy[i], "sotto_each(", true);
		check_mark(&c, heavy[i], " each.", true);
		check_mark(&c, heavy[i], "source.\"visits\"", false);
	}
	for (size_t i = 0; i < sizeof heavy_numbers / sizeof heavy_numbers[0]; i++) {
		check_mark(&c, heavy_numbers[i], "sotto_row()", true);
		check_mark(&c, heavy_numbers[i], " each.", true);
	}
	for (size_t i = 0; i < sizeof light / sizeof light[0]; i++) {
		check_mark(&c, light[i], "sotto_each(", false);
		check_mark(&c, light[i], "sotto_row()", false);
		check_mark(&c, light[i], " each.", false);
	}
	clinic_close(&c);
}

/* A long list of public keys is no work on a row. */
static void many_public_keys_are_read_as_they_lie(void)
{
	static char many[8192];
	struct clinic c;
	size_t n = (size_t)snprintf(many, sizeof many,
				    "ledger: ledger.db\nbudget: {epsilon: 1000}\n"
				    "tables:\n  visits:\n    source: visits.csv\n"
				    "    unit: id\n    max_groups: 2\n    columns:\n"
				    "      ward: {keys: [a");

	for (int i = 0; i < 900; i++)
		n += (size_t)snprintf(many + n, sizeof many - n, ", w%d", i);
	(void)snprintf(many + n, sizeof many - n, "]}\n");
	REQUIRE(clinic_open(&c, many, clinic_csv));
	check_mark(&c, "SELECT ward, COUNT(*) FROM visits GROUP BY ward", " each.", false);
	clinic_close(&c);
}

/* So many sums of little work, each a microsecond at most, are much together. */
static void much_of_little_is_read_row_by_row(void)
{
	static const int sums[] = {2, 60};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, clinic_csv));
	for (size_t k = 0; k < 2; k++) {
		char sql[8192] = "SELECT ";
		size_t n = strlen(sql);

		for (int i = 0; i < sums[k]; i++)
			n += (size_t)snprintf(sql + n, sizeof sql - n, "%sSUM(x / %d)",
					      i ? ", " : "", i + 2);
		(void)snprintf(sql + n, sizeof sql - n, " FROM visits");
		check_mark(&c, sql, " each.", k == 1);
	}
	clinic_close(&c);
}

int main(void)
{
	RUN(what_takes_long_reads_its_values_row_by_row);
	RUN(many_public_keys_are_read_as_they_lie);
	RUN(much_of_little_is_read_row_by_row);
	return tap_done();
}
