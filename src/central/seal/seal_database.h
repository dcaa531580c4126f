/*
 * seal_database.h - the engine, for the owner's work on files
 *
 * An engine of its own in this process: no query of an analyst ever runs in it.
 */
#ifndef SOTTO_SEAL_DATABASE_H
#define SOTTO_SEAL_DATABASE_H

#include "central/engine/duckdb_library.h"
#include "central/engine/engine.h"

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
 * Whether conditions reach a file, and skip parts of it by what it says about them.  They do at first.
 * Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_database_push_conditions(struct sotto_database *d, bool push);

/* Fails: SOTTO_EIO.  What the engine says may hold values, so it is not kept. */
SOTTO_MUST_CHECK enum sotto_status
sotto_database_execute(struct sotto_database *d, const char *sql);
SOTTO_MUST_CHECK enum sotto_status
sotto_database_run(struct sotto_database *d, const char *sql, struct sotto_engine_result **out);

#endif
