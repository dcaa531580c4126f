/*
 * sum_function.h - inside this folder: making functions of the engine
 */
#ifndef SOTTO_SUM_FUNCTION_H
#define SOTTO_SUM_FUNCTION_H

#include "central/engine/duckdb_library.h"
#include "central/engine/sum/sum_task.h"

struct sotto_unit_pool;
struct sotto_owners;

/* The description of an aggregate for the engine. */
struct sotto_sum_function {
	const struct sotto_duckdb *api;
	struct sotto_sum_tasks *tasks;
	struct sotto_unit_pool *pool;
	struct sotto_owners *owners;
	size_t values; /* V */
	bool is_pair;
};

duckdb_aggregate_function sotto_aggregate_new(const struct sotto_duckdb *api, const char *name,
					      struct sotto_sum_function *f);
void sotto_aggregate_parameter(const struct sotto_duckdb *api, duckdb_aggregate_function a,
			       duckdb_type type);

/* A function of one row. */
struct sotto_scalar {
	const char *name;
	duckdb_type parameters[2], result;
	size_t count;
	duckdb_scalar_function_t function;
	bool takes_null, is_volatile;
};

/* Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_scalar_register(const struct sotto_scalar *s,
							 struct sotto_sum_function *f,
							 duckdb_connection connection);

/* NULL where the input is. */
void sotto_validity_copy(const struct sotto_duckdb *api, const uint64_t *validity,
			 duckdb_vector output, size_t count);

/* sotto_task, sotto_steps, sotto_number, sotto_one_zero, sotto_each and sotto_row.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_scalars_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
