/*
 * postgres.h - the tables of a PostgreSQL server, all as of one moment
 *
 * One connection holds a read-only transaction and its snapshot; scans borrow
 * further ones that have taken over the snapshot, so that a table which a query
 * reads twice is the same both times.
 */
#ifndef SOTTO_ENGINE_POSTGRES_H
#define SOTTO_ENGINE_POSTGRES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/postgres_library.h"
#include "engine/postgres_type.h"

struct sotto_postgres;

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
 * dsn is a connection string; what it does not say is taken from the PG*
 * environment.  NULL: all of it.
 *
 * Fails:    SOTTO_EMISSING without libpq; SOTTO_EIO with the server's sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_open(const char *dsn, struct sotto_postgres **out, struct sotto_error *err);
void sotto_postgres_close(struct sotto_postgres *p);

const struct sotto_libpq *sotto_postgres_api(const struct sotto_postgres *p);

/*
 * The columns that may be read of a table or view, by its name in SQL.
 *
 * Fails:    SOTTO_EMISSING if there is none; SOTTO_EIO; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_describe(struct sotto_postgres *p, const char *name, struct sotto_arena *arena,
			struct sotto_postgres_table *out);

/* A connection on the snapshot, for one thread at a time; NULL if the server gives none. */
PGconn *sotto_postgres_borrow(struct sotto_postgres *p);

/* For another scan if it is idle; else it is closed. */
void sotto_postgres_give_back(struct sotto_postgres *p, PGconn *connection, bool is_idle);

#endif
