/*
 * duckdb_library.h - DuckDB's C API, loaded at run time
 */
#ifndef SOTTO_DUCKDB_LIBRARY_H
#define SOTTO_DUCKDB_LIBRARY_H

#include <duckdb.h>
#include <stdbool.h>
#include <stddef.h>

#include "sotto/status.h"

/* The functions of the API that are used, each under its own name. */
#define SOTTO_DUCKDB_LIST(X)                                                                   \
	X(duckdb_library_version)                                                              \
	X(duckdb_create_config)                                                                \
	X(duckdb_set_config)                                                                   \
	X(duckdb_destroy_config)                                                               \
	X(duckdb_open_ext)                                                                     \
	X(duckdb_close)                                                                        \
	X(duckdb_connect)                                                                      \
	X(duckdb_disconnect)                                                                   \
	X(duckdb_query)                                                                        \
	X(duckdb_prepare)                                                                      \
	X(duckdb_prepare_error)                                                                \
	X(duckdb_destroy_prepare)                                                              \
	X(duckdb_pending_prepared)                                                             \
	X(duckdb_pending_execute_task)                                                         \
	X(duckdb_pending_error)                                                                \
	X(duckdb_destroy_pending)                                                              \
	X(duckdb_execute_pending)                                                              \
	X(duckdb_destroy_result)                                                               \
	X(duckdb_result_error)                                                                 \
	X(duckdb_column_count)                                                                 \
	X(duckdb_column_name)                                                                  \
	X(duckdb_column_type)                                                                  \
	X(duckdb_fetch_chunk)                                                                  \
	X(duckdb_destroy_data_chunk)                                                           \
	X(duckdb_data_chunk_get_size)                                                          \
	X(duckdb_data_chunk_get_vector)                                                        \
	X(duckdb_vector_get_data)                                                              \
	X(duckdb_vector_get_validity)                                                          \
	X(duckdb_vector_get_column_type)                                                       \
	X(duckdb_list_vector_get_child)                                                        \
	X(duckdb_struct_vector_get_child)                                                      \
	X(duckdb_get_type_id)                                                                  \
	X(duckdb_destroy_logical_type)                                                         \
	X(duckdb_create_logical_type)                                                          \
	X(duckdb_logical_type_set_alias)                                                       \
	X(duckdb_create_decimal_type)                                                          \
	X(duckdb_decimal_scale)                                                                \
	X(duckdb_decimal_internal_type)                                                        \
	X(duckdb_vector_size)                                                                  \
	X(duckdb_data_chunk_set_size)                                                          \
	X(duckdb_vector_ensure_validity_writable)                                              \
	X(duckdb_validity_set_row_invalid)                                                     \
	X(duckdb_vector_assign_string_element_len)                                             \
	X(duckdb_get_varchar)                                                                  \
	X(duckdb_destroy_value)                                                                \
	X(duckdb_create_table_function)                                                        \
	X(duckdb_destroy_table_function)                                                       \
	X(duckdb_table_function_set_name)                                                      \
	X(duckdb_table_function_add_parameter)                                                 \
	X(duckdb_table_function_set_extra_info)                                                \
	X(duckdb_table_function_set_bind)                                                      \
	X(duckdb_table_function_set_init)                                                      \
	X(duckdb_table_function_set_local_init)                                                \
	X(duckdb_table_function_set_function)                                                  \
	X(duckdb_table_function_supports_projection_pushdown)                                  \
	X(duckdb_register_table_function)                                                      \
	X(duckdb_bind_get_extra_info)                                                          \
	X(duckdb_bind_add_result_column)                                                       \
	X(duckdb_bind_get_parameter)                                                           \
	X(duckdb_bind_set_bind_data)                                                           \
	X(duckdb_bind_set_cardinality)                                                         \
	X(duckdb_bind_set_error)                                                               \
	X(duckdb_init_get_extra_info)                                                          \
	X(duckdb_init_get_bind_data)                                                           \
	X(duckdb_init_set_init_data)                                                           \
	X(duckdb_init_get_column_count)                                                        \
	X(duckdb_init_get_column_index)                                                        \
	X(duckdb_init_set_max_threads)                                                         \
	X(duckdb_init_set_error)                                                               \
	X(duckdb_function_get_extra_info)                                                      \
	X(duckdb_function_get_init_data)                                                       \
	X(duckdb_function_get_local_init_data)                                                 \
	X(duckdb_function_set_error)                                                           \
	X(duckdb_data_chunk_get_column_count)                                                  \
	X(duckdb_create_struct_type)                                                           \
	X(duckdb_string_t_data)                                                                \
	X(duckdb_string_t_length)                                                              \
	X(duckdb_create_scalar_function)                                                       \
	X(duckdb_destroy_scalar_function)                                                      \
	X(duckdb_scalar_function_set_name)                                                     \
	X(duckdb_scalar_function_add_parameter)                                                \
	X(duckdb_scalar_function_set_return_type)                                              \
	X(duckdb_scalar_function_set_special_handling)                                         \
	X(duckdb_scalar_function_set_volatile)                                                 \
	X(duckdb_scalar_function_set_extra_info)                                               \
	X(duckdb_scalar_function_get_extra_info)                                               \
	X(duckdb_scalar_function_set_function)                                                 \
	X(duckdb_scalar_function_set_error)                                                    \
	X(duckdb_register_scalar_function)                                                     \
	X(duckdb_create_aggregate_function)                                                    \
	X(duckdb_destroy_aggregate_function)                                                   \
	X(duckdb_aggregate_function_set_name)                                                  \
	X(duckdb_aggregate_function_add_parameter)                                             \
	X(duckdb_aggregate_function_set_return_type)                                           \
	X(duckdb_aggregate_function_set_functions)                                             \
	X(duckdb_aggregate_function_set_destructor)                                            \
	X(duckdb_aggregate_function_set_special_handling)                                      \
	X(duckdb_aggregate_function_set_extra_info)                                            \
	X(duckdb_aggregate_function_get_extra_info)                                            \
	X(duckdb_aggregate_function_set_error)                                                 \
	X(duckdb_register_aggregate_function)                                                  \
	X(duckdb_create_aggregate_function_set)                                                \
	X(duckdb_destroy_aggregate_function_set)                                               \
	X(duckdb_add_aggregate_function_to_set)                                                \
	X(duckdb_register_aggregate_function_set)                                              \
	X(duckdb_query_progress)                                                               \
	X(duckdb_arrow_scan)                                                                   \
	X(duckdb_free)

struct sotto_duckdb {
	void *handle;
#define SOTTO_DUCKDB_MEMBER(name) __typeof__(name) *name;
	SOTTO_DUCKDB_LIST(SOTTO_DUCKDB_MEMBER)
#undef SOTTO_DUCKDB_MEMBER
};

/* The file that is loaded, if it lies where sotto or its owner put it; false: the system's. */
bool sotto_duckdb_file(char *path, size_t size);

/* Fails: SOTTO_EMISSING; err says where the library was looked for. */
SOTTO_MUST_CHECK enum sotto_status
sotto_duckdb_load(struct sotto_duckdb *d, struct sotto_error *err);

#endif
