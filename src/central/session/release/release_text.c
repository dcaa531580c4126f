/*
 * A release as JSON for the ledger: {"keys": [[...]], "values": [[...]]}, and
 * "outcomes": [[...]] if something was chosen, "losses": {...} if what the limits lost was
 * asked for.  Several that are one answer:
 * {"parts": [{...}, {...}]}.
 */
#include "central/session/release/release.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/release/release_loss.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

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

/* JSON has no numbers that are infinite or none. */
static enum sotto_status add_number(struct sotto_buffer *b, double x)
{
	if (isnan(x))
		return sotto_buffer_append_text(b, "{\"number\":\"nan\"}");
	if (isinf(x))
		return sotto_buffer_append_text(b, x > 0 ? "{\"number\":\"inf\"}"
							 : "{\"number\":\"-inf\"}");
	return add_json(b, json_real(x));
}

static bool number_from_json(const json_t *j, double *out)
{
	const char *word = json_string_value(json_object_get(j, "number"));

	if (!word || json_object_size(j) != 1)
		return false;
	if (strcmp(word, "nan") == 0)
		*out = NAN;
	else if (strcmp(word, "inf") == 0)
		*out = INFINITY;
	else if (strcmp(word, "-inf") == 0)
		*out = -INFINITY;
	else
		return false;
	return true;
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
		return add_number(b, v->number);
	case SOTTO_VALUE_TEXT:
		break;
	}
	return add_json(b, json_string(v->text));
}

/* Rows of n things each: keys, or noisy integers if there are no keys. */
static enum sotto_status add_rows(struct sotto_buffer *b, const struct sotto_value *keys,
				  const struct sotto_noisy *values, size_t rows, size_t n)
{
	for (size_t i = 0; i < rows; i++) {
		SOTTO_TRY(sotto_buffer_append_text(b, i ? ",[" : "["));
		for (size_t j = i * n; j < (i + 1) * n; j++) {
			if (j > i * n)
				SOTTO_TRY(sotto_buffer_append_text(b, ","));
			SOTTO_TRY(keys ? add_key(b, &keys[j])
				       : add_integer(b, values[j].value));
		}
		SOTTO_TRY(sotto_buffer_append_text(b, "]"));
	}
	return SOTTO_OK;
}

static enum sotto_status write(struct sotto_buffer *b, const struct sotto_release *r)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "{\"keys\":["));
	SOTTO_TRY(add_rows(b, r->keys, NULL, r->rows, r->key_count));
	SOTTO_TRY(sotto_buffer_append_text(b, "],\"values\":["));
	SOTTO_TRY(add_rows(b, NULL, r->values, r->rows, r->measure_count));
	if (r->outcome_count > 0) {
		SOTTO_TRY(sotto_buffer_append_text(b, "],\"outcomes\":["));
		SOTTO_TRY(add_rows(b, r->outcomes, NULL, r->rows, r->outcome_count));
	}
	SOTTO_TRY(sotto_buffer_append_text(b, "]"));
	SOTTO_TRY(sotto_losses_write(b, r));
	return sotto_buffer_append_text(b, "}");
}

static enum sotto_status
write_all(struct sotto_buffer *b, const struct sotto_release *r, size_t count)
{
	if (count == 1)
		return write(b, r);
	SOTTO_TRY(sotto_buffer_append_text(b, "{\"parts\":["));
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			SOTTO_TRY(sotto_buffer_append_text(b, ","));
		SOTTO_TRY(write(b, &r[i]));
	}
	return sotto_buffer_append_text(b, "]}");
}

enum sotto_status sotto_releases_write(const struct sotto_release *r, size_t count, char **text)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, (size_t)1 << 30);
	st = write_all(&b, r, count);
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
	double special;

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
	else if (number_from_json(j, &special))
		cell = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_NUMBER,
						  .number = special};
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
	return sotto_losses_read(r, root);
}

static enum sotto_status read_all(struct sotto_release *r,
				  const struct sotto_plan *const *plans, size_t count,
				  const json_t *root)
{
	const json_t *parts = json_object_get(root, "parts");

	if (count != 1 && json_array_size(parts) != count)
		return SOTTO_ECORRUPT;
	for (size_t i = 0; i < count; i++) {
		sotto_release_shape(&r[i], plans[i]);
		SOTTO_TRY(read_rows(&r[i], count == 1 ? root : json_array_get(parts, i)));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_releases_read(struct sotto_release *r,
				      const struct sotto_plan *const *plans, size_t count,
				      const char *text)
{
	json_t *root = json_loads(text, 0, NULL);
	enum sotto_status st;

	if (!root)
		return SOTTO_ECORRUPT;
	st = read_all(r, plans, count, root);
	json_decref(root);
	return st;
}
