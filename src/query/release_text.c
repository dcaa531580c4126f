/*
 * A release as JSON for the ledger: {"keys": [[...]], "values": [[...]]}.
 */
#include "query/release.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/failure.h"

/* Digits by hand: a release has tens of thousands of numbers. */
static enum sotto_status add_integer(struct sotto_buffer *b, int64_t x)
{
	uint64_t rest = x < 0 ? -(uint64_t)x : (uint64_t)x;
	char digits[24], *end = digits + sizeof digits, *c = end;

	do
		*--c = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (x < 0)
		*--c = '-';
	return sotto_buffer_append(b, c, (size_t)(end - c));
}

static enum sotto_status add_json(struct sotto_buffer *b, json_t *value)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
	enum sotto_status st = text ? sotto_buffer_append_text(b, text) : SOTTO_ENOMEM;

	free(text);
	json_decref(value);
	return st;
}

static enum sotto_status add_key(struct sotto_buffer *b, const struct sotto_value *v)
{
	switch (v->kind) {
	case SOTTO_VALUE_NULL:
		return sotto_buffer_append_text(b, "null");
	case SOTTO_VALUE_BOOL:
		return sotto_buffer_append_text(b, v->integer ? "true" : "false");
	case SOTTO_VALUE_INTEGER:
		return add_integer(b, v->integer);
	case SOTTO_VALUE_NUMBER:
		return add_json(b, json_real(v->number));
	case SOTTO_VALUE_TEXT:
		break;
	}
	return add_json(b, json_string(v->text));
}

static enum sotto_status
add_row(struct sotto_buffer *b, const struct sotto_release *r, size_t row, bool keys)
{
	size_t n = keys ? r->key_count : r->measure_count;

	SOTTO_TRY(sotto_buffer_append_text(b, row ? ",[" : "["));
	for (size_t i = row * n; i < (row + 1) * n; i++) {
		if (i > row * n)
			SOTTO_TRY(sotto_buffer_append_text(b, ","));
		SOTTO_TRY(keys ? add_key(b, &r->keys[i]) : add_integer(b, r->values[i].value));
	}
	return sotto_buffer_append_text(b, "]");
}

static enum sotto_status
add_rows(struct sotto_buffer *b, const struct sotto_release *r, bool keys)
{
	for (size_t i = 0; i < r->rows; i++)
		SOTTO_TRY(add_row(b, r, i, keys));
	return SOTTO_OK;
}

static enum sotto_status write(struct sotto_buffer *b, const struct sotto_release *r)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "{\"keys\":["));
	SOTTO_TRY(add_rows(b, r, true));
	SOTTO_TRY(sotto_buffer_append_text(b, "],\"values\":["));
	SOTTO_TRY(add_rows(b, r, false));
	return sotto_buffer_append_text(b, "]}");
}

enum sotto_status sotto_release_write(const struct sotto_release *r, char **text)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, (size_t)1 << 30);
	st = write(&b, r);
	if (st != SOTTO_OK) {
		sotto_buffer_release(&b);
		return st;
	}
	*text = b.bytes;
	return SOTTO_OK;
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
