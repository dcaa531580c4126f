/*
 * Tables of a database file: what such a file can say about its columns must not
 * make an answer depend on how one row is written, or on whether one value fits.
 */
#include <stdio.h>
#include <string.h>

#include "central/engine/engine.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] = "ledger: ledger.db\n"
			     "budget: {epsilon: 100000, delta: 0.5}\n"
			     "tables:\n"
			     "  p:\n"
			     "    source: p.duckdb\n"
			     "    unit: id\n"
			     "  q:\n"
			     "    source: p.duckdb\n"
			     "    unit: {column: id, via: q.id -> p.id}\n";

/* A clinic whose rows are in p.duckdb. */
static bool open_database(struct clinic *c, const char *sql)
{
	char path[FOLDER_PATH_MAX], attach[FOLDER_PATH_MAX + 40];
	struct sotto_engine *e;
	bool done;

	if (!clinic_open(c, policy, NULL) ||
	    sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
				     &c->err) != SOTTO_OK)
		return false;
	folder_file(&c->folder, "p.duckdb", path);
	(void)snprintf(attach, sizeof attach, "ATTACH '%s' AS f; USE f", path);
	done = sotto_engine_execute(e, attach) == SOTTO_OK &&
	       sotto_engine_execute(e, sql) == SOTTO_OK;
	if (!done)
		tap_note("%s", sotto_engine_detail(e));
	sotto_engine_close(e);
	return done;
}

/* Forty people, the first of whom writes the name in another way. */
static const char names[] = "CREATE TABLE p AS SELECT i AS id FROM range(40) AS r(i); "
			    "ALTER TABLE p ADD COLUMN name VARCHAR COLLATE nocase; "
			    "UPDATE p SET name = CASE WHEN id = 0 THEN 'ADA' ELSE 'Ada' END; "
			    "CREATE TABLE q AS SELECT id, 1 AS x FROM p";

static void a_key_is_not_shown_as_one_row_writes_it(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(open_database(&c, names));
	a = clinic_ask(&c, "SELECT name, COUNT(*) FROM p GROUP BY name", "1000", "0.000001",
		       false);
	REQUIRE(a);
	CHECK_INT(a->row_count, 1);
	CHECK_STR(a->values[0].text, "Ada");
	CHECK_INT(a->values[1].integer, 39);
	sotto_answer_free(a);
	clinic_close(&c);
}

/* DuckDB would take the macros of the file that it opened first. */
static void macros_of_the_file_change_no_function(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(open_database(&c,
			      "CREATE TABLE p AS SELECT i AS id, 2 AS x FROM range(40) AS "
			      "r(i); CREATE TABLE q AS FROM p; CREATE MACRO count_star() AS 7; "
			      "CREATE MACRO abs(x) AS 1000000"));
	a = clinic_ask(&c, "SELECT COUNT(*), SUM(clip(abs(x), 0, 10)) FROM p", "1000", NULL,
		       false);
	REQUIRE(a);
	CHECK_INT(a->values[0].integer, 40);
	CHECK_REL(a->values[1].number, 80.0, 0.05);
	sotto_answer_free(a);
	clinic_close(&c);
}

/* Compared as DECIMAL(38,3), a large enough unit of q would be an error of the engine. */
static void units_of_two_types_are_not_compared(void)
{
	static const char *const queries[] = {
		"SELECT COUNT(*) FROM p JOIN q ON p.id = q.id",
		"SELECT COUNT(*) FROM (SELECT id FROM p UNION ALL SELECT id FROM q) AS t"};
	struct clinic c;

	REQUIRE(open_database(&c,
			      "CREATE TABLE p(id DECIMAL(18,3)); CREATE TABLE q(id HUGEINT); "
			      "INSERT INTO p VALUES (1); INSERT INTO q VALUES (1), "
			      "(170141183460469231731687303715884105727)"));
	for (size_t i = 0; i < 2; i++) {
		CHECK(!clinic_ask(&c, queries[i], "1", NULL, false));
		CHECK(strstr(c.err.text, "charged") == NULL);
	}
	clinic_close(&c);
}

static void units_of_one_type_are(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(open_database(&c,
			      "CREATE TABLE p AS SELECT CAST(i AS DECIMAL(18,3)) AS id FROM "
			      "range(40) AS r(i); CREATE TABLE q AS FROM p"));
	a = clinic_ask(&c, "SELECT COUNT(*) FROM p JOIN q ON p.id = q.id", "1000", NULL, false);
	REQUIRE(a);
	CHECK_INT(a->values[0].integer, 40);
	sotto_answer_free(a);
	clinic_close(&c);
}

int main(void)
{
	RUN(a_key_is_not_shown_as_one_row_writes_it);
	RUN(macros_of_the_file_change_no_function);
	RUN(units_of_two_types_are_not_compared);
	RUN(units_of_one_type_are);
	return tap_done();
}
