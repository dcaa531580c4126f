/* Values as PostgreSQL sends them. */
#include "server/wire/wire_value.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/shortest.h"

enum wire_type { INT8 = 20, TEXT = 25, BOOL = 16, FLOAT8 = 701, DATE = 1082, TIMESTAMP = 1114 };

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

static void put_text(struct sotto_wire_stream *s, const struct sotto_value *v)
{
	char text[SOTTO_SHORTEST_SIZE];

	if (v->text) {
		put_field(s, v->text, strlen(v->text));
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

/* Days from 2000-01-01 to a day of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400,
		of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 730425;
}

/* "2024-05-01", "2024-05-01 10:11:12.5"; false if it is none. */
static bool moment_of(const char *text, int64_t *days, int64_t *microseconds)
{
	int year, month, day, hour = 0, minute = 0, n = 0;
	double second = 0;

	if (sscanf(text, "%d-%d-%d%n", &year, &month, &day, &n) != 3)
		return false;
	if (text[n] && sscanf(text + n + 1, "%d:%d:%lf", &hour, &minute, &second) < 2)
		return false;
	*days = days_of(year, month, day);
	*microseconds = *days * INT64_C(86400000000) + hour * INT64_C(3600000000) +
			minute * INT64_C(60000000) + llround(second * 1e6);
	return true;
}

static void put_binary(struct sotto_wire_stream *s, const struct sotto_value *v, int32_t type)
{
	int64_t days, microseconds;
	uint32_t word;
	char truth = v->integer != 0;

	if (type == INT8) {
		put_int64(s, v->integer);
	} else if (type == FLOAT8) {
		put_double(s, v->number);
	} else if (type == BOOL) {
		put_field(s, &truth, 1);
	} else if ((type == DATE || type == TIMESTAMP) && v->text &&
		   moment_of(v->text, &days, &microseconds)) {
		word = htobe32((uint32_t)days);
		if (type == DATE)
			put_field(s, &word, sizeof word);
		else
			put_int64(s, microseconds);
	} else {
		put_text(s, v);
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
		put_text(s, v);
}
