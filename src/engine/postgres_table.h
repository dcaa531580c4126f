/*
 * postgres_table.h - what the catalogue of PostgreSQL says of a table
 */
#ifndef SOTTO_ENGINE_POSTGRES_TABLE_H
#define SOTTO_ENGINE_POSTGRES_TABLE_H

#include <stdint.h>

#include "base/arena.h"
#include "engine/postgres_library.h"
#include "engine/postgres_type.h"

struct sotto_postgres_column {
	const char *name;
	const char *expression; /* SQL of what is sent */
	struct sotto_postgres_type type;
};

struct sotto_postgres_table {
	const char *relation; /* as it is written in SQL, with its schema */
	struct sotto_postgres_column *columns;
	size_t column_count;
	uint64_t rows; /* about */
	uint64_t blocks; /* 0 if parts of it cannot be read by their place */
};

/*
 * Looks a table or view up, by its name in SQL, in the transaction that the
 * connection has begun; until its end the table, what it is made of and its indexes
 * are locked against changes.  A failure ends the transaction.
 *
 * Fails:    SOTTO_EMISSING if there is none, or none of its columns may be read;
 *           SOTTO_ESTATE if others have it locked; SOTTO_EIO; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_look(const struct sotto_libpq *api, PGconn *connection, const char *name,
		    struct sotto_arena *arena, struct sotto_postgres_table *out);

/* The lock alone, on another connection.  Fails: SOTTO_ESTATE, SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_lock(const struct sotto_libpq *api, PGconn *connection,
		    const struct sotto_postgres_table *table);

#endif
