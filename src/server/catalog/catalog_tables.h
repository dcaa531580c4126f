/*
 * catalog_tables.h - the tables of the catalog in an engine of their own
 */
#ifndef SOTTO_CATALOG_TABLES_H
#define SOTTO_CATALOG_TABLES_H

#include <sqlite3.h>

#include "server/catalog/catalog.h"

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

#endif
