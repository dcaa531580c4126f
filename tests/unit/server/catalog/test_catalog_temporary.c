/*
 * Temporary files of the catalog's engine: a sort and tables that do not fit into its caches give
 * what they give elsewhere; past the limit they fail; all memory is given back; no file is opened.
 */
#include "server/catalog/catalog_temporary.h"

#include <stdio.h>
#include <string.h>

#include "testlib/tap.h"

enum { BYTES = 32 << 20 };

/* Rows of about 1 kB in an order that is not theirs. */
#define ROWS(n)                                                                                \
	"WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < " #n         \
	" - 1), t AS MATERIALIZED (SELECT n, hex(zeroblob(500)) || printf('%06d', n * 7919 "   \
	"% " #n ") AS x FROM r) "

static sqlite3 *open_engine(struct sotto_catalog_temporary *t, const char *path)
{
	sqlite3 *db = NULL;

	if (sotto_catalog_temporary_init(t, BYTES) != SOTTO_OK)
		return NULL;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, t->name) ==
	    SQLITE_OK)
		return db;
	sqlite3_close(db);
	return NULL;
}

/* The first value of the first row, or the number of the failure. */
static int ask(sqlite3 *db, const char *sql, sqlite3_int64 *out)
{
	sqlite3_stmt *q = NULL;
	int step = sqlite3_prepare_v2(db, sql, -1, &q, NULL);

	if (step == SQLITE_OK)
		step = sqlite3_step(q);
	if (step == SQLITE_ROW)
		*out = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return step;
}

/* A window numbers sorted rows: each is at the place that its last digits say. */
static const char sorted[] = ROWS(
	4001) "SELECT count(*) FROM (SELECT x, row_number() OVER (ORDER BY x) AS k FROM t) "
	      "WHERE CAST(substr(x, 1001) AS INTEGER) = k - 1";
static const char joined[] =
	ROWS(4001) "SELECT count(*) FROM t a JOIN t b ON a.x = b.x WHERE a.n = b.n";
static const char large[] = ROWS(
	99991) "SELECT count(*) FROM (SELECT x, row_number() OVER (ORDER BY x) AS k FROM t)";

static void what_does_not_fit_into_caches_is_right(void)
{
	struct sotto_catalog_temporary t;
	sqlite3 *db = open_engine(&t, ":memory:");
	sqlite3_int64 n = 0;

	REQUIRE(db);
	CHECK_INT(ask(db, sorted, &n), SQLITE_ROW);
	CHECK_INT(n, 4001);
	CHECK_INT(ask(db, joined, &n), SQLITE_ROW);
	CHECK_INT(n, 4001);
	CHECK_INT(t.left, BYTES);
	sqlite3_close(db);
	sotto_catalog_temporary_release(&t);
	CHECK(!sqlite3_vfs_find(t.name));
}

static void past_the_limit_a_question_fails_and_the_next_does_not(void)
{
	struct sotto_catalog_temporary t, u;
	sqlite3 *db = open_engine(&t, ":memory:"), *other = open_engine(&u, ":memory:");
	sqlite3_int64 n = 0;

	REQUIRE(db && other);
	CHECK_INT(ask(db, large, &n), SQLITE_FULL);
	CHECK_INT(t.left, BYTES);
	CHECK_INT(u.left, BYTES);
	CHECK_INT(ask(db, sorted, &n), SQLITE_ROW);
	CHECK_INT(n, 4001);
	sqlite3_close(db);
	sqlite3_close(other);
	sotto_catalog_temporary_release(&t);
	sotto_catalog_temporary_release(&u);
}

static void a_file_that_has_a_name_is_not_opened(void)
{
	struct sotto_catalog_temporary t;
	sqlite3 *db = open_engine(&t, "/tmp/sotto-no-such-file.db");
	sqlite3_int64 n = 0;

	CHECK(!db || ask(db, "SELECT count(*) FROM sqlite_master", &n) == SQLITE_CANTOPEN);
	sqlite3_close(db);
	sotto_catalog_temporary_release(&t);
	sotto_catalog_temporary_release(&t);
}

int main(void)
{
	RUN(what_does_not_fit_into_caches_is_right);
	RUN(past_the_limit_a_question_fails_and_the_next_does_not);
	RUN(a_file_that_has_a_name_is_not_opened);
	return tap_done();
}
