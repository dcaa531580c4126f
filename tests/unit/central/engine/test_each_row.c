/*
 * The engine has a function of a dictionary of texts alone, as long as the dictionary is short enough:
 * one text more, in one row, and the function is computed for all rows.  Texts that sotto_each gives
 * are computed with for each row, whatever dictionary they came from.
 *
 * Seen to fail: without sotto_each, or where it is not volatile, the two counts of calls differ.
 */
#include <stdio.h>

#include "central/engine/duckdb_library.h"
#include "central/engine/sum/bounded_sum.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { ROWS = 122880, SHORT = 1000, LONG = 30000 };

struct engine {
	struct sotto_duckdb api;
	duckdb_database database;
	duckdb_connection connection;
	struct sotto_sum_functions sums;
	struct folder folder;
};

static struct sotto_duckdb *library;
static size_t calls;

/* The length of a text, and one call more for each that is asked for. */
static void counted(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	duckdb_vector of = library->duckdb_data_chunk_get_vector(input, 0);
	duckdb_string_t *texts = library->duckdb_vector_get_data(of);
	size_t count = library->duckdb_data_chunk_get_size(input);
	int32_t *out = library->duckdb_vector_get_data(output);

	(void)info;
	for (size_t i = 0; i < count; i++)
		out[i] = (int32_t)library->duckdb_string_t_length(texts[i]);
	calls += count;
}

static bool run(struct engine *e, const char *sql)
{
	duckdb_result result;
	bool good = e->api.duckdb_query(e->connection, sql, &result) == DuckDBSuccess;

	if (!good)
		tap_note("%s: %s", sql, e->api.duckdb_result_error(&result));
	e->api.duckdb_destroy_result(&result);
	return good;
}

static bool register_counted(struct engine *e)
{
	struct sotto_sum_function f = {.api = &e->api};
	const struct sotto_scalar s = {.name = "counted",
				       .parameters = {DUCKDB_TYPE_VARCHAR},
				       .result = DUCKDB_TYPE_INTEGER,
				       .count = 1,
				       .function = counted};

	return sotto_scalar_register(&s, &f, e->connection) == SOTTO_OK;
}

static bool open_engine(struct engine *e)
{
	struct sotto_error err = {""};

	*e = (struct engine){0};
	folder_open(&e->folder);
	if (sotto_duckdb_load(&e->api, &err) != SOTTO_OK ||
	    e->api.duckdb_open_ext(NULL, &e->database, NULL, NULL) == DuckDBError ||
	    e->api.duckdb_connect(e->database, &e->connection) == DuckDBError)
		return false;
	library = &e->api;
	return sotto_sums_register(&e->api, e->connection, &e->sums) == SOTTO_OK &&
	       register_counted(e) && run(e, "SET threads = 1");
}

static void close_engine(struct engine *e)
{
	if (e->connection)
		e->api.duckdb_disconnect(&e->connection);
	if (e->database)
		e->api.duckdb_close(&e->database);
	sotto_sums_release(&e->sums);
	folder_close(&e->folder);
}

/* How often the function is called where so many different texts are in the file. */
static size_t calls_of(struct engine *e, const char *text, int different, const char *beside)
{
	char path[FOLDER_PATH_MAX], sql[FOLDER_PATH_MAX + 400];

	folder_file(&e->folder, "texts.parquet", path);
	(void)snprintf(sql, sizeof sql,
		       "COPY (SELECT i AS id, 'a text of number ' || (i %% %d) AS x FROM "
		       "range(%d) AS r(i)) TO '%s' (FORMAT parquet)",
		       different, ROWS, path);
	if (!run(e, sql))
		return 0;
	calls = 0;
	(void)snprintf(
		sql, sizeof sql,
		"SELECT count(*) FROM (SELECT id, CASE WHEN strlen(x) <= 100 THEN x ELSE "
		"left(x, 100) END AS x FROM '%s') AS t WHERE counted(%s) > %s",
		path, text, beside);
	return run(e, sql) ? calls : 0;
}

static void what_is_called_for_each_row_knows_no_dictionary(void)
{
	static const char *const beside[] = {"7",
					     "id"}; /* in the file's reader, and above it */
	struct engine e;

	REQUIRE(open_engine(&e));
	for (size_t i = 0; i < 2; i++) {
		CHECK(calls_of(&e, "x", SHORT, beside[i]) < ROWS); /* or there is no need */
		CHECK_INT(calls_of(&e, "x", LONG, beside[i]), ROWS);
		CHECK_INT(calls_of(&e, "sotto_each(x)", SHORT, beside[i]), ROWS);
		CHECK_INT(calls_of(&e, "sotto_each(x)", LONG, beside[i]), ROWS);
	}
	close_engine(&e);
}

static void the_texts_are_the_same(void)
{
	struct engine e;

	REQUIRE(open_engine(&e));
	CHECK(run(&e, "CREATE TABLE t AS SELECT CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' "
		      "WHEN 2 THEN repeat('é', i) WHEN 3 THEN 'a' || chr(0) || 'b' ELSE "
		      "'short' END AS x FROM range(5000) AS r(i)"));
	CHECK(run(&e, "SELECT CASE WHEN count(*) > 0 THEN error('another text') END FROM t "
		      "WHERE sotto_each(x) IS DISTINCT FROM x"));
	CHECK(run(&e,
		  "SELECT CASE WHEN sotto_each(NULL) IS NOT NULL THEN error('a text') END"));
	close_engine(&e);
}

int main(void)
{
	RUN(what_is_called_for_each_row_knows_no_dictionary);
	RUN(the_texts_are_the_same);
	return tap_done();
}
