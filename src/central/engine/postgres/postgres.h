/*
 * postgres.h - the tables of a PostgreSQL server, all as of one moment
 *
 * A moment is a read-only transaction on one connection, the keeper, whose snapshot all
 * others take over.  Everything that a statement needs is there before it runs: locks of
 * its tables on every connection, and a connection for each scan.  So nothing waits in the
 * middle of a query, neither for a change of a table nor for the server to have room.
 */
#ifndef SOTTO_POSTGRES_H
#define SOTTO_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>

#include "central/engine/postgres/postgres_library.h"
#include "central/engine/postgres/postgres_table.h"

struct sotto_postgres;

/* A range of a table is what one thread reads at a time: 32 MiB. */
enum { SOTTO_POSTGRES_THREADS = 8, SOTTO_POSTGRES_RANGE = 4096 /* blocks */ };

/*
 * dsn is a connection string; what it does not say is taken from the PG*
 * environment.  NULL: all of it.  threads: of the engine.
 *
 * Fails:    SOTTO_EMISSING without libpq; SOTTO_EIO with a sentence of ours.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_postgres_open(const char *dsn, unsigned threads,
						       struct sotto_postgres **out,
						       struct sotto_error *err);
void sotto_postgres_close(struct sotto_postgres *p);

const struct sotto_libpq *sotto_postgres_api(const struct sotto_postgres *p);

/*
 * The columns that may be read of a table or view, by its name in SQL.  Within a
 * moment it stays locked, and the description is the same until the end.
 *
 * Fails:    SOTTO_EMISSING if there is none; SOTTO_ESTATE if others have it locked;
 *           SOTTO_EIO; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_describe(struct sotto_postgres *p, const char *name, struct sotto_arena *arena,
			struct sotto_postgres_table *out);

/* ---- a moment -------------------------------------------------------------------- */

/*
 * Begins a moment unless there is one.  No statement on the server may take more
 * than the given number of seconds.  Fails: SOTTO_EIO with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_begin(struct sotto_postgres *p, unsigned seconds, struct sotto_error *err);
bool sotto_postgres_has_begun(const struct sotto_postgres *p);

/*
 * A connection for each of the given number of scans at once, and further ones for threads if
 * the server has them; all hold the locks of all tables described in this moment.
 *
 * Fails:    SOTTO_EIO with a sentence if there are too few.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_postgres_reserve(struct sotto_postgres *p, size_t scans, struct sotto_error *err);

/* Why the last description failed, as a sentence. */
enum sotto_status
sotto_postgres_refuse(const struct sotto_postgres *p, struct sotto_error *err);

/* Ends the moment: locks are given back, and all connections but one. */
void sotto_postgres_end(struct sotto_postgres *p);

/* A statement of the engine begins: its scans have their connections reserved. */
void sotto_postgres_start(struct sotto_postgres *p);

/* The connection of a scan; NULL if there is none. */
PGconn *sotto_postgres_borrow(struct sotto_postgres *p);

/* One for a further thread; NULL if all others are reserved for scans. */
PGconn *sotto_postgres_borrow_spare(struct sotto_postgres *p);

/* For another scan if it is idle; else it is closed. */
void sotto_postgres_give_back(struct sotto_postgres *p, PGconn *connection, bool is_idle);

#endif
