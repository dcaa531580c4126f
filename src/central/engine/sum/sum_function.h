/*
 * sum_function.h - inside this folder: making functions of the engine
 */
#ifndef SOTTO_SUM_FUNCTION_H
#define SOTTO_SUM_FUNCTION_H

#include "central/engine/duckdb_library.h"
#include "central/engine/sum/sum_task.h"

struct sotto_unit_pool;

/* The description of an aggregate for the engine. */
struct sotto_sum_function {
	const struct sotto_duckdb *api;
	struct sotto_sum_tasks *tasks;
	struct sotto_unit_pool *pool;
	size_t values; /* V */
	bool is_pair;
};

duckdb_aggregate_function sotto_aggregate_new(const struct sotto_duckdb *api, const char *name,
					      struct sotto_sum_function *f);
void sotto_aggregate_parameter(const struct sotto_duckdb *api, duckdb_aggregate_function a,
			       duckdb_type type);

/* sotto_task and sotto_steps.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_scalars_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
