/*
 * Keeps five functions of the engine's library as atomic pointers, the same ones for every
 * engine of the process; a second library is refused.
 */
#include "central/engine/duckdb_callback.h"

#include <stdatomic.h>
#include <stddef.h>

static struct {
	_Atomic(__typeof__(duckdb_bind_get_extra_info) *) bind;
	_Atomic(__typeof__(duckdb_init_get_extra_info) *) init;
	_Atomic(__typeof__(duckdb_function_get_extra_info) *) function;
	_Atomic(__typeof__(duckdb_scalar_function_get_extra_info) *) scalar;
	_Atomic(__typeof__(duckdb_aggregate_function_get_extra_info) *) aggregate;
} extra_info;

bool sotto_callback_keep(const struct sotto_duckdb *api)
{
	__typeof__(duckdb_bind_get_extra_info) *old = NULL;

	atomic_store(&extra_info.init, api->duckdb_init_get_extra_info);
	atomic_store(&extra_info.function, api->duckdb_function_get_extra_info);
	atomic_store(&extra_info.scalar, api->duckdb_scalar_function_get_extra_info);
	atomic_store(&extra_info.aggregate, api->duckdb_aggregate_function_get_extra_info);
	return atomic_compare_exchange_strong(&extra_info.bind, &old,
					      api->duckdb_bind_get_extra_info) ||
	       old == api->duckdb_bind_get_extra_info;
}

void *sotto_callback_of_bind(duckdb_bind_info info)
{
	return atomic_load(&extra_info.bind)(info);
}

void *sotto_callback_of_init(duckdb_init_info info)
{
	return atomic_load(&extra_info.init)(info);
}

void *sotto_callback_of_function(duckdb_function_info info)
{
	return atomic_load(&extra_info.function)(info);
}

void *sotto_callback_of_scalar(duckdb_function_info info)
{
	return atomic_load(&extra_info.scalar)(info);
}

void *sotto_callback_of_aggregate(duckdb_function_info info)
{
	return atomic_load(&extra_info.aggregate)(info);
}
