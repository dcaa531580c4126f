/*
 * catalog_fill.h - the catalog of one policy: its tables and columns, PostgreSQL's types, and a
 * few settings
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

/* Runs a statement with values: kinds has 'i' for an int64_t and 't' for a text or NULL. */
void sotto_catalog_insert(struct sotto_catalog_filler *f, const char *sql, const char *kinds,
			  ...);

/* A row of pg_class; kind: "r" for a table, "v" for a view. */
void sotto_catalog_fill_class(struct sotto_catalog_filler *f, int64_t oid, const char *name,
			      int64_t space, int64_t columns, const char *kind);

/* What PostgreSQL calls a type, int8 or bigint, and the bytes that it takes; -1: any number. */
const char *sotto_catalog_type_name(int64_t oid, bool is_short);
int64_t sotto_catalog_type_length(int64_t oid);

/* What every database has. */
void sotto_catalog_fill_system(struct sotto_catalog_filler *f);

/* The tables of the policy.  The session's lock is held. */
SOTTO_MUST_CHECK enum sotto_status sotto_catalog_fill_tables(struct sotto_catalog_filler *f,
							     struct sotto_session *s,
							     struct sotto_error *err);

#endif
