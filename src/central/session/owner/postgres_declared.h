/*
 * postgres_declared.h - reads what a PostgreSQL server declares about the columns of tables
 *
 * It reads only the catalogue, no record.
 */
#ifndef SOTTO_POSTGRES_DECLARED_H
#define SOTTO_POSTGRES_DECLARED_H

#include "central/seal/source/database_catalogue.h"

/*
 * Lists the names of all tables that are not the system's, as SQL writes them, with their schema.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_tables(struct sotto_arena *a, const char *dsn, const char *const **names,
		      size_t *count, struct sotto_error *err);

/*
 * Reads into tables[i] what is declared about the table that names[i] means in SQL; its name is
 * empty if there is no such table.
 *
 * Fails:    SOTTO_EMISSING, SOTTO_EIO with a sentence; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_declared(struct sotto_arena *a, const char *dsn, const char *const *names,
			size_t count, struct sotto_declared_table **tables,
			struct sotto_error *err);

#endif
