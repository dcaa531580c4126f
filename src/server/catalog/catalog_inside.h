/*
 * catalog_inside.h - translates questions about the catalog from PostgreSQL's SQL to SQLite's
 *
 * A question is parsed into PostgreSQL's syntax tree and printed node by node.  A node without a
 * printer is refused, so only SELECTs over tables of the catalog, with functions from a fixed
 * list, ever reach SQLite.
 */
#ifndef SOTTO_CATALOG_INSIDE_H
#define SOTTO_CATALOG_INSIDE_H

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "central/parse/parse.h"
#include "central/parse/pg_node.h"
#include "core/base/buffer.h"
#include "sotto/status.h"

/* OIDs of PostgreSQL's types. */
enum sotto_pg_type {
	SOTTO_PG_ANY = 0, /* cannot be told from the question alone */
	SOTTO_PG_BOOL = 16,
	SOTTO_PG_CHAR = 18,
	SOTTO_PG_NAME = 19,
	SOTTO_PG_INT8 = 20,
	SOTTO_PG_INT2 = 21,
	SOTTO_PG_INT4 = 23,
	SOTTO_PG_REGPROC = 24,
	SOTTO_PG_TEXT = 25,
	SOTTO_PG_OID = 26,
	SOTTO_PG_FLOAT4 = 700,
	SOTTO_PG_FLOAT8 = 701,
	SOTTO_PG_UNKNOWN = 705,
	SOTTO_PG_TEXT_ARRAY = 1009,
	SOTTO_PG_BPCHAR = 1042,
	SOTTO_PG_VARCHAR = 1043,
	SOTTO_PG_DATE = 1082,
	SOTTO_PG_TIMESTAMP = 1114,
	SOTTO_PG_TIMESTAMPTZ = 1184,
	SOTTO_PG_NUMERIC = 1700,
	SOTTO_PG_REGCLASS = 2205,
	SOTTO_PG_REGTYPE = 2206,
	SOTTO_PG_REGNAMESPACE = 4089,
};

struct sotto_catalog_printer {
	struct sotto_buffer *out;
	enum sotto_status status; /* the first failure; nothing is printed after it */
	struct sotto_error *err;
	struct sotto_sql_parser *parser; /* reads the numbers in the question's text */
	const json_t *ctes[32]; /* the WITH lists in scope */
	size_t cte_count;
	int depth;
};

/* Prints a SELECT.  Columns of the outermost one are shown: regclass and the like become names. */
void sotto_catalog_print_select(struct sotto_catalog_printer *p, const json_t *select,
				bool is_outermost);

/* ---- for the files of the printer ------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) void
sotto_catalog_put(struct sotto_catalog_printer *p, const char *format, ...);
void sotto_catalog_put_name(struct sotto_catalog_printer *p, const char *name);
void sotto_catalog_put_text(struct sotto_catalog_printer *p, const char *text);
void sotto_catalog_refuse(struct sotto_catalog_printer *p, const char *what);

/* Print an expression; expressions separated by commas; the list of an ORDER BY. */
void sotto_catalog_print_expr(struct sotto_catalog_printer *p, const json_t *node);
void sotto_catalog_print_list(struct sotto_catalog_printer *p, const json_t *list);
void sotto_catalog_print_orders(struct sotto_catalog_printer *p, const json_t *list);

/* The type of an expression, as far as its form shows it. */
enum sotto_pg_type sotto_catalog_type_of(const json_t *node);

/* The name that PostgreSQL gives a column without an alias. */
const char *sotto_catalog_column_name(const json_t *node);

/* One printer for each kind of expression; body is the member of its name in PostgreSQL's tree. */
void sotto_catalog_print_cast(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_operator(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_bool(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_null_test(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_truth_test(struct sotto_catalog_printer *p, const json_t *body);

/* Prints a FROM clause. */
void sotto_catalog_print_from(struct sotto_catalog_printer *p, const json_t *list);

/* SQLite's name and the result type of a known function; NULL if there is no such function. */
const char *sotto_catalog_function(const char *name, enum sotto_pg_type *type);

/* Is this a table of the catalog?  schema may be "". */
bool sotto_catalog_has(const char *schema, const char *name);

/* ---- tables and functions of the catalog ---------------------------------------------------- */

struct sotto_catalog_who;
struct sotto_session;

struct sotto_catalog_table {
	const char *schema, *name, *columns;
};

/* Ends with an entry whose name is NULL. */
extern const struct sotto_catalog_table sotto_catalog_tables[];

/* Creates all tables, and fills the ones that describe the policy's tables. */
SOTTO_MUST_CHECK enum sotto_status sotto_catalog_fill(sqlite3 *db, struct sotto_session *s,
						      const struct sotto_catalog_who *who,
						      struct sotto_error *err);

/* Registers the known functions with SQLite; who is borrowed. */
SOTTO_MUST_CHECK enum sotto_status
sotto_catalog_add_functions(sqlite3 *db, const struct sotto_catalog_who *who);
SOTTO_MUST_CHECK enum sotto_status sotto_catalog_add_array_functions(sqlite3 *db);

/* text ~ pattern and text LIKE pattern; a third argument says whether case is ignored. */
void sotto_catalog_match(sqlite3_context *c, int n, sqlite3_value **v);
void sotto_catalog_like(sqlite3_context *c, int n, sqlite3_value **v);

/* quote_ident, concat and format. */
void sotto_catalog_quote_name(sqlite3_context *c, int n, sqlite3_value **v);
void sotto_catalog_concat(sqlite3_context *c, int n, sqlite3_value **v);
void sotto_catalog_format(sqlite3_context *c, int n, sqlite3_value **v);

#endif
