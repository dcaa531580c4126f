/*
 * A release as JSON for the ledger: {"keys": [[...]], "values": [[...]]}, and
 * "outcomes": [[...]] if something was picked.
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

static json_t *keys_to_json(const struct sotto_value *values, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list, key_to_json(&values[i]));
	return list;
}

static json_t *values_to_json(const struct sotto_noisy *values, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list, json_integer(values[i].value));
	return list;
}

enum sotto_status sotto_release_write(const struct sotto_release *r, char **text)
{
	json_t *root = json_object(), *keys = json_array(), *values = json_array();
	json_t *outcomes = json_array();

	for (size_t i = 0; i < r->rows; i++) {
		(void)json_array_append_new(
			keys, keys_to_json(r->keys + i * r->key_count, r->key_count));
		(void)json_array_append_new(
			values,
			values_to_json(r->values + i * r->measure_count, r->measure_count));
		(void)json_array_append_new(
			outcomes,
			keys_to_json(r->outcomes + i * r->outcome_count, r->outcome_count));
	}
	(void)json_object_set_new(root, "keys", keys);
	(void)json_object_set_new(root, "values", values);
	if (r->outcome_count > 0)
		(void)json_object_set(root, "outcomes", outcomes);
	json_decref(outcomes);
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
read_keys(struct sotto_arena *a, const json_t *list, struct sotto_value *out, size_t n)
{
	if (json_array_size(list) != n)
		return SOTTO_ECORRUPT;
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(key_from_json(a, json_array_get(list, i), &out[i]));
	return SOTTO_OK;
}

static enum sotto_status read_values(const json_t *list, struct sotto_noisy *out, size_t n)
{
	if (json_array_size(list) != n)
		return SOTTO_ECORRUPT;
	for (size_t i = 0; i < n; i++) {
		const json_t *j = json_array_get(list, i);

		if (!json_is_integer(j))
			return SOTTO_ECORRUPT;
		out[i].value = json_integer_value(j);
	}
	return SOTTO_OK;
}

static enum sotto_status allocate_rows(struct sotto_release *r)
{
	r->keys = sotto_arena_alloc(&r->arena, (r->rows * r->key_count + 1) * sizeof *r->keys);
	r->values = sotto_arena_alloc(&r->arena,
				      (r->rows * r->measure_count + 1) * sizeof *r->values);
	r->outcomes = sotto_arena_alloc(&r->arena,
					(r->rows * r->outcome_count + 1) * sizeof *r->outcomes);
	return r->keys && r->values && r->outcomes ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status read_rows(struct sotto_release *r, const json_t *root)
{
	const json_t *keys = json_object_get(root, "keys");
	const json_t *values = json_object_get(root, "values");
	const json_t *outcomes = json_object_get(root, "outcomes");

	r->rows = json_array_size(keys);
	if (json_array_size(values) != r->rows ||
	    (r->outcome_count > 0 && json_array_size(outcomes) != r->rows))
		return SOTTO_ECORRUPT;
	SOTTO_TRY(allocate_rows(r));
	for (size_t i = 0; i < r->rows; i++) {
		SOTTO_TRY(read_keys(&r->arena, json_array_get(keys, i),
				    r->keys + i * r->key_count, r->key_count));
		SOTTO_TRY(read_values(json_array_get(values, i),
				      r->values + i * r->measure_count, r->measure_count));
		SOTTO_TRY(read_keys(&r->arena, json_array_get(outcomes, i),
				    r->outcomes + i * r->outcome_count, r->outcome_count));
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_release_read(struct sotto_release *r, const struct sotto_plan *plan, const char *text)
{
	json_t *root = json_loads(text, 0, NULL);
	enum sotto_status st;

	if (!root)
		return SOTTO_ECORRUPT;
	sotto_release_shape(r, plan);
	st = read_rows(r, root);
	json_decref(root);
	return st;
}
