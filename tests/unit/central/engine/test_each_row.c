/*
 * The engine has a function of a dictionary alone, as long as the dictionary is short enough: one
 * value more, in one row, and the function is computed for all rows.  It computes a function once for
 * rows that are all alike, and not at all where a file says that no row meets what stands beside it.
 * Texts that sotto_each gives, and values of the view in the schema each, are computed with for each
 * row, whatever they came from.
 *
 * Seen to fail: without sotto_each, or where it is not volatile, the two counts of calls differ; the
 * same without LEAST or COALESCE in the view, or where sotto_row is not volatile.
 */
#include <stdio.h>

#include "central/engine/duckdb_library.h"
#include "central/engine/sum/bounded_sum.h"
#include "central/session/session_source.h"
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

/* ---- the view ------------------------------------------------------------------------------- */

/* A table that is read in both schemas. */
static bool define(struct engine *e, const char *definition, const char *type)
{
	struct sotto_policy_table policy = {.name = "t", .unit = "id"};
	struct sotto_schema_column columns[] = {{.name = "id"}, {.name = "x"}};
	struct sotto_schema_table t = {.policy = &policy,
				       .scan = "source.\"t\"",
				       .columns = columns,
				       .column_count = 2};
	struct sotto_arena arena;
	const char *sql;
	bool good;

	sotto_arena_init(&arena, 1 << 20);
	sotto_schema_column_type(&columns[0], "BIGINT");
	sotto_schema_column_type(&columns[1], type);
	columns[0].engine_type = "BIGINT";
	columns[1].engine_type = type;
	sql = sotto_source_view_sql(&arena, &t, definition, NULL);
	good = sql && run(e, sql);
	sotto_arena_release(&arena);
	return good;
}

static size_t calls_for(struct engine *e, const char *schema, const char *condition)
{
	char sql[400];

	calls = 0;
	(void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s.t WHERE %s", schema,
		       condition);
	return run(e, sql) ? calls : 0;
}

/* Where so many different values are in a file, or all rows of a database's table are alike. */
static bool
write_values(struct engine *e, const char *value, int different, bool in_file, char *definition)
{
	char path[FOLDER_PATH_MAX], sql[FOLDER_PATH_MAX + 400];

	folder_file(&e->folder, in_file ? "values.parquet" : "values.duckdb", path);
	if (!in_file)
		(void)snprintf(sql, sizeof sql,
			       "ATTACH IF NOT EXISTS '%s' AS d; CREATE OR REPLACE TABLE d.v AS "
			       "SELECT i AS id, %s AS x FROM (SELECT i, i %% %d AS n FROM "
			       "range(%d) AS r(i)); CHECKPOINT d",
			       path, value, different, ROWS);
	else
		(void)snprintf(sql, sizeof sql,
			       "COPY (SELECT i AS id, %s AS x FROM (SELECT i, i %% %d AS n "
			       "FROM range(%d) AS r(i))) TO '%s' (FORMAT parquet)",
			       value, different, ROWS, path);
	(void)snprintf(definition, FOLDER_PATH_MAX + 40, in_file ? "'%s'" : "d.v", path);
	return run(e, sql);
}

static const struct {
	const char *type, *value;
} kinds[] = {{"BIGINT", "CAST(n AS BIGINT)"},
	     {"INTEGER", "CAST(n AS INTEGER)"},
	     {"DOUBLE", "CAST(n AS DOUBLE)"},
	     {"DECIMAL(30,2)", "CAST(n AS DECIMAL(30,2))"},
	     {"DATE", "DATE '1950-01-01' + CAST(n AS INTEGER)"},
	     {"TIMESTAMP", "TIMESTAMP '1950-01-01' + to_days(CAST(n AS INTEGER))"},
	     {"VARCHAR", "'a text of number ' || n"}};

/* With a value of each row as emit.c writes it where it takes long. */
#define EACH "counted(CAST(CASE WHEN sotto_row() THEN x END AS VARCHAR))"

static void the_view_has_a_value_for_each_row(void)
{
	static const struct {
		int different;
		bool in_file;
	} data[] = {{SHORT, true}, {LONG, true}, {1, false}, {2, false}};
	char definition[FOLDER_PATH_MAX + 40];
	size_t fewer = 0;
	struct engine e;

	REQUIRE(open_engine(&e));
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		for (size_t k = 0; k < sizeof data / sizeof data[0]; k++) {
			REQUIRE(write_values(&e, kinds[i].value, data[k].different,
					     data[k].in_file, definition) &&
				define(&e, definition, kinds[i].type));
			fewer += calls_for(&e, "source", "counted(CAST(x AS VARCHAR)) > 2") <
				 ROWS;
			CHECK_INT(calls_for(&e, "each", EACH " > 2"), ROWS);
			CHECK_INT(calls_for(&e, "each", EACH " > id"), ROWS);
			CHECK(run(&e, "SELECT CASE WHEN vector_type(x) <> 'FLAT_VECTOR' THEN "
				      "error('alike') END FROM each.t"));
			CHECK_INT(calls_for(&e, "each", "counted(CAST(x AS VARCHAR)) > id"),
				  ROWS); /* as in GROUP BY */
		}
	CHECK(fewer > 0); /* or there is no need */
	close_engine(&e);
}

/* That no row has more, or that none is NULL, stands in the file. */
static void the_view_knows_nothing_of_what_a_file_says(void)
{
	char definition[FOLDER_PATH_MAX + 40];
	struct engine e;

	REQUIRE(open_engine(&e));
	REQUIRE(write_values(&e, kinds[0].value, LONG, true, definition) &&
		define(&e, definition, kinds[0].type));
	CHECK_INT(calls_for(&e, "source", "(x > 99999 AND " EACH " > 2) IS NULL"), 0);
	CHECK_INT(calls_for(&e, "each", "(x > 99999 AND " EACH " > 2) IS NULL"), ROWS);
	CHECK_INT(calls_for(&e, "source", "(x IS NULL AND " EACH " > 2) IS NULL"), 0);
	CHECK_INT(calls_for(&e, "each", "(x IS NULL AND " EACH " > 2) IS NULL"), ROWS);
	close_engine(&e);
}

static void the_view_has_the_same_values(void)
{
	static const struct {
		const char *type, *values;
	} columns[] = {
		{"BIGINT", "(-9223372036854775808), (9223372036854775807), (NULL), (0)"},
		{"DOUBLE", "('NaN'), ('-inf'), ('inf'), (NULL), ('-0.0'), ('1e-320')"},
		{"BOOLEAN", "(TRUE), (FALSE), (NULL)"},
		{"DATE", "('infinity'), ('-infinity'), (NULL), ('2000-02-29')"},
		{"TIMESTAMP", "('infinity'), ('-infinity'), (NULL), ('2000-02-29')"},
		{"DECIMAL(38,3)", "(-1.5), (NULL), (12345678901234567890.123)"},
		{"UUID", "('00000000-0000-0000-0000-000000000001'), (NULL)"},
		{"TIME", "('23:59:59.999'), (NULL)"},
		{"VARCHAR", "(''), (NULL), ('A'), ('a'), ('é'), ('a' || chr(0) || 'b')"}};
	struct engine e;

	REQUIRE(open_engine(&e));
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		char sql[600];

		(void)snprintf(
			sql, sizeof sql,
			"CREATE OR REPLACE TABLE o AS SELECT row_number() OVER () AS id, "
			"CAST(x AS %s) AS x FROM (VALUES %s) AS v(x)",
			columns[i].type, columns[i].values);
		REQUIRE(run(&e, sql) && define(&e, "o", columns[i].type));
		CHECK(run(&e, "SELECT CASE WHEN count(*) > 0 THEN error('another value') END "
			      "FROM source.t AS s JOIN each.t AS e ON s.id = e.id WHERE "
			      "CAST(s.x AS VARCHAR) IS DISTINCT FROM CAST(e.x AS VARCHAR) OR "
			      "typeof(s.x) <> typeof(e.x)"));
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
	RUN(the_view_has_a_value_for_each_row);
	RUN(the_view_knows_nothing_of_what_a_file_says);
	RUN(the_view_has_the_same_values);
	return tap_done();
}
