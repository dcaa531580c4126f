/*
 * result_read.h - reading what DuckDB found
 */
#ifndef SOTTO_ENGINE_RESULT_READ_H
#define SOTTO_ENGINE_RESULT_READ_H

#include "engine/engine.h"
#include "engine/library.h"

/* Copies a whole result out of the engine.  Fails: SOTTO_ENOMEM, SOTTO_ESTATE. */
SOTTO_MUST_CHECK enum sotto_status sotto_result_read(const struct sotto_duckdb *api,
						     duckdb_result *from,
						     struct sotto_engine_result **out);

#endif
