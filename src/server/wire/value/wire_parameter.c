/* Values of Bind, as text or binary. */
#include "server/wire/value/wire_parameter.h"

#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"
#include "core/base/shortest.h"
#include "server/wire/value/wire_moment.h"

enum { PARAMETERS_MAX = 10000, NUMERIC_TEXT = 2000 };

enum type {
	BOOL = 16,
	INT8 = 20,
	INT2 = 21,
	INT4 = 23,
	OID = 26,
	FLOAT4 = 700,
	FLOAT8 = 701,
	BPCHAR = 1042,
	VARCHAR = 1043,
	DATE = 1082,
	TIMESTAMP = 1114,
	TIMESTAMPTZ = 1184,
	NUMERIC = 1700,
};

static enum sotto_parameter_kind kind_of(int32_t type)
{
	switch (type) {
	case BOOL:
		return SOTTO_PARAMETER_BOOL;
	case INT2:
	case INT4:
	case INT8:
	case OID:
	case FLOAT4:
	case FLOAT8:
	case NUMERIC:
		return SOTTO_PARAMETER_NUMBER;
	case DATE:
		return SOTTO_PARAMETER_DATE;
	case TIMESTAMP:
	case TIMESTAMPTZ:
		return SOTTO_PARAMETER_TIMESTAMP;
	default:
		return SOTTO_PARAMETER_TEXT;
	}
}

/* ---- text -------------------------------------------------------------------------------------- */

static bool truth_of(const char *text, bool *out)
{
	static const char *const yes[] = {"t", "true", "y", "yes", "on", "1"},
				 *const no[] = {"f", "false", "n", "no", "off", "0"};

	for (size_t i = 0; i < 6; i++)
		if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
			*out = strcasecmp(text, yes[i]) == 0;
			return true;
		}
	return false;
}

/* A text value of a type; malloc'd, NULL if it is not one. */
static char *read_text(const char *bytes, size_t n, int32_t type)
{
	char *text = memchr(bytes, '\0', n) ? NULL : strndup(bytes, n);
	bool truth;

	if (!text || kind_of(type) != SOTTO_PARAMETER_BOOL)
		return text;
	if (!truth_of(text, &truth)) {
		free(text);
		return NULL;
	}
	free(text);
	return strdup(truth ? "true" : "false");
}

/* ---- binary ------------------------------------------------------------------------------------ */

static uint64_t big_endian(const char *bytes, size_t n)
{
	uint64_t x = 0;

	for (size_t i = 0; i < n; i++)
		x = x << 8 | (uint8_t)bytes[i];
	return x;
}

static char *integer_text(int64_t x)
{
	char *text = NULL;

	return asprintf(&text, "%" PRId64, x) < 0 ? NULL : text;
}

static char *double_text(double x)
{
	char text[SOTTO_SHORTEST_SIZE];

	if (isnan(x) || isinf(x))
		return NULL;
	sotto_shortest(x, text);
	return strdup(text);
}

static char *float_text(const char *bytes, size_t n)
{
	uint64_t word = big_endian(bytes, n);
	uint32_t half = (uint32_t)word;
	double x;
	float y;

	if (n == 4) {
		memcpy(&y, &half, sizeof y);
		return double_text((double)y);
	}
	memcpy(&x, &word, sizeof x);
	return double_text(x);
}

/* All digits of a numeric, four to a group; false if it is not one. */
static bool numeric_digits(const char *bytes, size_t groups, char out[NUMERIC_TEXT])
{
	for (size_t i = 0; i < groups; i++) {
		unsigned four = (unsigned)big_endian(bytes + 2 * i, 2);

		if (four > 9999)
			return false;
		(void)snprintf(out + 4 * i, NUMERIC_TEXT - 4 * i, "%04u", four);
	}
	out[4 * groups] = '\0';
	return true;
}

/* As people write it: 0012.50 is 12.5. */
static char *without_zeros(char *text)
{
	char *first = text + (*text == '-'), *digit = first, *end = text + strlen(text);

	while (strchr(text, '.') && (end[-1] == '0' || end[-1] == '.')) {
		bool is_point = *--end == '.';

		*end = '\0';
		if (is_point)
			break;
	}
	while (digit[0] == '0' && digit[1] >= '0' && digit[1] <= '9')
		digit++;
	memmove(first, digit, strlen(digit) + 1);
	return strdup(text);
}

/* The first group has a weight of 10000^weight: the point stands after 4 (weight + 1) digits. */
static char *numeric_text(const char *bytes, size_t n)
{
	size_t groups = n >= 8 ? (size_t)big_endian(bytes, 2) : 0, at = 0;
	int weight = n >= 8 ? (int16_t)big_endian(bytes + 2, 2) : 0;
	unsigned sign = n >= 8 ? (unsigned)big_endian(bytes + 4, 2) : 0xC000;
	char digits[NUMERIC_TEXT], text[NUMERIC_TEXT];
	int end = 4 * (int)groups, point = 4 * (weight + 1);

	if (n != 8 + 2 * groups || groups > 100 || abs(weight) > 100 ||
	    (sign != 0 && sign != 0x4000) || !numeric_digits(bytes + 8, groups, digits))
		return NULL;
	if (sign)
		text[at++] = '-';
	text[at++] = '0';
	for (int i = point < 0 ? point : 0; i < end || i < point; i++) {
		if (i == point)
			text[at++] = '.';
		text[at++] = i >= 0 && i < end ? digits[i] : '0';
	}
	text[at] = '\0';
	return without_zeros(text);
}

/* Of the types of lists that clients send; their texts look like {1,2}. */
static bool is_list(int32_t type)
{
	static const int32_t lists[] = {1000, 1005, 1007, 1009, 1014, 1015, 1016,
					1021, 1022, 1115, 1182, 1185, 1231};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if (lists[i] == type)
			return true;
	return false;
}

static char *read_binary(const char *bytes, size_t n, int32_t type);

/* In double quotes, as a list has it; false: it is no value of that type. */
static bool write_element(const char *bytes, size_t n, int32_t type, FILE *out)
{
	char *text = read_binary(bytes, n, type);

	if (!text)
		return false;
	fputc('"', out);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputc(*c, out);
	}
	fputc('"', out);
	free(text);
	return true;
}

/* One dimension: how many, where nulls are, the type, the count, the first index; the elements. */
static bool write_list(const char *bytes, size_t n, FILE *out)
{
	enum { HEAD = 20 };
	int32_t type = n < HEAD ? 0 : (int32_t)big_endian(bytes + 8, 4), length;
	uint64_t count = n < HEAD ? 0 : big_endian(bytes + 12, 4);
	size_t at = HEAD;

	if (n < HEAD || big_endian(bytes, 4) != 1 || is_list(type))
		return false;
	fputc('{', out);
	for (uint64_t i = 0; i < count; i++) {
		if (n - at < 4)
			return false;
		length = (int32_t)big_endian(bytes + at, 4);
		at += 4;
		if (i > 0)
			fputc(',', out);
		if (length == -1) {
			fputs("NULL", out);
			continue;
		}
		if (length < 0 || n - at < (size_t)length ||
		    !write_element(bytes + at, (size_t)length, type, out))
			return false;
		at += (size_t)length;
	}
	fputc('}', out);
	return at == n;
}

static char *list_text(const char *bytes, size_t n)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool good = out && write_list(bytes, n, out);

	if (!out)
		return NULL;
	if (fclose(out) == 0 && good)
		return text;
	free(text);
	return NULL;
}

static char *read_binary(const char *bytes, size_t n, int32_t type)
{
	if (is_list(type))
		return list_text(bytes, n);
	switch (type) {
	case BOOL:
		return n == 1 ? strdup(*bytes ? "true" : "false") : NULL;
	case INT2:
		return n == 2 ? integer_text((int16_t)big_endian(bytes, 2)) : NULL;
	case INT4:
		return n == 4 ? integer_text((int32_t)big_endian(bytes, 4)) : NULL;
	case OID:
		return n == 4 ? integer_text((int64_t)big_endian(bytes, 4)) : NULL;
	case INT8:
		return n == 8 ? integer_text((int64_t)big_endian(bytes, 8)) : NULL;
	case FLOAT4:
	case FLOAT8:
		return n == (type == FLOAT4 ? 4 : 8) ? float_text(bytes, n) : NULL;
	case NUMERIC:
		return numeric_text(bytes, n);
	case DATE:
		return n == 4 ? sotto_date_text((int32_t)big_endian(bytes, 4)) : NULL;
	case TIMESTAMP:
	case TIMESTAMPTZ:
		return n == 8 ? sotto_timestamp_text((int64_t)big_endian(bytes, 8)) : NULL;
	case 0:
	case SOTTO_TYPE_TEXT:
	case VARCHAR:
	case BPCHAR:
		return read_text(bytes, n, type);
	default:
		return NULL;
	}
}

/* ---- Bind --------------------------------------------------------------------------------------- */

static bool read_value(struct sotto_bound_value *out, struct sotto_message *m, int32_t type,
		       bool binary, size_t number, struct sotto_error *err)
{
	int32_t n = sotto_message_int32(m);
	const char *bytes;

	*out = (struct sotto_bound_value){.kind = SOTTO_PARAMETER_NULL};
	if (n == -1)
		return true;
	bytes = sotto_message_bytes(m, n);
	if (!bytes)
		return false;
	out->text = binary ? read_binary(bytes, (size_t)n, type)
			   : read_text(bytes, (size_t)n, type);
	out->kind = kind_of(type);
	if (!out->text) {
		(void)sotto_fail(err, SOTTO_EPARSE,
				 "the value of $%zu cannot be read as a value of its type; "
				 "send it as text",
				 number);
		return false;
	}
	return true;
}

static bool
read_formats(struct sotto_message *m, int16_t formats[PARAMETERS_MAX], int16_t *count)
{
	*count = sotto_message_int16(m);
	if (m->broken || *count < 0 || *count > PARAMETERS_MAX)
		return false;
	for (int16_t i = 0; i < *count; i++) {
		formats[i] = sotto_message_int16(m);
		if (formats[i] != 0 && formats[i] != 1) /* text and binary: there is no other */
			return false;
	}
	return !m->broken;
}

bool sotto_bound_read(struct sotto_wire_parameters *out, struct sotto_message *m,
		      const int32_t *types, size_t type_count, struct sotto_error *err)
{
	int16_t *formats = calloc(PARAMETERS_MAX, sizeof *formats), format_count = 0, n = 0;
	bool good = formats && read_formats(m, formats, &format_count);

	*out = (struct sotto_wire_parameters){0};
	n = good ? sotto_message_int16(m) : -1;
	good = good && !m->broken && n >= 0 && n <= PARAMETERS_MAX &&
	       (format_count <= 1 || format_count == n);
	if (good)
		out->items = calloc((size_t)n + 1, sizeof *out->items);
	for (int16_t i = 0; good && out->items && i < n; i++) {
		bool binary =
			format_count == 0 ? false : formats[format_count == 1 ? 0 : i] == 1;

		out->count++;
		good = read_value(&out->items[i], m, (size_t)i < type_count ? types[i] : 0,
				  binary, (size_t)i + 1, err);
	}
	free(formats);
	if (good && out->items)
		return true;
	sotto_bound_release(out);
	return false;
}

void sotto_bound_release(struct sotto_wire_parameters *p)
{
	for (size_t i = 0; i < p->count; i++)
		free((char *)p->items[i].text);
	free(p->items);
	*p = (struct sotto_wire_parameters){0};
}

/* ---- before values are known --------------------------------------------------------------------- */

/* $n outside of quotes; one inside is counted too, which does no harm. */
size_t sotto_bound_count(const char *sql)
{
	size_t most = 0;

	for (; (sql = strchr(sql, '$')); sql++) {
		size_t n = isdigit((unsigned char)sql[1]) ? strtoul(sql + 1, NULL, 10) : 0;

		if (n <= PARAMETERS_MAX && n > most)
			most = n;
	}
	return most;
}

bool sotto_bound_make_up(struct sotto_wire_parameters *out, const int32_t *types,
			 size_t type_count, size_t count)
{
	static const char *const texts[] = {[SOTTO_PARAMETER_BOOL] = "true",
					    [SOTTO_PARAMETER_NUMBER] = "1",
					    [SOTTO_PARAMETER_TEXT] = "1",
					    [SOTTO_PARAMETER_DATE] = "2000-01-01",
					    [SOTTO_PARAMETER_TIMESTAMP] =
						    "2000-01-01 00:00:00"};

	*out = (struct sotto_wire_parameters){.items = calloc(count + 1, sizeof *out->items)};
	for (size_t i = 0; out->items && i < count; i++) {
		int32_t type = i < type_count ? types[i] : 0;
		enum sotto_parameter_kind kind = kind_of(type);

		out->items[i] = (struct sotto_bound_value){
			.kind = kind, .text = strdup(is_list(type) ? "{NULL}" : texts[kind])};
		out->count++;
		if (!out->items[i].text)
			return false;
	}
	return out->items != NULL;
}
