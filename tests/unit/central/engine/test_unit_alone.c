/*
 * Over all units at once, by their numbers: the aggregate says what the engine's GROUP BY says
 * with what it gives for each unit, whatever units, values and threads there are.
 */
#include <stdio.h>
#include <string.h>

#include "central/engine/duckdb_embedded.h"
#include "central/engine/engine_result.h"
#include "testlib/tap.h"

enum { KEEP = 3, LOSE = 6 };

/* 1: both say the same; 0: they do not; -1: the engine fails. */
static long same(struct sotto_embedded *e, const char *values, const char *columns,
		 const char *sums, const char *items)
{
	struct sotto_engine_result *r = NULL;
	char sql[4000];
	long n = -1;

	(void)snprintf(
		sql, sizeof sql,
		"WITH p AS (SELECT u, sotto_pairs_%s(sotto_task('keep(%d) %s'), %s) AS t FROM "
		"rows WHERE u IS NOT NULL GROUP BY u), x AS (SELECT coalesce(sum(t.n), 0) AS "
		"n, "
		"count(*) AS units, count(*) FILTER (t.read > %d) AS of_rows, "
		"coalesce(sum(t.clipped), 0) AS clipped, coalesce(sum(least(greatest(t.read - "
		"%d, 0), %d)), 0) AS lost, coalesce(sum(least(t.read, %d)), 0) AS kept, %s "
		"FROM "
		"p), y AS (SELECT t.n, t.units, t.of_rows, t.clipped, t.rows, t.rows_kept, %s "
		"FROM (SELECT sotto_alone_%s(sotto_task('keep(%d) lose(%d) %s'), u, %s) AS t "
		"FROM rows)) SELECT (count(*) = 1)::BIGINT FROM (SELECT * FROM x INTERSECT "
		"SELECT * FROM y)",
		values, KEEP, items, columns, KEEP, KEEP, LOSE, KEEP, sums,
		strstr(sums, "v1") ? "t.v0, t.v1, t.w0" : "t.v0, t.w0", values, KEEP, LOSE,
		items, columns);
	if (sotto_embedded_run(e, sql, &r) == SOTTO_OK)
		n = (long)sotto_engine_cell(r, 0, 0).integer;
	else
		tap_note("%s", sotto_embedded_detail(e));
	sotto_engine_result_free(r);
	return n;
}

#define OF_ONE "coalesce(sum(t.v0), 0), coalesce(sum(least(greatest(t.v0, 0), 1)), 0)"
#define OF_TWO                                                                                 \
	"coalesce(sum(t.v0), 0), coalesce(sum(t.v1), 0), coalesce(sum(least(greatest(t.v0, "   \
	"0), 1)), 0)"

static void check_rows(unsigned threads, const char *rows)
{
	const struct sotto_engine_limits limits = {.threads = threads};
	struct sotto_embedded *e = NULL;
	struct sotto_error err = {""};
	char sql[1000];

	REQUIRE(sotto_embedded_open(&limits, &e, &err) == SOTTO_OK);
	(void)snprintf(sql, sizeof sql, "CREATE TABLE rows AS %s", rows);
	CHECK(sotto_embedded_execute(e, sql) == SOTTO_OK);
	tap_note("%u threads: %s", threads, rows);
	CHECK(same(e, "1", "y", OF_ONE, "note(0, -5, 40) sum(0, -5, 40, 10, -1) read(-1)") ==
	      1);
	CHECK(same(e, "2", "y", OF_TWO,
		   "note(0, -5, 40) count(0) sum(0, -5, 40, 0, 0) read(0)") == 1);
	CHECK(same(e, "2", "y, z", OF_TWO,
		   "note(0, 0, 9) count(1) square(0, -5, 40, 1, 2, -1) read(0)") == 1);
	sotto_embedded_close(e);
}

/* Units have anything from no row to many, some rows have no unit, some no value. */
#define ROWS(units, count)                                                                     \
	"SELECT CASE WHEN hash(i, 1) % 11 = 0 THEN NULL ELSE (hash(i, 2) % " units             \
	" * (hash(i, 3) % " units ") // " units ")::INTEGER END AS u, CASE WHEN hash(i, 4) % " \
	"7 = 0 THEN NULL ELSE (hash(i, 5) % 60)::BIGINT - 10 END AS y, CASE WHEN hash(i, 6) "  \
	"% 3 = 0 THEN NULL ELSE 'text' END AS z FROM range(" count ") AS r(i)"

static void one_aggregate_says_what_groups_say(void)
{
	for (unsigned threads = 1; threads <= 3; threads++) {
		check_rows(threads, ROWS("5", "100"));
		check_rows(threads, ROWS("200", "3000"));
		check_rows(threads, ROWS("90000", "700000"));
	}
	check_rows(2, ROWS("5", "0"));
	check_rows(2, "SELECT NULL::INTEGER AS u, 1::BIGINT AS y, 1 AS z FROM range(5000)");
	check_rows(1, "SELECT 2147483647::INTEGER AS u, 1::BIGINT AS y, 1 AS z");
}

static void what_is_no_number_is_refused(void)
{
	static const char *const statements[] = {
		"SELECT sotto_alone_1(sotto_task('keep(3) sum(0, 0, 9, 0, -1)'), -1, 5)",
		"SELECT sotto_alone_1(sotto_task('keep(3) sum(0, 0, 9, 0, -1)'), 'a', 5)",
		"SELECT sotto_alone_1(sotto_task('sum(0, 0, 9, 0, -1)'), 1, 5)",
		"SELECT sotto_alone_1(sotto_task('keep(3) sum(1, 0, 9, 0, -1)'), 1, 5)",
		"SELECT sotto_alone_1(sotto_task('keep(3) sum(0, 0, 9, 0, -1)'), 1, 'x')",
		"SELECT sotto_alone_1(sotto_task('keep(3) sum(0, 0, 9, 0, -1)'), i::INTEGER, "
		"5) FROM "
		"range(3) AS r(i) GROUP BY i",
		"SELECT sotto_task('keep(3) lose(0)')",
	};
	const struct sotto_engine_limits limits = {.threads = 1};
	struct sotto_embedded *e = NULL;
	struct sotto_error err = {""};

	REQUIRE(sotto_embedded_open(&limits, &e, &err) == SOTTO_OK);
	for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
		(void)tap_check(sotto_embedded_execute(e, statements[i]) != SOTTO_OK, __FILE__,
				__LINE__, "%s", statements[i]);
	sotto_embedded_close(e);
}

int main(void)
{
	RUN(one_aggregate_says_what_groups_say);
	RUN(what_is_no_number_is_refused);
	return tap_done();
}
