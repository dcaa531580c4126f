/*
 * Results as integers, lists and keys.  Whatever was read is wiped when it is freed,
 * and when an array grows.
 */
#include "engine/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/wide.h"
#include "base/wipe.h"

struct column {
	char *name;
	duckdb_type type;
	struct sotto_engine_cell
		*cells; /* or, for an integer aggregate, exact; for a list, lists */
	int64_t *exact;
	struct sotto_engine_list *lists;
};

struct sotto_engine_result {
	struct column *columns;
	size_t column_count;
	size_t rows, capacity;
	char **pool; /* texts of the cells */
	size_t pool_count, pool_capacity;
};

static enum sotto_status
add_column(const struct sotto_duckdb *api, duckdb_result *from, size_t i, struct column *c)
{
	c->type = api->duckdb_column_type(from, i);
	c->name = strdup(api->duckdb_column_name(from, i));
	return c->name ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Where the column's values are kept, and how large one is. */
static void *values_of(const struct column *c, size_t *size)
{
	switch (c->type) {
	case DUCKDB_TYPE_HUGEINT:
		*size = sizeof *c->exact;
		return c->exact;
	case DUCKDB_TYPE_LIST:
		*size = sizeof *c->lists;
		return c->lists;
	default:
		*size = sizeof *c->cells;
		return c->cells;
	}
}

static void set_values(struct column *c, void *values)
{
	if (c->type == DUCKDB_TYPE_HUGEINT)
		c->exact = values;
	else if (c->type == DUCKDB_TYPE_LIST)
		c->lists = values;
	else
		c->cells = values;
}

static enum sotto_status grow(struct sotto_engine_result *r, size_t rows)
{
	size_t capacity = r->capacity ? r->capacity : 256, size;

	if (rows <= r->capacity)
		return SOTTO_OK;
	while (capacity < rows)
		capacity *= 2;
	for (size_t i = 0; i < r->column_count; i++) {
		void *old = values_of(&r->columns[i], &size), *grown = calloc(capacity, size);

		if (!grown)
			return SOTTO_ENOMEM;
		if (old) {
			memcpy(grown, old, r->rows * size);
			sotto_wipe(old, r->rows * size);
			free(old);
		}
		set_values(&r->columns[i], grown);
	}
	r->capacity = capacity;
	return SOTTO_OK;
}

/* A NUL in a text is shown as its symbol: cut off there, different keys would look alike. */
static void copy_shown(char *out, const char *bytes, size_t n)
{
	static const char symbol[] = "\xe2\x90\x80";

	for (size_t i = 0; i < n; i++) {
		if (bytes[i]) {
			*out++ = bytes[i];
		} else {
			memcpy(out, symbol, 3);
			out += 3;
		}
	}
	*out = '\0';
}

static size_t count_nuls(const char *bytes, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += bytes[i] == '\0';
	return count;
}

static char *keep_text(struct sotto_engine_result *r, const char *bytes, size_t n)
{
	char *text;

	if (r->pool_count == r->pool_capacity) {
		size_t capacity = r->pool_capacity ? 2 * r->pool_capacity : 256;
		char **grown = realloc(r->pool, capacity * sizeof *grown);

		if (!grown)
			return NULL;
		r->pool = grown;
		r->pool_capacity = capacity;
	}
	text = malloc(n + 2 * count_nuls(bytes, n) + 1);
	if (!text)
		return NULL;
	copy_shown(text, bytes, n);
	r->pool[r->pool_count++] = text;
	return text;
}

static int64_t hold(duckdb_hugeint h)
{
	const int64_t end = (int64_t)1 << 62;
	sotto_i128 value = h.upper * ((sotto_i128)1 << 64) + h.lower;

	return value > end ? end : value < -end ? -end : (int64_t)value;
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
			.text = keep_text(r,
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

static void list_release(struct sotto_engine_list *l)
{
	if (l->values)
		sotto_wipe(l->values, l->n * sizeof *l->values);
	if (l->keys)
		sotto_wipe(l->keys, l->n * sizeof *l->keys);
	if (l->counts)
		sotto_wipe(l->counts, l->n * sizeof *l->counts);
	free(l->values);
	free(l->keys);
	free(l->counts);
}

static enum sotto_status read_vector(const struct sotto_duckdb *api,
				     struct sotto_engine_result *r, struct column *c,
				     duckdb_vector vector, size_t n)
{
	const uint64_t *valid = api->duckdb_vector_get_validity(vector);
	const void *data = api->duckdb_vector_get_data(vector);

	for (size_t i = 0; i < n; i++) {
		size_t row = r->rows + i;

		if (is_null(valid, i))
			continue;
		if (c->exact)
			c->exact[row] = hold(((const duckdb_hugeint *)data)[i]);
		else if (c->lists)
			SOTTO_TRY(read_list(api, r, api->duckdb_list_vector_get_child(vector),
					    ((const duckdb_list_entry *)data)[i],
					    &c->lists[row]));
		else
			SOTTO_TRY(read_cell(r, c->type, data, i, &c->cells[row]));
	}
	return SOTTO_OK;
}

static enum sotto_status read_chunk(const struct sotto_duckdb *api,
				    struct sotto_engine_result *r, duckdb_data_chunk chunk)
{
	size_t n = api->duckdb_data_chunk_get_size(chunk);

	SOTTO_TRY(grow(r, r->rows + n));
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(read_vector(api, r, &r->columns[i],
				      api->duckdb_data_chunk_get_vector(chunk, i), n));
	r->rows += n;
	return SOTTO_OK;
}

static enum sotto_status
read_all(const struct sotto_duckdb *api, duckdb_result *from, struct sotto_engine_result *r)
{
	duckdb_data_chunk chunk;

	r->column_count = api->duckdb_column_count(from);
	r->columns = calloc(r->column_count, sizeof *r->columns);
	if (!r->columns)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->column_count; i++)
		SOTTO_TRY(add_column(api, from, i, &r->columns[i]));
	while ((chunk = api->duckdb_fetch_chunk(*from)) != NULL) {
		enum sotto_status st = read_chunk(api, r, chunk);

		api->duckdb_destroy_data_chunk(&chunk);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_result_read(const struct sotto_duckdb *api, duckdb_result *from,
				    struct sotto_engine_result **out)
{
	struct sotto_engine_result *r = calloc(1, sizeof *r);
	enum sotto_status st = r ? read_all(api, from, r) : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		*out = r;
	else
		sotto_engine_result_free(r);
	return st;
}

static void column_release(struct column *c, size_t capacity)
{
	size_t size;
	void *values = values_of(c, &size);

	for (size_t i = 0; c->lists && i < capacity; i++)
		list_release(&c->lists[i]);
	if (values)
		sotto_wipe(values, capacity * size);
	free(values);
	free(c->name);
}

void sotto_engine_result_free(struct sotto_engine_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; r->columns && i < r->column_count; i++)
		column_release(&r->columns[i], r->capacity);
	for (size_t i = 0; i < r->pool_count; i++) {
		sotto_wipe(r->pool[i], strlen(r->pool[i]));
		free(r->pool[i]);
	}
	free(r->pool);
	free(r->columns);
	free(r);
}

size_t sotto_engine_rows(const struct sotto_engine_result *r)
{
	return r->rows;
}

size_t sotto_engine_column_count(const struct sotto_engine_result *r)
{
	return r->column_count;
}

const char *sotto_engine_column_name(const struct sotto_engine_result *r, size_t column)
{
	return r->columns[column].name;
}

struct sotto_engine_cell
sotto_engine_cell(const struct sotto_engine_result *r, size_t row, size_t column)
{
	return r->columns[column].cells[row];
}

struct sotto_exact
sotto_engine_exact(const struct sotto_engine_result *r, size_t row, size_t column)
{
	return sotto_exact_of(r->columns[column].exact[row]);
}

const struct sotto_engine_list *
sotto_engine_list(const struct sotto_engine_result *r, size_t row, size_t column)
{
	return &r->columns[column].lists[row];
}
