/*
 * Results out of DuckDB's vectors.
 */
#include "central/engine/duckdb_result.h"

#include <stdlib.h>
#include <string.h>

#include "central/engine/engine_result.h"
#include "core/base/failure.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"

static sotto_i128 wide(duckdb_hugeint h)
{
	return (sotto_i128)((sotto_u128)(uint64_t)h.upper << 64 | h.lower);
}

static int64_t hold(duckdb_hugeint h)
{
	return sotto_result_hold(wide(h));
}

/* Values of the types that plans produce; anything else is an error of the plan. */
static enum sotto_status read_cell(struct sotto_engine_result *r, duckdb_type type,
				   const void *data, size_t i, struct sotto_engine_cell *out)
{
	const duckdb_string_t *text;
	uint32_t n;

	switch (type) {
	case DUCKDB_TYPE_BOOLEAN:
		*out = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_BOOL,
						  .integer = ((const bool *)data)[i]};
		return SOTTO_OK;
	case DUCKDB_TYPE_BIGINT:
		*out = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_INTEGER,
						  .integer = ((const int64_t *)data)[i]};
		return SOTTO_OK;
	case DUCKDB_TYPE_DOUBLE:
		*out = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_NUMBER,
						  .number = ((const double *)data)[i]};
		return SOTTO_OK;
	case DUCKDB_TYPE_VARCHAR:
		text = (const duckdb_string_t *)data + i;
		n = text->value.inlined.length;
		*out = (struct sotto_engine_cell){
			.kind = SOTTO_ENGINE_TEXT,
			.text = sotto_result_keep_text(r,
						       n <= 12 ? text->value.inlined.inlined
							       : text->value.pointer.ptr,
						       n)};
		return out->text ? SOTTO_OK : SOTTO_ENOMEM;
	default:
		return SOTTO_ESTATE;
	}
}

static bool is_null(const uint64_t *valid, size_t i)
{
	return valid && !(valid[i / 64] >> (i % 64) & 1);
}

static duckdb_type type_of(const struct sotto_duckdb *api, duckdb_vector vector)
{
	duckdb_logical_type logical = api->duckdb_vector_get_column_type(vector);
	duckdb_type type = api->duckdb_get_type_id(logical);

	api->duckdb_destroy_logical_type(&logical);
	return type;
}

struct pair {
	int64_t value, count;
};

static int compare_pairs(const void *x, const void *y)
{
	int64_t a = ((const struct pair *)x)->value, b = ((const struct pair *)y)->value;

	return (a > b) - (a < b);
}

/* Counts of integers, brought into their order. */
static enum sotto_status read_values(const duckdb_hugeint *values, const duckdb_hugeint *counts,
				     struct sotto_engine_list *out)
{
	struct pair *pairs = malloc((out->n + 1) * sizeof *pairs);

	out->values = calloc(out->n + 1, sizeof *out->values);
	if (!pairs || !out->values) {
		free(pairs);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < out->n; i++)
		pairs[i] = (struct pair){hold(values[i]), hold(counts[i])};
	qsort(pairs, out->n, sizeof *pairs, compare_pairs);
	for (size_t i = 0; i < out->n; i++) {
		out->values[i] = sotto_exact_of(pairs[i].value);
		out->counts[i] = sotto_exact_of(pairs[i].count);
	}
	sotto_wipe(pairs, (out->n + 1) * sizeof *pairs);
	free(pairs);
	return SOTTO_OK;
}

static enum sotto_status read_keys(const struct sotto_duckdb *api,
				   struct sotto_engine_result *r, duckdb_vector vector,
				   size_t offset, struct sotto_engine_list *out)
{
	const uint64_t *valid = api->duckdb_vector_get_validity(vector);
	const void *data = api->duckdb_vector_get_data(vector);
	duckdb_type type = type_of(api, vector);

	out->keys = calloc(out->n + 1, sizeof *out->keys);
	if (!out->keys)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < out->n; i++)
		if (!is_null(valid, offset + i))
			SOTTO_TRY(read_cell(r, type, data, offset + i, &out->keys[i]));
	return SOTTO_OK;
}

/* A list of (subject, count). */
static enum sotto_status read_list(const struct sotto_duckdb *api,
				   struct sotto_engine_result *r, duckdb_vector pairs,
				   duckdb_list_entry at, struct sotto_engine_list *out)
{
	duckdb_vector subjects = api->duckdb_struct_vector_get_child(pairs, 0);
	duckdb_vector counts = api->duckdb_struct_vector_get_child(pairs, 1);
	const duckdb_hugeint *values = api->duckdb_vector_get_data(subjects);
	const duckdb_hugeint *data = api->duckdb_vector_get_data(counts);

	if (type_of(api, counts) != DUCKDB_TYPE_HUGEINT)
		return SOTTO_ESTATE;
	out->n = at.length;
	out->counts = calloc(at.length + 1, sizeof *out->counts);
	if (!out->counts)
		return SOTTO_ENOMEM;
	if (type_of(api, subjects) == DUCKDB_TYPE_HUGEINT)
		return read_values(values + at.offset, data + at.offset, out);
	for (size_t i = 0; i < at.length; i++)
		out->counts[i] = sotto_exact_of(hold(data[at.offset + i]));
	return read_keys(api, r, subjects, at.offset, out);
}

static enum sotto_status
read_vector(const struct sotto_duckdb *api, struct sotto_engine_result *r,
	    struct sotto_result_column *c, duckdb_vector vector, size_t n)
{
	const uint64_t *valid = api->duckdb_vector_get_validity(vector);
	const void *data = api->duckdb_vector_get_data(vector);
	duckdb_type type = type_of(api, vector);

	for (size_t i = 0; i < n; i++) {
		size_t row = r->rows + i;

		if (is_null(valid, i))
			continue;
		if (c->kind == SOTTO_ENGINE_EXACTS)
			c->exact[row] = hold(((const duckdb_hugeint *)data)[i]);
		else if (c->kind == SOTTO_ENGINE_WIDES)
			c->wide[row] = wide(((const duckdb_hugeint *)data)[i]);
		else if (c->kind == SOTTO_ENGINE_LISTS)
			SOTTO_TRY(read_list(api, r, api->duckdb_list_vector_get_child(vector),
					    ((const duckdb_list_entry *)data)[i],
					    &c->lists[row]));
		else
			SOTTO_TRY(read_cell(r, type, data, i, &c->cells[row]));
	}
	return SOTTO_OK;
}

static enum sotto_status read_chunk(const struct sotto_duckdb *api,
				    struct sotto_engine_result *r, duckdb_data_chunk chunk)
{
	size_t n = api->duckdb_data_chunk_get_size(chunk);

	SOTTO_TRY(sotto_result_grow(r, r->rows + n));
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(read_vector(api, r, &r->columns[i],
				      api->duckdb_data_chunk_get_vector(chunk, i), n));
	r->rows += n;
	return SOTTO_OK;
}

static enum sotto_engine_column kind_of(duckdb_type type, bool is_partial)
{
	if (type == DUCKDB_TYPE_HUGEINT)
		return is_partial ? SOTTO_ENGINE_WIDES : SOTTO_ENGINE_EXACTS;
	return type == DUCKDB_TYPE_LIST ? SOTTO_ENGINE_LISTS : SOTTO_ENGINE_CELLS;
}

static enum sotto_status
read_all(const struct sotto_duckdb *api, duckdb_result *from, struct sotto_engine_result *r)
{
	duckdb_data_chunk chunk;

	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(sotto_result_set_column(
			r, i, api->duckdb_column_name(from, i),
			kind_of(api->duckdb_column_type(from, i), r->is_partial)));
	while ((chunk = api->duckdb_fetch_chunk(*from)) != NULL) {
		enum sotto_status st = read_chunk(api, r, chunk);

		api->duckdb_destroy_data_chunk(&chunk);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_result_read(const struct sotto_duckdb *api, duckdb_result *from,
				    bool is_partial, struct sotto_engine_result **out)
{
	struct sotto_engine_result *r = sotto_engine_result_new(api->duckdb_column_count(from));
	enum sotto_status st;

	if (!r)
		return SOTTO_ENOMEM;
	r->is_partial = is_partial;
	st = read_all(api, from, r);
	if (st == SOTTO_OK)
		*out = r;
	else
		sotto_engine_result_free(r);
	return st;
}
