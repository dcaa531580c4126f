/*
 * catalog_inside.h - a question about the catalog, in PostgreSQL's SQL, as SQL of SQLite
 *
 * The question is PostgreSQL's syntax tree; it is printed node by node.  What has no line
 * here is refused: only tables of the catalog, only functions of the list, nothing but
 * SELECT ever reaches the engine.
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

/* Numbers of PostgreSQL's types. */
enum sotto_pg_type {
	SOTTO_PG_ANY = 0, /* not known from the question alone */
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
	struct sotto_sql_parser *parser; /* for numbers, which it reads from the text */
	const json_t *ctes[32]; /* WITH lists around here */
	size_t cte_count;
	int depth;
};

/* A SELECT; outermost: its columns are shown, so that regclass and the like are names. */
void sotto_catalog_print_select(struct sotto_catalog_printer *p, const json_t *select,
				bool is_outermost);

/* ---- for the files of the printer ------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) void
sotto_catalog_put(struct sotto_catalog_printer *p, const char *format, ...);
void sotto_catalog_put_name(struct sotto_catalog_printer *p, const char *name);
void sotto_catalog_put_text(struct sotto_catalog_printer *p, const char *text);
void sotto_catalog_refuse(struct sotto_catalog_printer *p, const char *what);

/* An expression; a list of them with commas. */
void sotto_catalog_print_expr(struct sotto_catalog_printer *p, const json_t *node);
void sotto_catalog_print_list(struct sotto_catalog_printer *p, const json_t *list);
void sotto_catalog_print_orders(struct sotto_catalog_printer *p, const json_t *list);

/* The type that the form of an expression tells. */
enum sotto_pg_type sotto_catalog_type_of(const json_t *node);

/* What PostgreSQL calls a column that has no name. */
const char *sotto_catalog_column_name(const json_t *node);

/* One kind of expression each: what stands under its name in PostgreSQL's tree. */
void sotto_catalog_print_cast(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_operator(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_bool(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_null_test(struct sotto_catalog_printer *p, const json_t *body);
void sotto_catalog_print_truth_test(struct sotto_catalog_printer *p, const json_t *body);

/* FROM. */
void sotto_catalog_print_from(struct sotto_catalog_printer *p, const json_t *list);

/* A function of the list: what SQLite calls it and what it gives; NULL: there is none. */
const char *sotto_catalog_function(const char *name, enum sotto_pg_type *type);

/* Is it a table of the catalog?  schema may be "". */
bool sotto_catalog_has(const char *schema, const char *name);

/* ---- its tables and functions ----------------------------------------------------------------- */

struct sotto_catalog_who;
struct sotto_session;

struct sotto_catalog_table {
	const char *schema, *name, *columns;
};

/* Ends with a NULL. */
extern const struct sotto_catalog_table sotto_catalog_tables[];

/* Makes all of them, and fills those that tell of the policy's tables. */
SOTTO_MUST_CHECK enum sotto_status sotto_catalog_fill(sqlite3 *db, struct sotto_session *s,
						      const struct sotto_catalog_who *who,
						      struct sotto_error *err);

/* Registers the functions of the list; who is kept. */
SOTTO_MUST_CHECK enum sotto_status
sotto_catalog_add_functions(sqlite3 *db, const struct sotto_catalog_who *who);
SOTTO_MUST_CHECK enum sotto_status sotto_catalog_add_array_functions(sqlite3 *db);

/* text ~ pattern and text LIKE pattern, each with whether letters are folded. */
void sotto_catalog_match(sqlite3_context *c, int n, sqlite3_value **v);
void sotto_catalog_like(sqlite3_context *c, int n, sqlite3_value **v);

/* quote_ident, concat and format. */
void sotto_catalog_quote_name(sqlite3_context *c, int n, sqlite3_value **v);
void sotto_catalog_concat(sqlite3_context *c, int n, sqlite3_value **v);
void sotto_catalog_format(sqlite3_context *c, int n, sqlite3_value **v);

#endif
