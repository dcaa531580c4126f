/*
 * catalog_fill.h - fills the catalog of one policy: its tables and columns, PostgreSQL's
 * types, and a few settings
 */
#ifndef SOTTO_CATALOG_FILL_H
#define SOTTO_CATALOG_FILL_H

#include "server/catalog/catalog.h"
#include "server/catalog/catalog_inside.h"

enum {
	SOTTO_OID_PG_CATALOG = 11,
	SOTTO_OID_PUBLIC = 2200,
	SOTTO_OID_INFORMATION_SCHEMA = 13000,
	SOTTO_OID_FIRST_TABLE = 16384,
	SOTTO_OID_FIRST_SYSTEM_TABLE = 12000,
	SOTTO_OID_OWNER = 10,
	SOTTO_OID_HEAP = 2,
};

struct sotto_catalog_filler {
	sqlite3 *db;
	const struct sotto_catalog_who *who;
	enum sotto_status status;
};

/* Runs a statement with bound values: kinds has 'i' for an int64_t, 't' for a text or NULL. */
void sotto_catalog_insert(struct sotto_catalog_filler *f, const char *sql, const char *kinds,
			  ...);

/* Adds a row to pg_class; kind is "r" for a table, "v" for a view. */
void sotto_catalog_fill_class(struct sotto_catalog_filler *f, int64_t oid, const char *name,
			      int64_t space, int64_t columns, const char *kind);

/* PostgreSQL's name for a type (int8 if is_short, else bigint), and its size; -1: it varies. */
const char *sotto_catalog_type_name(int64_t oid, bool is_short);
int64_t sotto_catalog_type_length(int64_t oid);

/* Adds what every PostgreSQL database has. */
void sotto_catalog_fill_system(struct sotto_catalog_filler *f);

/* Adds the tables of the policy.  The caller holds the session's lock. */
SOTTO_MUST_CHECK enum sotto_status sotto_catalog_fill_tables(struct sotto_catalog_filler *f,
							     struct sotto_session *s,
							     struct sotto_error *err);

#endif
