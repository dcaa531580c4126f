/*
 * Questions about the catalog: no crash; and what is printed for SQLite is one statement that
 * only reads.
 */
#include "fuzz.h"

#include <jansson.h>
#include <pg_query.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "server/catalog/catalog.h"
#include "server/catalog/catalog_inside.h"

static json_t *parse(const char *sql)
{
	PgQueryParseResult result = pg_query_parse(sql);
	json_t *root = result.error ? NULL : json_loads(result.parse_tree, 0, NULL);

	pg_query_free_parse_result(result);
	return root;
}

/* Tables and functions are not there, so that most is not understood; what is, only reads. */
static void check(const char *sql)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db = NULL;
	const char *rest = "";

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		abort();
	if (sqlite3_prepare_v2(db, sql, -1, &q, &rest) == SQLITE_OK && q &&
	    (!sqlite3_stmt_readonly(q) || *rest))
		abort();
	sqlite3_finalize(q);
	sqlite3_close(db);
}

static void print(const char *sql, const json_t *select)
{
	struct sotto_error err = {""};
	struct sotto_sql_parser parser = {.text = sql, .err = &err};
	struct sotto_buffer out;
	struct sotto_catalog_printer p = {
		.out = &out, .status = SOTTO_OK, .err = &err, .parser = &parser};

	sotto_buffer_init(&out, 1 << 20);
	sotto_catalog_print_select(&p, select, true);
	if (p.status == SOTTO_OK)
		check(sotto_buffer_text(&out));
	sotto_buffer_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *sql = malloc(size + 1);
	json_t *root;

	if (!sql)
		return 0;
	if (size)
		memcpy(sql, data, size);
	sql[size] = '\0';
	(void)sotto_catalog_about(sql);
	root = parse(sql);
	if (root) {
		const json_t *first = json_object_get(
			json_array_get(json_object_get(root, "stmts"), 0), "stmt");

		if (json_object_get(first, "SelectStmt"))
			print(sql, json_object_get(first, "SelectStmt"));
	}
	json_decref(root);
	free(sql);
	return 0;
}
