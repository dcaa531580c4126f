/*
 * duckdb_callback.h - the data that a callback of the engine was registered with
 *
 * A callback gets a handle that only functions of the engine's library can read, but no way
 * to reach these functions.  So their addresses are kept; they never change, since the
 * library stays loaded.
 */
#ifndef SOTTO_DUCKDB_CALLBACK_H
#define SOTTO_DUCKDB_CALLBACK_H

#include <stdbool.h>

#include "central/engine/duckdb_library.h"

/* Before a function is registered.  False: another library was kept already. */
bool sotto_callback_keep(const struct sotto_duckdb *api);

void *sotto_callback_of_bind(duckdb_bind_info info);
void *sotto_callback_of_init(duckdb_init_info info);
void *sotto_callback_of_function(duckdb_function_info info);
void *sotto_callback_of_scalar(duckdb_function_info info);
void *sotto_callback_of_aggregate(duckdb_function_info info);

#endif
