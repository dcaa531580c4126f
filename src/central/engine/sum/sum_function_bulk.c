/*
 * Functions of one row: sotto_task and sotto_steps; and what the aggregates have in common.
 */
#include "central/engine/sum/sum_function.h"

#include <string.h>

#include "central/engine/duckdb_callback.h"
#include "core/base/failure.h"

duckdb_aggregate_function sotto_aggregate_new(const struct sotto_duckdb *api, const char *name,
					      struct sotto_sum_function *f)
{
	duckdb_aggregate_function a = api->duckdb_create_aggregate_function();

	api->duckdb_aggregate_function_set_name(a, name);
	api->duckdb_aggregate_function_set_extra_info(a, f, NULL);
	return a;
}

void sotto_aggregate_parameter(const struct sotto_duckdb *api, duckdb_aggregate_function a,
			       duckdb_type type)
{
	duckdb_logical_type t = api->duckdb_create_logical_type(type);

	api->duckdb_aggregate_function_add_parameter(a, t);
	api->duckdb_destroy_logical_type(&t);
}

/* ---- sotto_task ----------------------------------------------------------------------------- */

/* The text is a literal: this runs once, when the query is planned. */
static void task(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_string_t *texts =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(input, 0));
	uint16_t *numbers = api->duckdb_vector_get_data(output);

	for (size_t i = 0; i < api->duckdb_data_chunk_get_size(input); i++) {

		if (sotto_sum_tasks_add(f->tasks, api->duckdb_string_t_data(&texts[i]),
					api->duckdb_string_t_length(texts[i]),
					&numbers[i]) != SOTTO_OK) {
			api->duckdb_scalar_function_set_error(info, "this is no task");
			return;
		}
	}
}

/* ---- sotto_steps ---------------------------------------------------------------------------- */

/*
 * The nearest whole number, half away from zero, as the engine's round() has it; the
 * difference of a double and its whole part is exact.
 */
static int64_t nearest(double q)
{
	double whole, rest;

	if (!(q < 0x1p62 && q > -0x1p62))
		return q > 0 ? INT64_C(1) << 62 : -(INT64_C(1) << 62);
	whole = (double)(int64_t)q;
	rest = q - whole;
	return (int64_t)q + (rest >= 0.5) - (rest <= -0.5);
}

static void steps(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_vector of = api->duckdb_data_chunk_get_vector(input, 0);
	const double *x = api->duckdb_vector_get_data(of);
	const double *step =
		api->duckdb_vector_get_data(api->duckdb_data_chunk_get_vector(input, 1));
	const uint64_t *validity = api->duckdb_vector_get_validity(of);
	size_t count = api->duckdb_data_chunk_get_size(input);
	int64_t *out = api->duckdb_vector_get_data(output);
	bool all = !validity;

	for (size_t i = 0; i < count; i++) {
		all &= x[i] == x[i];
		out[i] = nearest(x[i] / step[i]);
	}
	if (all)
		return;
	api->duckdb_vector_ensure_validity_writable(output);
	for (size_t i = 0; i < count; i++)
		if ((validity && !(validity[i / 64] >> i % 64 & 1)) || x[i] != x[i])
			api->duckdb_validity_set_row_invalid(
				api->duckdb_vector_get_validity(output), i);
}

/* ---- registering ---------------------------------------------------------------------------- */

struct scalar {
	const char *name;
	duckdb_type parameters[2], result;
	size_t count;
	duckdb_scalar_function_t function;
	bool takes_null;
};

static enum sotto_status register_scalar(const struct scalar *s, struct sotto_sum_function *f,
					 duckdb_connection connection)
{
	const struct sotto_duckdb *api = f->api;
	duckdb_scalar_function made = api->duckdb_create_scalar_function();
	duckdb_logical_type type = api->duckdb_create_logical_type(s->result);
	duckdb_state state;

	api->duckdb_scalar_function_set_name(made, s->name);
	api->duckdb_scalar_function_set_return_type(made, type);
	api->duckdb_destroy_logical_type(&type);
	for (size_t i = 0; i < s->count; i++) {
		type = api->duckdb_create_logical_type(s->parameters[i]);
		api->duckdb_scalar_function_add_parameter(made, type);
		api->duckdb_destroy_logical_type(&type);
	}
	if (s->takes_null)
		api->duckdb_scalar_function_set_special_handling(made);
	api->duckdb_scalar_function_set_extra_info(made, f, NULL);
	api->duckdb_scalar_function_set_function(made, s->function);
	state = api->duckdb_register_scalar_function(connection, made);
	api->duckdb_destroy_scalar_function(&made);
	return state == DuckDBError ? SOTTO_EIO : SOTTO_OK;
}

enum sotto_status
sotto_scalars_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	static const struct scalar scalars[] = {
		{"sotto_task", {DUCKDB_TYPE_VARCHAR}, DUCKDB_TYPE_USMALLINT, 1, task, false},
		{"sotto_steps",
		 {DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE},
		 DUCKDB_TYPE_BIGINT,
		 2,
		 steps,
		 true},
	};

	for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
		SOTTO_TRY(register_scalar(&scalars[i], f, connection));
	return SOTTO_OK;
}
