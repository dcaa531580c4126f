/*
 * For each type, the expression that the server computes, which is NULL where a value has no
 * image in the engine, and the way from its binary form into the engine's vectors.
 */
#include "central/engine/postgres/postgres_type.h"

#include <string.h>

#include "central/engine/engine.h"
#include "core/base/utf8_check.h"

/* Numbers that PostgreSQL has given its own types for good (pg_type.dat). */
enum {
	OID_BOOL = 16,
	OID_BYTEA = 17,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_JSON = 114,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_DATE = 1082,
	OID_TIMESTAMP = 1114,
	OID_TIMESTAMPTZ = 1184,
	OID_BIT = 1560,
	OID_VARBIT = 1562,
	OID_NUMERIC = 1700,
};

enum { DECIMAL_MAX = 18, MODIFIER_HEADER = 4, DAYS_TO_2000 = 10957 };
static const int64_t microseconds_to_2000 = INT64_C(946684800000000);

/*
 * numeric(width, scale) whose digits fit into 64 bits stays exact; any other
 * numeric becomes a double, as it would in arithmetic with one.
 */
static struct sotto_postgres_type numeric_type(int32_t modifier)
{
	int32_t packed = modifier - MODIFIER_HEADER;
	int32_t width = packed >> 16 & 0xffff, scale = packed & 0x7ff;

	if (modifier < MODIFIER_HEADER || width > DECIMAL_MAX || scale > width)
		return (struct sotto_postgres_type){.carrier = SOTTO_POSTGRES_FLOAT8};
	return (struct sotto_postgres_type){.carrier = SOTTO_POSTGRES_DECIMAL,
					    .width = (uint8_t)width,
					    .scale = (uint8_t)scale};
}

struct sotto_postgres_type sotto_postgres_type_of(struct sotto_postgres_origin origin)
{
	static const struct {
		uint32_t oid;
		enum sotto_postgres_carrier carrier;
	} plain[] = {
		{OID_BOOL, SOTTO_POSTGRES_BOOL},
		{OID_INT2, SOTTO_POSTGRES_INT2},
		{OID_INT4, SOTTO_POSTGRES_INT4},
		{OID_INT8, SOTTO_POSTGRES_INT8},
		{OID_FLOAT4, SOTTO_POSTGRES_FLOAT4},
		{OID_FLOAT8, SOTTO_POSTGRES_FLOAT8},
		{OID_DATE, SOTTO_POSTGRES_DATE},
		{OID_TIMESTAMP, SOTTO_POSTGRES_TIMESTAMP},
		{OID_TIMESTAMPTZ, SOTTO_POSTGRES_TIMESTAMP},
	};

	if (origin.oid == OID_NUMERIC)
		return numeric_type(origin.modifier);
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (plain[i].oid == origin.oid)
			return (struct sotto_postgres_type){.carrier = plain[i].carrier};
	return (struct sotto_postgres_type){.carrier = SOTTO_POSTGRES_TEXT,
					    .folds = origin.folds};
}

/* ---- what is sent ------------------------------------------------------------- */

/* Too large and too small a numeric would be an error of the cast. */
static const char numeric_as_double[] =
	"CASE WHEN %1$s = 'NaN'::numeric THEN NULL "
	"WHEN %1$s > 1e308 THEN 'Infinity'::float8 WHEN %1$s < -1e308 THEN '-Infinity'::float8 "
	"WHEN abs(%1$s) < 1e-307 THEN 0::float8 ELSE %1$s::float8 END";

/* NaN is above all numbers; what a view says of its digits need not be true. */
static const char numeric_as_digits[] =
	"CASE WHEN %1$s > -1e%3$d AND %1$s < 1e%3$d THEN trunc(%1$s * 1e%2$d)::int8 END";

/*
 * Texts, by their shape.  CASE goes from the outside in, so nothing is looked at
 * before its size is known: that of a text or a string of bytes is stored beside it, that of
 * anything else as it is stored, compressed perhaps; an array of it, or a slice of an array, is
 * not compressed.  Then the digits of the numbers in it are counted.  concat() calls the output
 * function of the type, where ::text would call a cast that somebody has defined.
 */
static const char text_of_text[] =
	"CASE WHEN octet_length(%1$s::text) <= %2$d THEN %1$s::text END";
static const char text_of_bytes[] =
	"CASE WHEN octet_length(%1$s) <= %2$d THEN concat(%1$s) END";
static const char text_of_bits[] =
	"CASE WHEN pg_column_size(%1$s) <= %2$d + 8 THEN CASE WHEN octet_length(%1$s) <= %2$d "
	"THEN concat(%1$s) END END";
static const char text_of_json[] =
	"CASE WHEN pg_column_size(%1$s) <= CASE COALESCE(pg_column_compression(%1$s), '') WHEN "
	"'' THEN %2$d WHEN 'pglz' THEN %2$d / 4 ELSE %3$d END THEN CASE WHEN "
	"octet_length(concat(%1$s)) <= %2$d THEN concat(%1$s) END END";
static const char text_of_fixed[] =
	"CASE WHEN pg_column_size(%1$s) <= %2$d THEN concat(%1$s) END";
static const char text_of_other[] =
	"CASE WHEN pg_column_size(%1$s) <= %3$d THEN CASE WHEN pg_column_size(%4$s) <= %3$d "
	"THEN CASE WHEN %5$s <= %6$d THEN CASE WHEN octet_length(concat(%1$s)) <= %2$d THEN "
	"concat(%1$s) END END END END";

static const char *
text_expression(struct sotto_arena *a, struct sotto_postgres_origin origin, const char *column)
{
	const int most = SOTTO_POSTGRES_TEXT_MAX, stored = SOTTO_POSTGRES_STORED_MAX;
	const char *digits = origin.digits && *origin.digits ? origin.digits : "0";
	const char *unpacked;

	if (origin.oid == OID_BYTEA) /* \x and two digits for each */
		return sotto_arena_textf(a, text_of_bytes, column, most / 2 - 1);
	if (origin.oid == OID_BIT || origin.oid == OID_VARBIT)
		return sotto_arena_textf(a, text_of_bits, column, most / 8);
	if (origin.oid == OID_JSON)
		return sotto_arena_textf(a, text_of_json, column, most, stored);
	if (origin.shape == SOTTO_POSTGRES_SHAPE_TEXT)
		return sotto_arena_textf(a, text_of_text, column, most);
	if (origin.shape == SOTTO_POSTGRES_SHAPE_FIXED)
		return sotto_arena_textf(a, text_of_fixed, column, most);
	unpacked = sotto_arena_textf(
		a, origin.shape == SOTTO_POSTGRES_SHAPE_LIST ? "(%s)[:]" : "ARRAY[%s]", column);
	if (!unpacked)
		return NULL;
	return sotto_arena_textf(a, text_of_other, column, most, stored, unpacked, digits,
				 SOTTO_POSTGRES_DIGITS_MAX);
}

const char *sotto_postgres_expression(struct sotto_arena *a,
				      struct sotto_postgres_origin origin, const char *column)
{
	static const char *const casts[] = {
		[SOTTO_POSTGRES_BOOL] = "bool",     [SOTTO_POSTGRES_INT2] = "int2",
		[SOTTO_POSTGRES_INT4] = "int4",     [SOTTO_POSTGRES_INT8] = "int8",
		[SOTTO_POSTGRES_FLOAT4] = "float4", [SOTTO_POSTGRES_FLOAT8] = "float8",
		[SOTTO_POSTGRES_DATE] = "date",     [SOTTO_POSTGRES_TIMESTAMP] = "timestamp",
	};
	struct sotto_postgres_type type = sotto_postgres_type_of(origin);

	if (type.carrier == SOTTO_POSTGRES_TEXT)
		return text_expression(a, origin, column);
	if (type.carrier == SOTTO_POSTGRES_DECIMAL)
		return sotto_arena_textf(a, numeric_as_digits, column, type.scale,
					 type.width - type.scale);
	if (origin.oid == OID_NUMERIC)
		return sotto_arena_textf(a, numeric_as_double, column);
	if (origin.oid == OID_TIMESTAMPTZ)
		return sotto_arena_textf(a, "%s AT TIME ZONE 'UTC'", column);
	return sotto_arena_textf(a, "%s::%s", column, casts[type.carrier]);
}

duckdb_logical_type
sotto_postgres_logical(const struct sotto_duckdb *api, struct sotto_postgres_type type)
{
	static const duckdb_type types[] = {
		[SOTTO_POSTGRES_BOOL] = DUCKDB_TYPE_BOOLEAN,
		[SOTTO_POSTGRES_INT2] = DUCKDB_TYPE_SMALLINT,
		[SOTTO_POSTGRES_INT4] = DUCKDB_TYPE_INTEGER,
		[SOTTO_POSTGRES_INT8] = DUCKDB_TYPE_BIGINT,
		[SOTTO_POSTGRES_FLOAT4] = DUCKDB_TYPE_FLOAT,
		[SOTTO_POSTGRES_FLOAT8] = DUCKDB_TYPE_DOUBLE,
		[SOTTO_POSTGRES_TEXT] = DUCKDB_TYPE_VARCHAR,
		[SOTTO_POSTGRES_DATE] = DUCKDB_TYPE_DATE,
		[SOTTO_POSTGRES_TIMESTAMP] = DUCKDB_TYPE_TIMESTAMP,
	};

	duckdb_logical_type out;

	if (type.carrier == SOTTO_POSTGRES_DECIMAL)
		return api->duckdb_create_decimal_type(type.width, type.scale);
	out = api->duckdb_create_logical_type(types[type.carrier]);
	if (type.folds)
		api->duckdb_logical_type_set_alias(out, SOTTO_FOLDED_TEXT);
	return out;
}

/* ---- values ----------------------------------------------------------------- */

static uint64_t big_endian(const struct sotto_copy_field *v)
{
	uint64_t x = 0;

	for (size_t i = 0; i < v->length; i++)
		x = x << 8 | v->bytes[i];
	return x;
}

/* Infinities are the ends of the range on both sides. */
static int32_t date(int32_t days)
{
	if (days == INT32_MIN)
		return -INT32_MAX;
	return days > INT32_MAX - DAYS_TO_2000 ? INT32_MAX : days + DAYS_TO_2000;
}

/*
 * PostgreSQL's calendar ends 30 years after the engine's.  Were these moments one infinity, two
 * units that they name would be one; so they are not values.
 */
static bool is_beyond(int64_t microseconds)
{
	return microseconds >= INT64_MAX - microseconds_to_2000 && microseconds < INT64_MAX;
}

static int64_t timestamp(int64_t microseconds)
{
	if (microseconds == INT64_MIN)
		return -INT64_MAX;
	return microseconds == INT64_MAX ? INT64_MAX : microseconds + microseconds_to_2000;
}

static void put_decimal(uint8_t width, int64_t digits, void *data, size_t row)
{
	if (width <= 4)
		((int16_t *)data)[row] = (int16_t)digits;
	else if (width <= 9)
		((int32_t *)data)[row] = (int32_t)digits;
	else
		((int64_t *)data)[row] = digits;
}

static size_t sent_bytes(enum sotto_postgres_carrier carrier)
{
	static const uint8_t bytes[] = {
		[SOTTO_POSTGRES_BOOL] = 1,    [SOTTO_POSTGRES_INT2] = 2,
		[SOTTO_POSTGRES_INT4] = 4,    [SOTTO_POSTGRES_INT8] = 8,
		[SOTTO_POSTGRES_FLOAT4] = 4,  [SOTTO_POSTGRES_FLOAT8] = 8,
		[SOTTO_POSTGRES_DATE] = 4,    [SOTTO_POSTGRES_TIMESTAMP] = 8,
		[SOTTO_POSTGRES_DECIMAL] = 8,
	};

	return bytes[carrier];
}

static void put_fixed(struct sotto_postgres_type type, uint64_t x, void *data, size_t row)
{
	switch (type.carrier) {
	case SOTTO_POSTGRES_BOOL:
		((bool *)data)[row] = x != 0;
		break;
	case SOTTO_POSTGRES_INT2:
		((uint16_t *)data)[row] = (uint16_t)x;
		break;
	case SOTTO_POSTGRES_INT4:
	case SOTTO_POSTGRES_FLOAT4:
		((uint32_t *)data)[row] = (uint32_t)x;
		break;
	case SOTTO_POSTGRES_DATE:
		((int32_t *)data)[row] = date((int32_t)(uint32_t)x);
		break;
	case SOTTO_POSTGRES_TIMESTAMP:
		((int64_t *)data)[row] = timestamp((int64_t)x);
		break;
	case SOTTO_POSTGRES_DECIMAL:
		put_decimal(type.width, (int64_t)x, data, row);
		break;
	default:
		((uint64_t *)data)[row] = x;
	}
}

bool sotto_postgres_is_value(struct sotto_postgres_type type,
			     const struct sotto_copy_field *value)
{
	if (!value->bytes)
		return false;
	if (type.carrier == SOTTO_POSTGRES_TIMESTAMP)
		return !is_beyond((int64_t)big_endian(value));
	return type.carrier != SOTTO_POSTGRES_TEXT ||
	       sotto_utf8_is_valid(value->bytes, value->length);
}

bool sotto_postgres_put(const struct sotto_duckdb *api, struct sotto_postgres_type type,
			duckdb_vector vector, void *data, size_t row,
			const struct sotto_copy_field *value)
{
	if (type.carrier == SOTTO_POSTGRES_TEXT) {
		api->duckdb_vector_assign_string_element_len(
			vector, row, (const char *)value->bytes, value->length);
		return true;
	}
	if (value->length != sent_bytes(type.carrier))
		return false;
	put_fixed(type, big_endian(value), data, row);
	return true;
}
