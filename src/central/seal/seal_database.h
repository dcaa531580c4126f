/*
 * seal_database.h - the engine, for the owner's work on files
 *
 * It runs in this process; no query of an analyst ever reaches it.
 */
#ifndef SOTTO_SEAL_DATABASE_H
#define SOTTO_SEAL_DATABASE_H

#include "central/engine/duckdb_library.h"
#include "central/engine/engine.h"
#include "core/base/arena.h"

struct sotto_database {
	struct sotto_duckdb api;
	duckdb_database database;
	duckdb_connection connection;
};

/* Fails: SOTTO_EMISSING without the library, SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_database_open(struct sotto_database *d, struct sotto_error *err);
void sotto_database_close(struct sotto_database *d);

/*
 * Attaches a database file as sealed_source, to be read only.  *advice, if it is not NULL, is what to do
 * where that fails.  Fails: SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_database_attach(struct sotto_database *d,
							 struct sotto_arena *a,
							 const char *path, const char **advice);

/*
 * Chooses whether the engine applies conditions while it reads a file, and so skips parts of the
 * file by its statistics.  It does by default.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_database_push_conditions(struct sotto_database *d, bool push);

/* Fails: SOTTO_EIO.  The engine's message may contain values, so it is dropped. */
SOTTO_MUST_CHECK enum sotto_status
sotto_database_execute(struct sotto_database *d, const char *sql);
SOTTO_MUST_CHECK enum sotto_status
sotto_database_run(struct sotto_database *d, const char *sql, struct sotto_engine_result **out);

#endif
