/* Values as PostgreSQL sends them. */
#include "server/wire/value/wire_value.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/shortest.h"
#include "server/catalog/catalog_array.h"
#include "server/wire/value/wire_moment.h"

enum wire_type {
	BOOL = 16,
	INT8 = 20,
	INT2 = 21,
	INT4 = 23,
	TEXT = 25,
	OID = 26,
	FLOAT4 = 700,
	FLOAT8 = 701,
	TEXT_ARRAY = 1009,
	DATE = 1082,
	TIMESTAMP = 1114,
};

int32_t sotto_wire_type(const char *type, int16_t *size)
{
	static const struct {
		const char *name;
		enum wire_type number;
		int16_t size;
	} types[] = {{"integer", INT8, 8}, {"number", FLOAT8, 8},       {"boolean", BOOL, 1},
		     {"date", DATE, 4},    {"timestamp", TIMESTAMP, 8}, {"text", TEXT, -1}};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcmp(types[i].name, type) == 0) {
			*size = types[i].size;
			return (int32_t)types[i].number;
		}
	*size = -1;
	return TEXT;
}

static void put_field(struct sotto_wire_stream *s, const void *bytes, size_t n)
{
	sotto_wire_int32(s, (int32_t)n);
	sotto_stream_put(s, bytes, n);
}

/* ---- text --------------------------------------------------------------------------------- */

/* PostgreSQL writes NaN and Infinity; any other number as the shortest that reads back. */
static void number_text(double x, char out[SOTTO_SHORTEST_SIZE])
{
	if (isnan(x) || isinf(x)) {
		(void)snprintf(out, SOTTO_SHORTEST_SIZE, "%s",
			       isnan(x) ? "NaN"
			       : x > 0  ? "Infinity"
					: "-Infinity");
		return;
	}
	sotto_shortest(x, out);
}

static void put_text(struct sotto_wire_stream *s, const struct sotto_value *v, int32_t type)
{
	char text[SOTTO_SHORTEST_SIZE], moment[SOTTO_MOMENT_TEXT];
	size_t n;

	if (v->text) {
		n = type == DATE || type == TIMESTAMP ? sotto_moment_text(v->text, moment) : 0;
		put_field(s, n > 0 ? moment : v->text, n > 0 ? n : strlen(v->text));
		return;
	}
	if (v->kind == SOTTO_VALUE_BOOL)
		(void)snprintf(text, sizeof text, "%s", v->integer ? "t" : "f");
	else if (v->kind == SOTTO_VALUE_INTEGER)
		(void)snprintf(text, sizeof text, "%" PRId64, v->integer);
	else
		number_text(v->number, text);
	put_field(s, text, strlen(text));
}

/* ---- binary ------------------------------------------------------------------------------- */

static void put_int64(struct sotto_wire_stream *s, int64_t x)
{
	uint64_t word = htobe64((uint64_t)x);

	put_field(s, &word, sizeof word);
}

static void put_double(struct sotto_wire_stream *s, double x)
{
	uint64_t word;

	memcpy(&word, &x, sizeof word);
	word = htobe64(word);
	put_field(s, &word, sizeof word);
}

static void put_binary(struct sotto_wire_stream *s, const struct sotto_value *v, int32_t type)
{
	struct sotto_moment moment;
	uint32_t word;
	char truth = v->integer != 0;

	if (type == INT8) {
		put_int64(s, v->integer);
	} else if (type == FLOAT8) {
		put_double(s, v->number);
	} else if (type == BOOL) {
		put_field(s, &truth, 1);
	} else if (type != DATE && type != TIMESTAMP) {
		put_text(s, v, type);
	} else if (!v->text || !sotto_moment_of(v->text, &moment)) {
		sotto_wire_int32(s, -1);
	} else if (type == DATE) {
		word = htobe32((uint32_t)moment.days);
		put_field(s, &word, sizeof word);
	} else {
		put_int64(s, moment.microseconds);
	}
}

void sotto_wire_value(struct sotto_wire_stream *s, const struct sotto_value *v,
		      const char *type, bool binary)
{
	int16_t size;
	int32_t number = sotto_wire_type(type, &size);

	if (v->kind == SOTTO_VALUE_NULL)
		sotto_wire_int32(s, -1);
	else if (binary)
		put_binary(s, v, number);
	else
		put_text(s, v, number);
}

/* ---- texts of the catalog ---------------------------------------------------------------------- */

int16_t sotto_wire_type_size(int32_t type)
{
	switch (type) {
	case BOOL:
		return 1;
	case INT2:
		return 2;
	case INT4:
	case OID:
	case FLOAT4:
	case DATE:
		return 4;
	case INT8:
	case FLOAT8:
	case TIMESTAMP:
		return 8;
	default:
		return -1;
	}
}

static void put_integer(struct sotto_wire_stream *s, const char *text, int16_t size)
{
	uint64_t word = htobe64((uint64_t)strtoll(text, NULL, 10) << (64 - 8 * size));

	put_field(s, &word, (size_t)size);
}

static void put_float4(struct sotto_wire_stream *s, float x)
{
	uint32_t word;

	memcpy(&word, &x, sizeof word);
	word = htobe32(word);
	put_field(s, &word, sizeof word);
}

/* One dimension, from 1 on, of texts. */
static void put_array(struct sotto_wire_stream *s, const char *text)
{
	size_t length_at = s->out.length, count_at;
	struct sotto_buffer item;
	uint32_t count = 0, word;
	bool is_null;

	sotto_wire_int32(s, 0);
	sotto_wire_int32(s, 1);
	sotto_wire_int32(s, 1);
	sotto_wire_int32(s, TEXT);
	count_at = s->out.length;
	sotto_wire_int32(s, 0);
	sotto_wire_int32(s, 1);
	sotto_buffer_init(&item, 1 << 20);
	for (; sotto_array_next(&text, &item, &is_null); count++) {
		if (is_null)
			sotto_wire_int32(s, -1);
		else
			put_field(s, sotto_buffer_text(&item), item.length);
	}
	sotto_buffer_release(&item);
	if (s->failed)
		return;
	word = htobe32(count);
	memcpy(s->out.bytes + count_at, &word, sizeof word);
	word = htobe32((uint32_t)(s->out.length - length_at - 4));
	memcpy(s->out.bytes + length_at, &word, sizeof word);
}

void sotto_wire_text_value(struct sotto_wire_stream *s, const char *text, int32_t type,
			   bool binary)
{
	char truth = text && *text == 't';

	if (!text)
		sotto_wire_int32(s, -1);
	else if (binary && type == BOOL)
		put_field(s, &truth, 1);
	else if (binary && (type == INT2 || type == INT4 || type == INT8 || type == OID))
		put_integer(s, text, sotto_wire_type_size(type));
	else if (binary && type == FLOAT8)
		put_double(s, strtod(text, NULL));
	else if (binary && type == FLOAT4)
		put_float4(s, strtof(text, NULL));
	else if (binary && type == TEXT_ARRAY)
		put_array(s, text);
	else
		put_field(s, text, strlen(text));
}
