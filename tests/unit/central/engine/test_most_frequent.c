/*
 * How often the most frequent number occurs: sotto_most says what the engine's own groups say,
 * for whole numbers and others, in order and not, by several threads.
 */
#include <stdio.h>

#include "central/engine/duckdb_embedded.h"
#include "central/engine/engine_result.h"
#include "testlib/tap.h"

static long number_of(struct sotto_embedded *e, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	long number = -1;

	if (sotto_embedded_run(e, sql, &r) == SOTTO_OK)
		number = (long)sotto_engine_cell(r, 0, 0).integer;
	else
		tap_note("%s", sotto_embedded_detail(e));
	sotto_engine_result_free(r);
	return number;
}

/* Expressions over i, from 0 on, and how often the most frequent value occurs in 300 000 rows. */
static const struct {
	const char *value;
	long most;
} numbers[] = {
	{"i", 1},
	{"-i", 1},
	{"i * 1000", 1},
	{"hash(i) % 1000000000000", 1},
	{"i // 2", 2},
	{"hash(i) % 100", -1}, /* -1: only the engine knows */
	{"i % 77 - 38", 3897},
	{"i / 8 - 1000", 1},
	{"i // 3 / 7", 3},
	{"CASE WHEN i % 5 = 0 THEN NULL ELSE i % 3 END", 80000},
	{"CASE WHEN i % 3 = 0 THEN 'NaN' WHEN i % 3 = 1 THEN '-0' ELSE '0' END", 200000},
	{"CASE WHEN i % 4 = 0 THEN '-NaN' WHEN i % 4 < 3 THEN 'NaN' ELSE 'inf' END", 225000},
	{"CASE WHEN i % 4 = 0 THEN '-inf' ELSE '1e300' END", 225000},
	{"9007199254740992 + i", -1},
	{"1e17 + i * 16", 1},
	{"NULL", 0},
};

static void check_numbers(struct sotto_embedded *e, const char *value, long most)
{
	char sql[1000];
	long ours, engines;

	(void)snprintf(sql, sizeof sql,
		       "CREATE OR REPLACE TABLE t AS SELECT CAST(%s AS DOUBLE) AS x FROM "
		       "range(300000) AS r(i)",
		       value);
	CHECK(sotto_embedded_execute(e, sql) == SOTTO_OK);
	ours = number_of(e, "SELECT sotto_most(x) FROM t");
	engines = number_of(e, "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM t "
			       "WHERE x IS NOT NULL GROUP BY x)");
	tap_note("%s: %ld, and %ld in groups", value, ours, engines);
	CHECK(ours == engines && (most < 0 || ours == most));
}

static void it_is_what_groups_say(void)
{
	const struct sotto_engine_limits limits = {.threads = 4};
	struct sotto_embedded *e = NULL;
	struct sotto_error err = {""};

	REQUIRE(sotto_embedded_open(&limits, &e, &err) == SOTTO_OK);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		check_numbers(e, numbers[i].value, numbers[i].most);
	CHECK(number_of(e, "SELECT sotto_most(x) FROM t WHERE FALSE") == 0);
	CHECK(number_of(e,
			"SELECT sum(m)::BIGINT FROM (SELECT i % 10 AS k, sotto_most(i // 30) "
			"AS m FROM range(90000) AS r(i) GROUP BY k)") == 30);
	sotto_embedded_close(e);
}

int main(void)
{
	RUN(it_is_what_groups_say);
	return tap_done();
}
