/*
 * duckdb_statement.h - runs one statement without keeping a core busy with waiting
 *
 * The engine's own call asks again and again whether its other threads are done, on a core that
 * they could have.
 */
#ifndef SOTTO_DUCKDB_STATEMENT_H
#define SOTTO_DUCKDB_STATEMENT_H

#include "central/engine/duckdb_library.h"

/*
 * The whole result, which the caller destroys.
 *
 * Fails:    SOTTO_EIO; the detail is what the engine says, which may hold values of rows.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_duckdb_run(const struct sotto_duckdb *api, duckdb_connection connection, const char *sql,
		 duckdb_result *result, char *detail, size_t size);

#endif
