/*
 * duckdb_result.h - reading what DuckDB found
 */
#ifndef SOTTO_DUCKDB_RESULT_H
#define SOTTO_DUCKDB_RESULT_H

#include "central/engine/duckdb_library.h"
#include "central/engine/engine.h"

/*
 * Copies a whole result out of the engine, as one that is published or as a partial one
 * that others are added to.  Fails: SOTTO_ENOMEM, SOTTO_ESTATE.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_result_read(const struct sotto_duckdb *api,
						     duckdb_result *from, bool is_partial,
						     struct sotto_engine_result **out);

#endif
