/*
 * A release as JSON for the ledger: {"keys": [[...]], "values": [[...]]}.
 */
#include "query/release.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/failure.h"

static json_t *key_to_json(const struct sotto_value *v)
{
	switch (v->kind) {
	case SOTTO_VALUE_NULL:
		return json_null();
	case SOTTO_VALUE_BOOL:
		return json_boolean(v->integer);
	case SOTTO_VALUE_INTEGER:
		return json_integer(v->integer);
	case SOTTO_VALUE_NUMBER:
		return json_real(v->number);
	case SOTTO_VALUE_TEXT:
		break;
	}
	return json_string(v->text);
}

static json_t *row_to_json(const struct sotto_release *r, size_t row, bool keys)
{
	size_t n = keys ? r->key_count : r->measure_count;
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list,
					    keys ? key_to_json(&r->keys[row * n + i])
						 : json_integer(r->values[row * n + i].value));
	return list;
}

enum sotto_status sotto_release_write(const struct sotto_release *r, char **text)
{
	json_t *root = json_object(), *keys = json_array(), *values = json_array();

	for (size_t i = 0; i < r->rows; i++) {
		(void)json_array_append_new(keys, row_to_json(r, i, true));
		(void)json_array_append_new(values, row_to_json(r, i, false));
	}
	(void)json_object_set_new(root, "keys", keys);
	(void)json_object_set_new(root, "values", values);
	*text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return *text ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
key_from_json(struct sotto_arena *a, const json_t *j, struct sotto_value *out)
{
	struct sotto_engine_cell cell = {.kind = SOTTO_ENGINE_NULL};

	if (json_is_boolean(j))
		cell = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_BOOL,
						  .integer = json_is_true(j)};
	else if (json_is_integer(j))
		cell = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_INTEGER,
						  .integer = json_integer_value(j)};
	else if (json_is_real(j))
		cell = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_NUMBER,
						  .number = json_real_value(j)};
	else if (json_is_string(j))
		cell = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_TEXT,
						  .text = json_string_value(j)};
	else if (!json_is_null(j))
		return SOTTO_ECORRUPT;
	return sotto_value_copy(a, cell, out);
}

static enum sotto_status
read_row(struct sotto_release *r, const json_t *keys, const json_t *values, size_t row)
{
	if (json_array_size(keys) != r->key_count ||
	    json_array_size(values) != r->measure_count)
		return SOTTO_ECORRUPT;
	for (size_t i = 0; i < r->key_count; i++)
		SOTTO_TRY(key_from_json(&r->arena, json_array_get(keys, i),
					&r->keys[row * r->key_count + i]));
	for (size_t i = 0; i < r->measure_count; i++) {
		const json_t *j = json_array_get(values, i);

		if (!json_is_integer(j))
			return SOTTO_ECORRUPT;
		r->values[row * r->measure_count + i].value = json_integer_value(j);
	}
	return SOTTO_OK;
}

static enum sotto_status
read_rows(struct sotto_release *r, const json_t *keys, const json_t *values)
{
	r->rows = json_array_size(keys);
	if (json_array_size(values) != r->rows)
		return SOTTO_ECORRUPT;
	r->keys = sotto_arena_alloc(&r->arena, (r->rows * r->key_count + 1) * sizeof *r->keys);
	r->values = sotto_arena_alloc(&r->arena,
				      (r->rows * r->measure_count + 1) * sizeof *r->values);
	if (!r->keys || !r->values)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->rows; i++)
		SOTTO_TRY(read_row(r, json_array_get(keys, i), json_array_get(values, i), i));
	return SOTTO_OK;
}

enum sotto_status
sotto_release_read(struct sotto_release *r, const struct sotto_plan *plan, const char *text)
{
	json_t *root = json_loads(text, 0, NULL);
	enum sotto_status st;

	if (!root)
		return SOTTO_ECORRUPT;
	r->key_count = plan->key_count + plan->derived_count;
	r->measure_count = plan->measure_count;
	st = read_rows(r, json_object_get(root, "keys"), json_object_get(root, "values"));
	json_decref(root);
	return st;
}
