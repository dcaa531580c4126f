/*
 * Which texts are read row by row: those of what takes long for each row, wherever it stands, so that
 * a dictionary of a file decides on nothing (test_each_row.c); all others as they lie in the file.
 *
 * Seen to fail: without sotto_each in what is written for the engine.
 */
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

static const char *const light[] = {
	"SELECT COUNT(*) FROM visits WHERE note <> 'x'",
	"SELECT COUNT(*) FROM visits WHERE note LIKE 'a%'",
	"SELECT note, COUNT(*) FROM visits GROUP BY 1",
	"SELECT ward, SUM(x) FROM visits GROUP BY ward",
	"SELECT COUNT(DISTINCT note) FROM visits",
};

/* What the engine is asked, and whether it can answer. */
static bool reads_each(struct clinic *c, const char *sql)
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
		each = strstr(x->engine_sql, "sotto_each(") != NULL;
	sotto_explanation_free(x);
	a = clinic_ask(c, sql, "1", "1e-6", false);
	(void)tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", sql, c->err.text);
	sotto_answer_free(a);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
	return each;
}

static void what_takes_long_reads_texts_row_by_row(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, clinic_csv));
	for (size_t i = 0; i < sizeof heavy / sizeof heavy[0]; i++)
		(void)tap_check(reads_each(&c, heavy[i]), __FILE__, __LINE__, "%s", heavy[i]);
	for (size_t i = 0; i < sizeof light / sizeof light[0]; i++)
		(void)tap_check(!reads_each(&c, light[i]), __FILE__, __LINE__, "%s", light[i]);
	clinic_close(&c);
}

int main(void)
{
	RUN(what_takes_long_reads_texts_row_by_row);
	return tap_done();
}
