/*
 * The aggregates that the engine is given: they say what plain SQL says of the same rows, hold a
 * unit to its rows, and refuse what is not a task.
 */
#include <stdio.h>
#include <string.h>

#include "central/engine/duckdb_embedded.h"
#include "central/engine/engine_result.h"
#include "central/engine/sum/sum_block.h"
#include "central/engine/sum/sum_task.h"
#include "central/engine/sum/unit_table.h"
#include "testlib/tap.h"

static struct sotto_embedded *open_engine(void)
{
	const struct sotto_engine_limits limits = {.threads = 2};
	struct sotto_embedded *e = NULL;
	struct sotto_error err = {""};

	if (sotto_embedded_open(&limits, &e, &err) != SOTTO_OK)
		tap_note("%s", err.text);
	return e;
}

/* How many rows the query finds; -1 if it fails. */
static long rows_of(struct sotto_embedded *e, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	long rows = -1;

	if (sotto_embedded_run(e, sql, &r) == SOTTO_OK)
		rows = (long)sotto_engine_rows(r);
	else
		tap_note("%s: %s", sql, sotto_embedded_detail(e));
	sotto_engine_result_free(r);
	return rows;
}

/* Rows in which the two queries differ. */
static long difference(struct sotto_embedded *e, const char *ours, const char *theirs)
{
	char sql[4096];

	(void)snprintf(
		sql, sizeof sql,
		"SELECT CAST(1 AS BIGINT) AS one FROM ((%s) EXCEPT (%s)) UNION ALL SELECT "
		"CAST(1 AS BIGINT) FROM ((%s) EXCEPT (%s))",
		ours, theirs, theirs, ours);
	return rows_of(e, sql);
}

/* The same where ours may stand in a statement once. */
static long difference_once(struct sotto_embedded *e, const char *ours, const char *theirs)
{
	char sql[4096];

	(void)snprintf(sql, sizeof sql,
		       "WITH o AS MATERIALIZED (%s), t AS MATERIALIZED (%s) SELECT CAST(1 AS "
		       "BIGINT) AS one FROM ((FROM o) EXCEPT (FROM t)) UNION ALL SELECT CAST(1 "
		       "AS BIGINT) FROM ((FROM t) EXCEPT (FROM o))",
		       ours, theirs);
	return rows_of(e, sql);
}

/* Values within and far outside the bounds, NULLs, NaN and infinities, in each type. */
static const char data[] = "CREATE TABLE data AS SELECT i, CAST(hash(i, 1) % 700 AS BIGINT) AS "
			   "u, CAST(hash(i, 2) % 7 "
			   "AS INTEGER) AS k, CASE WHEN hash(i, 3) % 11 = 0 THEN NULL WHEN "
			   "hash(i, 3) % 13 = 0 THEN "
			   "9e18 WHEN hash(i, 3) % 17 = 0 THEN -9e18 ELSE CAST(CAST(hash(i, 4) "
			   "% 400 AS BIGINT) - 100 "
			   "AS DOUBLE) END AS y FROM range(50000) AS r(i); "
			   "CREATE TABLE special AS SELECT * FROM (VALUES (CAST('NaN' AS "
			   "DOUBLE)), ('inf'), ('-inf'), "
			   "(NULL), (2.5), (-2.5), (0.49999999999999994), (1e300)) AS v(x)";

#define CLIPPED "(CASE WHEN y < -20 THEN -20 WHEN y > 150 THEN 150 ELSE y END - 7)"

static void sums_of_rows_are_those_of_plain_sql(void)
{
	static const char *const types[] = {"DOUBLE", "BIGINT", "HUGEINT"};
	struct sotto_embedded *e = open_engine();
	char ours[1500];

	REQUIRE(e && sotto_embedded_execute(e, data) == SOTTO_OK);
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		(void)snprintf(ours, sizeof ours,
			       "SELECT k, t.n, t.clipped, t.v0, t.v1, t.v2 FROM (SELECT k, "
			       "sotto_rows_4(sotto_task('note(0, -20, 150) count(0) sum(0, "
			       "-20, 150, 7, 0) "
			       "square(0, -20, 150, 7, 2, 0)'), CAST(y AS %s)) AS t FROM data "
			       "GROUP BY k)",
			       types[i]);
		CHECK(difference(e, ours,
				 "SELECT k, count(*), CAST(sum(CASE WHEN y < -20 OR y > 150 "
				 "THEN 1 "
				 "ELSE 0 END) AS BIGINT), CAST(count(y) AS HUGEINT), "
				 "CAST(sum(" CLIPPED ") AS HUGEINT), CAST(sum(CAST(" CLIPPED
				 " AS BIGINT) * CAST(" CLIPPED
				 " AS BIGINT) // 4) AS HUGEINT) FROM data GROUP BY k") == 0);
	}
	sotto_embedded_close(e);
}

static void a_unit_is_held_to_its_rows(void)
{
	struct sotto_embedded *e = open_engine();

	REQUIRE(e && sotto_embedded_execute(e, data) == SOTTO_OK);
	CHECK(difference(e,
			 "SELECT u, k, t.n, t.read, t.clipped, t.v0, t.v1 FROM (SELECT u, k, "
			 "sotto_pairs_2(sotto_task('keep(5) note(0, -20, 150) count(0) sum(0, "
			 "-20, "
			 "150, 7, 0) read(0)'), y) AS t FROM data GROUP BY u, k)",
			 "SELECT u, k, least(count(*), 5), count(y), CAST(max(CASE WHEN y < "
			 "-20 OR y "
			 "> 150 THEN 1 ELSE 0 END) AS BIGINT), least(count(y), 5), "
			 "CAST(coalesce(CASE WHEN count(y) > 5 THEN CAST(sum(" CLIPPED
			 ") AS HUGEINT) * 5 // count(y) ELSE sum(" CLIPPED
			 ") END, 0) AS BIGINT) FROM data GROUP BY u, k") == 0);
	/* Without rows everything is 0, and a sum that no 64 bits hold stops at the end. */
	CHECK(rows_of(e,
		      "SELECT t.n FROM (SELECT sotto_pairs_1(sotto_task('keep(5) sum(0, 0, 9, "
		      "0, -1)'), y) AS t FROM data WHERE FALSE) WHERE t.n = 0 AND t.v0 = 0") ==
	      1);
	CHECK(rows_of(e, "SELECT t.n FROM (SELECT sotto_pairs_1(sotto_task('keep(2) sum(0, 0, "
			 "2305843009213693952, 0, -1)'), 9e18) AS t FROM range(8)) WHERE t.n = "
			 "2 AND "
			 "t.v0 BETWEEN 1 AND 4611686018427387904") == 1);
	sotto_embedded_close(e);
}

static void losses_of_units_are_those_of_plain_sql(void)
{
	static const char pairs[] =
		"CREATE TABLE pairs AS SELECT u, k, count(*) AS n, CAST(max(CASE "
		"WHEN y > 1e18 THEN 1 ELSE 0 END) AS BIGINT) AS c, row_number() "
		"OVER (PARTITION BY u ORDER BY k) AS place FROM data GROUP BY u, k";
	struct sotto_embedded *e = open_engine();

	REQUIRE(e && sotto_embedded_execute(e, data) == SOTTO_OK &&
		sotto_embedded_execute(e, pairs) == SOTTO_OK);
	CHECK(difference(
		      e,
		      "SELECT t.units, t.of_rows, t.of_groups, t.clipped, t.rows, t.rows_kept, "
		      "t.pairs, t.pairs_kept FROM (SELECT sotto_units(hash(u), place, n, c, 2, "
		      "9) AS "
		      "t FROM pairs)",
		      "SELECT count(*), CAST(sum(a) AS BIGINT), CAST(sum(b) AS BIGINT), "
		      "CAST(sum(c) "
		      "AS BIGINT), CAST(sum(d) AS BIGINT), CAST(sum(e) AS BIGINT), CAST(sum(f) "
		      "AS "
		      "BIGINT), CAST(sum(g) AS BIGINT) FROM (SELECT u, max(CASE WHEN place <= "
		      "2 AND "
		      "n > 9 THEN 1 ELSE 0 END) AS a, CASE WHEN count(*) > 2 THEN 1 ELSE 0 END "
		      "AS b, "
		      "max(CASE WHEN place <= 2 THEN c ELSE 0 END) AS c, least(sum(CASE WHEN "
		      "place > "
		      "2 THEN n ELSE greatest(n - 9, 0) END), 36) AS d, sum(CASE WHEN place <= "
		      "2 "
		      "THEN least(n, 9) ELSE 0 END) AS e, least(greatest(count(*) - 2, 0), 4) "
		      "AS f, "
		      "least(count(*), 2) AS g FROM pairs GROUP BY u)") == 0);
	CHECK(difference(
		      e,
		      "SELECT t.units, t.of_rows, t.clipped, t.rows, t.rows_kept FROM (SELECT "
		      "sotto_units(hash(u), 0, n, c, 7, 9) AS t FROM pairs)",
		      "SELECT count(*), CAST(sum(a) AS BIGINT), CAST(sum(c) AS BIGINT), "
		      "CAST(sum(d) "
		      "AS BIGINT), CAST(sum(e) AS BIGINT) FROM (SELECT u, max(CASE WHEN n > 9 "
		      "THEN "
		      "1 ELSE 0 END) AS a, max(c) AS c, least(sum(greatest(n - 9, 0)), 126) AS "
		      "d, "
		      "sum(least(n, 9)) AS e FROM pairs GROUP BY u)") == 0);
	sotto_embedded_close(e);
}

/* So many rows that both of the engine's threads have states, which it puts together. */
static void losses_of_parts_add_up(void)
{
	static const char parts[] =
		"CREATE TABLE parts AS SELECT CAST(hash(i, 1) % 3 AS BIGINT) AS g, hash(i, 2) "
		"% 20000 AS u, CAST(hash(i, 3) % 30 AS BIGINT) AS n, CAST(hash(i, 4) % 9 // 8 "
		"AS BIGINT) AS c FROM range(1000000) AS r(i)";
	struct sotto_embedded *e = open_engine();

	REQUIRE(e && sotto_embedded_execute(e, parts) == SOTTO_OK);
	CHECK(difference(e,
			 "SELECT g, t.units, t.of_rows, t.clipped, t.rows, t.rows_kept FROM "
			 "(SELECT "
			 "g, sotto_units(hash(u), 0, n, c, 1, 20) AS t FROM parts GROUP BY g)",
			 "SELECT g, count(*), CAST(sum(a) AS BIGINT), CAST(sum(c) AS BIGINT), "
			 "CAST(sum(d) AS BIGINT), CAST(sum(e) AS BIGINT) FROM (SELECT g, u, "
			 "max(CASE "
			 "WHEN n > 20 THEN 1 ELSE 0 END) AS a, max(c) AS c, "
			 "least(sum(greatest(n - "
			 "20, 0)), 40) AS d, sum(least(n, 20)) AS e FROM parts GROUP BY g, u) "
			 "GROUP "
			 "BY g") == 0);
	CHECK(difference(
		      e,
		      "SELECT g, t.units, t.of_groups, t.pairs, t.pairs_kept FROM (SELECT g, "
		      "sotto_units(hash(u, n), n, 1, 0, 5, 20) AS t FROM parts WHERE n > 0 "
		      "GROUP "
		      "BY g)",
		      "SELECT g, CAST(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END) AS BIGINT), "
		      "CAST(sum(CASE WHEN n = 6 THEN 1 ELSE 0 END) AS BIGINT), CAST(sum(CASE "
		      "WHEN "
		      "n > 5 AND n <= 15 THEN 1 ELSE 0 END) AS BIGINT), CAST(sum(CASE WHEN n "
		      "<= 5 "
		      "THEN 1 ELSE 0 END) AS BIGINT) FROM parts WHERE n > 0 GROUP BY g") == 0);
	sotto_embedded_close(e);
}

/* Numbers that follow each other, that lie far apart, below zero and at the ends. */
static void units_are_told_apart_by_number(void)
{
	static const char *const numbers[] = {
		"CAST(hash(i, 2) % 20000 AS BIGINT) - 10000",
		"CAST(hash(i, 2) % 20000 AS BIGINT) * 400000000000000",
		("CASE hash(i, 2) % 3 WHEN 0 THEN -9223372036854775808 WHEN 1 THEN "
		 "9223372036854775807 ELSE CAST(hash(i, 3) % 100 AS BIGINT) - 50 END"),
	};
	struct sotto_embedded *e = open_engine();
	char sql[600];

	REQUIRE(e);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		(void)snprintf(
			sql, sizeof sql,
			"CREATE OR REPLACE TABLE parts AS SELECT CAST(hash(i, 1) %% 9 "
			"AS BIGINT) AS g, %s AS u, CAST(hash(i, 3) %% 30 AS BIGINT) AS "
			"n, CAST(hash(i, 4) %% 9 // 8 AS BIGINT) AS c FROM range(300000) "
			"AS r(i)",
			numbers[i]);
		CHECK(sotto_embedded_execute(e, sql) == SOTTO_OK);
		CHECK_INT(difference(e,
				     "SELECT t.units FROM (SELECT sotto_units(xor(u, 77), 0, "
				     "n, c, 3, 20) AS t FROM parts)",
				     "SELECT count(DISTINCT u) FROM parts"),
			  0);
		CHECK_INT(difference_once(e,
					  "SELECT g, sotto_all_units(xor(u, 77), 0, n, c, 3, "
					  "20) AS t FROM parts GROUP BY g",
					  "SELECT * FROM (SELECT DISTINCT g FROM parts), "
					  "(SELECT sotto_units(hash(u), 0, n, c, 3, 20) AS t "
					  "FROM parts)"),
			  0);
	}
	sotto_embedded_close(e);
}

/* In each group the same as without groups; and nothing of one statement is left in the next. */
static void losses_within_groups_are_those_over_all(void)
{
	static const char parts[] =
		"CREATE TABLE parts AS SELECT CAST(hash(i, 1) % 9 AS BIGINT) AS g, hash(i, 2) "
		"% "
		"20000 AS u, CAST(hash(i, 3) % 30 AS BIGINT) AS n, CAST(hash(i, 4) % 9 // 8 AS "
		"BIGINT) AS c FROM range(1000000) AS r(i)";
	struct sotto_embedded *e = open_engine();
	char ours[300], theirs[300];

	REQUIRE(e && sotto_embedded_execute(e, parts) == SOTTO_OK);
	for (int groups = 1; groups <= 5; groups += 2)
		for (int rows = 20; rows < 40; rows += 15) {
			(void)snprintf(ours, sizeof ours,
				       "SELECT g, sotto_all_units(hash(u), 0, n, c, %d, %d) AS "
				       "t FROM parts GROUP BY g",
				       groups, rows);
			(void)snprintf(theirs, sizeof theirs,
				       "SELECT * FROM (SELECT DISTINCT g FROM parts), (SELECT "
				       "sotto_units(hash(u), 0, n, c, %d, %d) AS t FROM parts)",
				       groups, rows);
			CHECK_INT(difference_once(e, ours, theirs), 0);
		}
	CHECK_INT(rows_of(e,
			  "SELECT t.units FROM (SELECT g, sotto_all_units(hash(u), 0, n, c, 1, "
			  "20) AS t FROM parts WHERE n < 0 GROUP BY g)"),
		  0);
	sotto_embedded_close(e);
}

/* How many of 4096 places are taken by as many hashes that agree in all but 12 bits. */
static unsigned places_of(uint64_t key, unsigned first_bit)
{
	static bool taken[4096];
	unsigned places = 0;

	memset(taken, 0, sizeof taken);
	for (uint64_t i = 0; i < 4096; i++)
		taken[sotto_unit_mixed(key ^ i << first_bit) % 4096] = true;
	for (size_t i = 0; i < 4096; i++)
		places += taken[i];
	return places;
}

/* By chance about 2589 are; were they not mixed, one for all from bit 12 on. */
static void units_that_were_chosen_alike_lie_apart(void)
{
	struct sotto_embedded *e = open_engine();

	for (uint64_t key = 1; key; key <<= 7)
		for (unsigned bit = 0; bit <= 52; bit++)
			if (!tap_check(places_of(key * 0x9e3779b97f4a7c15, bit) > 2000,
				       __FILE__, __LINE__, "key %llx, bit %u",
				       (unsigned long long)key, bit))
				return;
	/* The engine's hash does have its key by XOR alone, in which nothing moves apart. */
	REQUIRE(e);
	CHECK(rows_of(e, "SELECT i FROM range(9) AS r(i) WHERE xor(hash(i, 5), hash(i + 1, 5)) "
			 "<> xor(hash(i, 6), hash(i + 1, 6))") == 0);
	CHECK(rows_of(e,
		      "SELECT t.units FROM (SELECT sotto_units(CAST(i AS UBIGINT) << 32, 0, "
		      "1, 0, 1, 1) AS t FROM range(5000) AS r(i)) WHERE t.units = 5000") == 1);
	sotto_embedded_close(e);
}

static void steps_are_those_of_round(void)
{
	struct sotto_embedded *e = open_engine();

	REQUIRE(e && sotto_embedded_execute(e, data) == SOTTO_OK);
	CHECK(difference(
		      e,
		      "SELECT x, greatest(least(sotto_steps(x, 0.5), 1000000), -1000000) FROM "
		      "(SELECT x FROM special UNION ALL SELECT y / 3 FROM data)",
		      "SELECT x, CAST(greatest(least(round(nullif(x, CAST('NaN' AS DOUBLE)) / "
		      "0.5), "
		      "1000000), -1000000) AS BIGINT) FROM (SELECT x FROM special UNION ALL "
		      "SELECT "
		      "y / 3 FROM data)") == 0);
	sotto_embedded_close(e);
}

/* Halves, what is next to them, and the last numbers for which the quick way is taken. */
static void halves_go_away_from_zero(void)
{
	static const char *const steps[] = {"0.5", "1", "0.25", "3", "0.01"};
	struct sotto_embedded *e = open_engine();
	char ours[600], theirs[600];

	REQUIRE(e &&
		sotto_embedded_execute(
			e, "CREATE TABLE halves AS SELECT CAST(i AS DOUBLE) / 8 AS x FROM "
			   "range(-9000, 9000) AS r(i) UNION ALL SELECT * FROM (VALUES "
			   "(0.49999999999999994), (-0.49999999999999994), (-0.0), "
			   "(2251799813685247.5), (-2251799813685247.5), (2251799813685248.0), "
			   "(1125899906842623.5), (-1125899906842623.5), (4503599627370495.5), "
			   "(1125899906842622.5), (1e-300), (-1e-300))") == SOTTO_OK);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		(void)snprintf(ours, sizeof ours,
			       "SELECT x, sotto_steps(x, CAST(%s AS DOUBLE)) FROM halves",
			       steps[i]);
		(void)snprintf(theirs, sizeof theirs,
			       "SELECT x, CAST(round(x / CAST(%s AS DOUBLE)) AS BIGINT) FROM "
			       "halves",
			       steps[i]);
		CHECK_INT(difference(e, ours, theirs), 0);
	}
	sotto_embedded_close(e);
}

/* The quick way multiplies where all steps of a block are one power of two. */
static void steps_may_differ_from_row_to_row(void)
{
	struct sotto_embedded *e = open_engine();

	REQUIRE(e);
	CHECK_INT(difference(e,
			     "SELECT i, sotto_steps(i / 7, CASE WHEN i % 3000 = 2999 THEN 0.25 "
			     "WHEN i > 9000 THEN 0.3 ELSE 0.5 END) FROM range(12000) AS r(i)",
			     "SELECT i, CAST(round((i / 7) / CASE WHEN i % 3000 = 2999 THEN "
			     "CAST(0.25 AS DOUBLE) WHEN i > 9000 THEN 0.3 ELSE 0.5 END) AS "
			     "BIGINT) FROM range(12000) AS r(i)"),
		  0);
	sotto_embedded_close(e);
}

/* As texts: as numbers the two zeros are equal. */
static void there_is_one_zero(void)
{
	static const char *const types[] = {"DOUBLE", "FLOAT"};
	struct sotto_embedded *e = open_engine();
	char ours[600], theirs[600];

	REQUIRE(e);
	for (size_t i = 0; i < 2; i++) {
		char rows[300];

		(void)snprintf(
			rows, sizeof rows,
			"(SELECT i, CAST(CASE i %% 5 WHEN 0 THEN '-0.0' WHEN 1 THEN NULL "
			"WHEN 2 THEN 'nan' WHEN 3 THEN '-inf' ELSE CAST(i / 7 AS TEXT) "
			"END AS %s) AS x FROM range(5000) AS r(i))",
			types[i]);
		(void)snprintf(ours, sizeof ours,
			       "SELECT i, typeof(sotto_one_zero_%d(x)), "
			       "CAST(sotto_one_zero_%d(x) AS TEXT) FROM %s",
			       i ? 4 : 8, i ? 4 : 8, rows);
		(void)snprintf(theirs, sizeof theirs,
			       "SELECT i, '%s', replace(CAST(x AS TEXT), '-0.0', '0.0') FROM "
			       "%s",
			       types[i], rows);
		CHECK_INT(difference(e, ours, theirs), 0);
	}
	sotto_embedded_close(e);
}

static void a_decimal_is_the_number_that_a_cast_makes_of_it(void)
{
	static const char *const types[] = {"4, 1",   "4, 4",   "9, 0",   "9, 3",  "15, 2",
					    "15, 15", "18, 18", "18, 10", "30, 2", "38, 9"};
	struct sotto_embedded *e = open_engine();
	char ours[600], theirs[600];

	REQUIRE(e);
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		static const char from[] =
			"(SELECT TRY_CAST(CASE WHEN i %% 7 > 0 THEN (CAST(hash(i) %% "
			"2000001 AS DOUBLE) - 1e6) / power(10, i %% 9) END AS DECIMAL(%s)) "
			"AS x FROM range(20000) AS r(i))";
		char rows[300];

		(void)snprintf(rows, sizeof rows, from, types[i]);
		(void)snprintf(ours, sizeof ours, "SELECT x, sotto_number(x) FROM %s", rows);
		(void)snprintf(theirs, sizeof theirs, "SELECT x, CAST(x AS DOUBLE) FROM %s",
			       rows);
		CHECK_INT(difference(e, ours, theirs), 0);
	}
	CHECK_INT(
		difference(e,
			   "SELECT i, sotto_number(i), sotto_number(CAST(i AS DOUBLE)), "
			   "sotto_number(CAST(i AS HUGEINT)) FROM range(-99, 99) AS r(i)",
			   "SELECT i, CAST(i AS DOUBLE), CAST(i AS DOUBLE), CAST(i AS DOUBLE) "
			   "FROM range(-99, 99) AS r(i)"),
		0);
	/* More digits than a double has. */
	REQUIRE(sotto_embedded_execute(
			e, "CREATE TABLE digits AS SELECT TRY_CAST(substr(s, 1, 15) || '.' || "
			   "substr(s, 16, 3) AS DECIMAL(18, 3)) AS x FROM (SELECT CAST(hash(i) "
			   ">> 6 AS VARCHAR) AS s FROM range(20000) AS r(i))") == SOTTO_OK);
	CHECK_INT(difference(e, "SELECT x, sotto_number(-x) FROM digits",
			     "SELECT x, CAST(-x AS DOUBLE) FROM digits"),
		  0);
	CHECK_INT(rows_of(e, "SELECT sotto_number('1')"), -1);
	sotto_embedded_close(e);
}

/* With NULLs in some blocks and in others none. */
/* At both ends of 64 bits and of 128, among NULLs. */
static void what_fits_64_bits_is_what_a_cast_takes(void)
{
	static const char rows[] =
		"(SELECT i, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN e WHEN 2 THEN -e WHEN 3 "
		"THEN "
		"e + i // 7 - 200 WHEN 4 THEN 200 - e - i // 7 WHEN 5 THEN e * (i - 2500) ELSE "
		"i "
		"- 2500 END AS x FROM range(5000) AS r(i), (VALUES "
		"(CAST(9223372036854775807 AS HUGEINT)), (9223372036854775808), "
		"(18446744073709551616), (170141183460469231731687303715)) AS t(e))";
	struct sotto_embedded *e = open_engine();
	char ours[1000], theirs[1000];

	REQUIRE(e);
	(void)snprintf(ours, sizeof ours, "SELECT i, x, sotto_whole(x) FROM %s", rows);
	(void)snprintf(theirs, sizeof theirs, "SELECT i, x, TRY_CAST(x AS BIGINT) FROM %s",
		       rows);
	CHECK_INT(difference(e, ours, theirs), 0);
	(void)snprintf(ours, sizeof ours,
		       "SELECT CAST(1 AS BIGINT) AS one FROM %s WHERE sotto_whole(x) IS NULL "
		       "AND x IS NOT NULL",
		       rows);
	CHECK(rows_of(e, ours) > 1000);
	sotto_embedded_close(e);
}

static void sums_around_several_centres_are_those_of_plain_sql(void)
{
	struct sotto_embedded *e = open_engine();

	REQUIRE(e && sotto_embedded_execute(e, data) == SOTTO_OK);
	for (int whole = 0; whole < 2; whole++) {
		const char *y = whole ? "coalesce(y, 3)"
				      : "CASE WHEN i > 9999 THEN y ELSE 5 "
					"END";
		char ours[800], theirs[1200];

		(void)snprintf(ours, sizeof ours,
			       "SELECT k, t.n, t.v0, t.v1, t.v2, t.v3 FROM (SELECT k, "
			       "sotto_rows_4(sotto_task('sum(0, -20, 150, 7, -1) sum(0, -20, "
			       "150, 150, -1) sum(0, -20, 149, 7, -1) sum(0, -20, 150, -20, "
			       "-1)'), %s) AS t FROM data GROUP BY k)",
			       y);
		(void)snprintf(theirs, sizeof theirs,
			       "SELECT k, count(*), CAST(sum(least(y, 150) - 7 + o) AS "
			       "HUGEINT), CAST(sum(least(y, 150) - 150 + o) AS HUGEINT), "
			       "CAST(sum(least(y, 149) - 7 + o) AS HUGEINT), CAST(sum(least(y, "
			       "150) + 20 + o) AS HUGEINT) FROM (SELECT k, CASE WHEN z < -20 "
			       "THEN -20 ELSE z END AS y, y - y AS o FROM (SELECT k, %s AS z "
			       "FROM data)) GROUP BY k",
			       y);
		CHECK_INT(difference(e, ours, theirs), 0);
	}
	sotto_embedded_close(e);
}

/* There are 65535 numbers, and an engine serves any number of statements. */
static void a_statement_leaves_no_task_behind(void)
{
	struct sotto_embedded *e = open_engine();
	char sql[200];

	REQUIRE(e && sotto_embedded_execute(e, data) == SOTTO_OK);
	for (int i = 1; i <= 20; i++) {
		(void)snprintf(sql, sizeof sql,
			       "SELECT CAST(1 AS BIGINT) WHERE sotto_task('keep(%d)') = 1 AND "
			       "sotto_task('keep(99)') = 2 AND sotto_task('keep(%d)') = 1",
			       i, i);
		CHECK_INT(rows_of(e, sql), 1);
		(void)snprintf(sql, sizeof sql,
			       "SELECT t.n FROM (SELECT sotto_pairs_1(sotto_task('keep(%d) "
			       "count(0)'), y) AS t FROM data) WHERE t.v0 = %d",
			       i, i);
		CHECK_INT(rows_of(e, sql), 1);
	}
	sotto_embedded_close(e);
}

static void what_is_no_task_is_refused(void)
{
	static const char *const wrong[] = {"keep(0)",
					    "keep(x)",
					    "keep(5",
					    "sum(0, 5, 4, 0, -1)",
					    "sum(9, 0, 1, 0, -1)",
					    "sum(0, 0, 1, 0, 0)",
					    "read(0)",
					    "note(0, 0, 9223372036854775807)",
					    "count(99999999999999999999)",
					    "square(0, 0, 9000000000, 0, 0, -1)",
					    "count(0) count",
					    "sum(0, 0, 1, 0)"};
	struct sotto_sum_task task;

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (!tap_check(!sotto_sum_task_read(wrong[i], strlen(wrong[i]), &task),
			       __FILE__, __LINE__, "%s", wrong[i]))
			return;
	/* The largest that the planner writes. */
	CHECK(sotto_sum_task_read("square(0, -2147483648, 2147483648, 0, 30, -1)", 45, &task));
	CHECK(sotto_sum_task_read("", 0, &task) && task.value_count == 0);
}

/* An engine that lives long meets more tasks than a list of them takes: 65,535. */
static void an_engine_has_no_last_task(void)
{
	enum { STATEMENTS = 22, TASKS = 3000 };
	struct sotto_embedded *e = open_engine();
	char sql[256];

	REQUIRE(e);
	for (int i = 0; i < STATEMENTS; i++) {
		(void)snprintf(
			sql, sizeof sql,
			"SELECT n FROM (SELECT count(DISTINCT sotto_task('keep(' || i || "
			"')')) AS n FROM range(%d, %d) AS r(i)) WHERE n = %d",
			1 + i * TASKS, 1 + (i + 1) * TASKS, TASKS);
		CHECK(rows_of(e, sql) == 1);
	}
	sotto_embedded_close(e);
}

/* One unit without a group, in every way that rows, bounds and centre can lie. */
static void no_value_is_beyond_keep_times_the_largest_term(void)
{
	static const struct {
		long long keep, lo, hi, centre;
	} cases[] = {{1, 0, 9, 0},       {3, -20, 150, 7}, {3, 5, 5, 0},
		     {2, 10, 20, -30},   {2, 10, 20, 400}, {5, -9, -2, -5},
		     {700, -20, 150, 7}, {1, 0, 0, 0},     {4, -1, 1, 100000},
		     {1000000, 0, 3, 50}};
	struct sotto_embedded *e = open_engine();
	char ours[800], theirs[900], held[120];

	REQUIRE(e && sotto_embedded_execute(e, data) == SOTTO_OK);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		long long m = cases[i].keep, lo = cases[i].lo, hi = cases[i].hi,
			  z = cases[i].centre;

		(void)snprintf(held, sizeof held,
			       "CASE WHEN y > %lld THEN %lld WHEN y < %lld THEN %lld ELSE "
			       "CAST(y AS HUGEINT) END - (%lld)",
			       hi, hi, lo, lo, z);
		(void)snprintf(
			ours, sizeof ours,
			"SELECT u, t.n, t.v0, t.v1, t.v2 FROM (SELECT u, "
			"sotto_pairs_4(sotto_task('sum(0, %lld, %lld, %lld, -1) square(0, "
			"%lld, %lld, %lld, 3, -1) count(0) keep(%lld)'), y) AS t FROM data "
			"GROUP BY u)",
			lo, hi, z, lo, hi, z, m);
		(void)snprintf(
			theirs, sizeof theirs,
			"SELECT u, least(n, %lld), CAST(CASE WHEN n > %lld THEN s * %lld // "
			"n ELSE s END AS BIGINT), CAST(CASE WHEN n > %lld THEN q * %lld // "
			"n ELSE q END AS BIGINT), least(c, %lld) FROM (SELECT u, count(*) "
			"AS n, count(y) AS c, coalesce(CAST(sum(%s) AS HUGEINT), 0) AS s, "
			"coalesce(CAST(sum((%s) * (%s) // 8) AS HUGEINT), 0) AS q FROM "
			"data GROUP BY u)",
			m, m, m, m, m, m, held, held, held);
		CHECK(difference(e, ours, theirs) == 0);
	}
	sotto_embedded_close(e);
}

/* Rows are counted modulo 2^47.  A pair with more of them is made by hand: what it keeps is
 * wrong, and within the bound. */
static void too_many_rows_stay_within_the_bound(void)
{
	static const char text[] =
		"sum(0, -2, 9, 1, -1) square(0, -2, 9, 1, 1, -1) count(0) keep(3)";
	union {
		struct sotto_pair_state state;
		int64_t words[4];
	} more = {.words = {0, 0, 0, 0}};
	const int64_t sums[][2] = {{INT64_MAX, 24}, {-INT64_MAX, -24}, {25, 24}, {-24, -24}};
	struct sotto_sum_task task;

	REQUIRE(sotto_sum_task_read(text, sizeof text - 1, &task));
	more.state.head = (UINT64_MAX << SOTTO_PAIR_ROWS_SHIFT) + 3 * SOTTO_PAIR_ONE_ROW;
	CHECK(sotto_pair_rows(&more.state) == 2);
	for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
		more.words[1] = sums[i][0];
		CHECK(sotto_pair_kept(&task, &more.state, 0) == sums[i][1]);
	}
	more.words[2] = INT64_MAX;
	CHECK(sotto_pair_kept(&task, &more.state, 1) == 3 * 32);
	more.words[3] = INT64_MAX;
	CHECK(sotto_pair_kept(&task, &more.state, 2) == 3);
}

int main(void)
{
	RUN(sums_of_rows_are_those_of_plain_sql);
	RUN(a_unit_is_held_to_its_rows);
	RUN(losses_of_units_are_those_of_plain_sql);
	RUN(losses_of_parts_add_up);
	RUN(losses_within_groups_are_those_over_all);
	RUN(units_are_told_apart_by_number);
	RUN(units_that_were_chosen_alike_lie_apart);
	RUN(steps_are_those_of_round);
	RUN(halves_go_away_from_zero);
	RUN(steps_may_differ_from_row_to_row);
	RUN(there_is_one_zero);
	RUN(a_decimal_is_the_number_that_a_cast_makes_of_it);
	RUN(what_fits_64_bits_is_what_a_cast_takes);
	RUN(sums_around_several_centres_are_those_of_plain_sql);
	RUN(a_statement_leaves_no_task_behind);
	RUN(what_is_no_task_is_refused);
	RUN(an_engine_has_no_last_task);
	RUN(no_value_is_beyond_keep_times_the_largest_term);
	RUN(too_many_rows_stay_within_the_bound);
	return tap_done();
}
