/*
 * sum_function.h - inside this folder: making functions of the engine
 */
#ifndef SOTTO_SUM_FUNCTION_H
#define SOTTO_SUM_FUNCTION_H

#include "central/engine/sum/bounded_sum.h"

duckdb_aggregate_function sotto_aggregate_new(const struct sotto_duckdb *api, const char *name,
					      struct sotto_sum_function *f);
void sotto_aggregate_parameter(const struct sotto_duckdb *api, duckdb_aggregate_function a,
			       duckdb_type type);

/* sotto_task and sotto_steps; sotto_units.  Fail: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_scalars_register(struct sotto_sum_function *f, duckdb_connection connection);
SOTTO_MUST_CHECK enum sotto_status
sotto_units_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
