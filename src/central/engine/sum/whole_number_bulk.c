/*
 * Takes the lower half of each number, and marks as NULL those whose upper half is not the sign of it;
 * 64 marks at a time, without a branch on any number.
 */
#include "central/engine/sum/whole_number.h"

#include "central/engine/duckdb_callback.h"

static uint64_t take(const duckdb_hugeint *x, int64_t *out, size_t count)
{
	uint64_t fits = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t sign = -(x[i].lower >> 63);

		out[i] = (int64_t)x[i].lower;
		fits |= (uint64_t)((uint64_t)x[i].upper == sign) << i;
	}
	return fits;
}

static void whole(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
	const struct sotto_sum_function *f = sotto_callback_of_scalar(info);
	const struct sotto_duckdb *api = f->api;
	duckdb_vector of = api->duckdb_data_chunk_get_vector(input, 0);
	const duckdb_hugeint *x = api->duckdb_vector_get_data(of);
	const uint64_t *validity = api->duckdb_vector_get_validity(of);
	size_t count = api->duckdb_data_chunk_get_size(input);
	int64_t *out = api->duckdb_vector_get_data(output);
	uint64_t *valid;

	api->duckdb_vector_ensure_validity_writable(output);
	valid = api->duckdb_vector_get_validity(output);
	for (size_t i = 0; i < count; i += 64) {
		size_t n = count - i < 64 ? count - i : 64;

		valid[i / 64] =
			take(x + i, out + i, n) & (validity ? validity[i / 64] : UINT64_MAX);
	}
}

enum sotto_status
sotto_whole_register(struct sotto_sum_function *f, duckdb_connection connection)
{
	static const struct sotto_scalar scalar = {.name = "sotto_whole",
						   .parameters = {DUCKDB_TYPE_HUGEINT},
						   .result = DUCKDB_TYPE_BIGINT,
						   .count = 1,
						   .function = whole,
						   .takes_null = true};

	return sotto_scalar_register(&scalar, f, connection);
}
