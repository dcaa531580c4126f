/*
 * postgres_declared.h - what a PostgreSQL server declares about the columns of tables
 *
 * From the catalogue alone: no record is looked at.
 */
#ifndef SOTTO_POSTGRES_DECLARED_H
#define SOTTO_POSTGRES_DECLARED_H

#include "central/seal/source/database_catalogue.h"

/* The names of all tables that are not the system's, as SQL has them, with their schema. */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_tables(struct sotto_arena *a, const char *dsn, const char *const **names,
		      size_t *count, struct sotto_error *err);

/*
 * tables[i] is what is declared about the table that names[i] means in SQL; nothing, under an
 * empty name, if there is none.
 *
 * Fails:    SOTTO_EMISSING, SOTTO_EIO with a sentence; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_declared(struct sotto_arena *a, const char *dsn, const char *const *names,
			size_t count, struct sotto_declared_table **tables,
			struct sotto_error *err);

#endif
