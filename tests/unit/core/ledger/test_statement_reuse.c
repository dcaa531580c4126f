/* Statements that are kept: one at a time has a text, and nothing of the last use stays in it. */
#include "core/ledger/store/statement_reuse.h"
#include "testlib/tap.h"

static sqlite3 *numbers(void)
{
	sqlite3 *db = NULL;

	CHECK_INT(sqlite3_open(":memory:", &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db,
			       "CREATE TABLE n(x INTEGER UNIQUE);"
			       "INSERT INTO n VALUES (1), (2), (3)",
			       NULL, NULL, NULL),
		  SQLITE_OK);
	return db;
}

static int count_statements(sqlite3 *db)
{
	int count = 0;

	for (sqlite3_stmt *q = sqlite3_next_stmt(db, NULL); q; q = sqlite3_next_stmt(db, q))
		count++;
	return count;
}

static sqlite3_stmt *take(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q = NULL;

	CHECK_INT(sotto_statement_reuse(db, sql, &q), SQLITE_OK);
	return q;
}

static void a_text_is_prepared_once(void)
{
	sqlite3 *db = numbers();

	for (int i = 0; i < 100; i++) {
		sqlite3_stmt *q = take(db, "SELECT count(*) FROM n");

		CHECK_INT(sqlite3_step(q), SQLITE_ROW);
		CHECK_INT(sqlite3_column_int(q, 0), 3);
		CHECK_INT(sotto_statement_end(q), SQLITE_OK);
	}
	CHECK_INT(count_statements(db), 1);
	sotto_statement_close(db);
}

/* A visitor of rows may ask the same again while the rows go on. */
static void a_use_inside_another_disturbs_nothing(void)
{
	static const char sql[] = "SELECT x FROM n ORDER BY x";
	sqlite3 *db = numbers();
	sqlite3_stmt *outer = take(db, sql);
	int pairs = 0;

	while (sqlite3_step(outer) == SQLITE_ROW) {
		sqlite3_stmt *inner = take(db, sql);

		CHECK(inner != outer);
		while (sqlite3_step(inner) == SQLITE_ROW)
			pairs++;
		CHECK_INT(sotto_statement_end(inner), SQLITE_OK);
	}
	CHECK_INT(sotto_statement_end(outer), SQLITE_OK);
	CHECK_INT(pairs, 9);
	CHECK_INT(count_statements(db), 2);
	sotto_statement_close(db);
}

static void no_value_stays_bound(void)
{
	sqlite3 *db = numbers();

	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *q = take(db, "SELECT ?1");

		CHECK_INT(sqlite3_bind_null(q, 2), SQLITE_RANGE);
		if (i == 0)
			CHECK_INT(sqlite3_bind_int(q, 1, 7), SQLITE_OK);
		CHECK_INT(sqlite3_step(q), SQLITE_ROW);
		CHECK_INT(sqlite3_column_type(q, 0), i == 0 ? SQLITE_INTEGER : SQLITE_NULL);
		CHECK_INT(sotto_statement_end(q), SQLITE_OK);
	}
	sotto_statement_close(db);
}

static void the_end_says_what_failed_and_the_next_use_works(void)
{
	sqlite3 *db = numbers();

	for (int x = 3; x <= 4; x++) {
		sqlite3_stmt *q = take(db, "INSERT INTO n VALUES (?1)");

		CHECK_INT(sqlite3_bind_int(q, 1, x), SQLITE_OK);
		(void)sqlite3_step(q);
		CHECK_INT(sotto_statement_end(q) & 0xff,
			  x == 3 ? SQLITE_CONSTRAINT : SQLITE_OK);
	}
	CHECK_INT(sotto_statement_end(NULL), SQLITE_OK);
	CHECK_INT(count_statements(db), 1);
	sotto_statement_close(db);
	sotto_statement_close(NULL);
}

int main(void)
{
	RUN(a_text_is_prepared_once);
	RUN(a_use_inside_another_disturbs_nothing);
	RUN(no_value_stays_bound);
	RUN(the_end_says_what_failed_and_the_next_use_works);
	return tap_done();
}
