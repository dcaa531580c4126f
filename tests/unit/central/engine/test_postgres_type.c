/* How each type of PostgreSQL travels, by its number and modifier. */
#include "central/engine/postgres/postgres_type.h"

#include "testlib/tap.h"

enum {
	BYTEA = 17,
	INT4 = 23,
	TEXT = 25,
	JSON = 114,
	INT4_LIST = 1007,
	TIMESTAMPTZ = 1184,
	NUMERIC_LIST = 1231,
	VARBIT = 1562,
	NUMERIC = 1700,
	UUID = 2950,
	JSONB = 3802,
};

/* As the catalogue has it; a scale is 11 bits with a sign. */
static int32_t modifier(int32_t width, int32_t scale)
{
	return (width << 16 | (scale & 0x7ff)) + 4;
}

static struct sotto_postgres_type type_of(uint32_t oid, int32_t m)
{
	return sotto_postgres_type_of((struct sotto_postgres_origin){oid, m, 'o', "", false});
}

static void a_numeric_stays_exact_while_its_digits_fit_into_64_bits(void)
{
	static const struct {
		int32_t width, scale;
		bool is_exact;
	} cases[] = {{1, 0, true},     {18, 0, true},   {18, 18, true},  {10, 2, true},
		     {19, 0, false},   {38, 5, false},  {3, -2, false},  {2, 5, false},
		     {1000, 0, false}, {18, -1, false}, {1, 1000, false}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_postgres_type t =
			type_of(NUMERIC, modifier(cases[i].width, cases[i].scale));

		CHECK_INT(t.carrier,
			  cases[i].is_exact ? SOTTO_POSTGRES_DECIMAL : SOTTO_POSTGRES_FLOAT8);
		if (cases[i].is_exact) {
			CHECK_INT(t.width, cases[i].width);
			CHECK_INT(t.scale, cases[i].scale);
		}
	}
	CHECK_INT(type_of(NUMERIC, -1).carrier, SOTTO_POSTGRES_FLOAT8);
}

static void unknown_types_are_texts(void)
{
	CHECK_INT(type_of(UUID, -1).carrier, SOTTO_POSTGRES_TEXT);
	CHECK_INT(type_of(0, 0).carrier, SOTTO_POSTGRES_TEXT);
	CHECK_INT(type_of(UINT32_MAX, 7).carrier, SOTTO_POSTGRES_TEXT);
}

static const char *
sent(struct sotto_arena *a, uint32_t oid, int32_t m, enum sotto_postgres_shape shape)
{
	return sotto_postgres_expression(
		a, (struct sotto_postgres_origin){oid, m, shape, "7", false}, "\"x\"");
}

static void what_could_fail_is_guarded_in_the_query(void)
{
	struct sotto_arena a;

	sotto_arena_init(&a, 1 << 20);
	CHECK_STR(sent(&a, INT4, -1, 'f'), "\"x\"::int4");
	CHECK_STR(sent(&a, TIMESTAMPTZ, -1, 'f'), "\"x\" AT TIME ZONE 'UTC'");
	CHECK_STR(sent(&a, NUMERIC, modifier(10, 2), 'o'),
		  "CASE WHEN \"x\" > -1e8 AND \"x\" < 1e8 THEN trunc(\"x\" * 1e2)::int8 END");
	CHECK(strstr(sent(&a, NUMERIC, -1, 'o'), "WHEN abs(\"x\") < 1e-307 THEN"));
	CHECK(strstr(sent(&a, NUMERIC, -1, 'o'), "WHEN \"x\" > 1e308 THEN"));
	sotto_arena_release(&a);
}

/* All that becomes a text asks for a size first, and its image has at most 64 KiB. */
static void the_size_of_a_value_is_asked_before_its_text_is_made(void)
{
	static const struct {
		uint32_t oid;
		enum sotto_postgres_shape shape;
		const char *first;
	} cases[] = {
		{TEXT, 't', "CASE WHEN octet_length(\"x\"::text) <= 65536 THEN"},
		{BYTEA, 'o', "CASE WHEN octet_length(\"x\") <= 32767 THEN"},
		{VARBIT, 'o', "CASE WHEN pg_column_size(\"x\") <= 8192 + 8 THEN"},
		{JSON, 'o', "CASE WHEN pg_column_size(\"x\") <= CASE COALESCE("},
		{UUID, 'f', "CASE WHEN pg_column_size(\"x\") <= 65536 THEN"},
		{INT4_LIST, 'l', "CASE WHEN pg_column_size(\"x\") <= 4096 THEN"},
		{JSONB, 'o', "CASE WHEN pg_column_size(\"x\") <= 4096 THEN"},
		{NUMERIC_LIST, 'l',
		 "CASE WHEN pg_column_size(\"x\") <= 4096 THEN CASE WHEN "
		 "pg_column_size((\"x\")[:]) <= 4096 THEN CASE WHEN 7 <= 8192 THEN"},
		{UINT32_MAX, 'o', "CASE WHEN pg_column_size(\"x\") <= 4096 THEN"},
	};
	struct sotto_arena a;

	sotto_arena_init(&a, 1 << 20);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *sql = sent(&a, cases[i].oid, -1, cases[i].shape);

		CHECK(strncmp(sql, cases[i].first, strlen(cases[i].first)) == 0);
	}
	sotto_arena_release(&a);
}

static bool is_text(const char *bytes, size_t n)
{
	struct sotto_copy_field f = {(const uint8_t *)bytes, n};

	return sotto_postgres_is_value(type_of(TEXT, -1), &f);
}
#define IS_TEXT(bytes) is_text(bytes, sizeof(bytes) - 1)

static void only_utf8_is_a_text(void)
{
	CHECK(IS_TEXT("") && IS_TEXT("plain") && IS_TEXT("\303\234n\303\257"));
	CHECK(IS_TEXT("\357\277\277") && IS_TEXT("\364\217\277\277") &&
	      IS_TEXT("\355\237\277"));
	CHECK(!IS_TEXT("\200") && !IS_TEXT("a\303") && !IS_TEXT("\303(") && !IS_TEXT("\377"));
	CHECK(!IS_TEXT("\300\200") && !IS_TEXT("\340\200\200") && !IS_TEXT("\360\200\200\200"));
	CHECK(!IS_TEXT("\355\240\200") && !IS_TEXT("\364\220\200\200") && !IS_TEXT("\342\202"));
	CHECK(!is_text(NULL, 0));
}

static int64_t
put(enum sotto_postgres_carrier carrier, uint8_t width, const char *bytes, size_t n)
{
	struct sotto_postgres_type t = {.carrier = carrier, .width = width};
	struct sotto_copy_field f = {(const uint8_t *)bytes, n};
	int64_t row[2] = {0, 0};

	return sotto_postgres_put(NULL, t, NULL, row, 0, &f) ? row[0] : -1;
}
#define PUT(carrier, width, bytes) put(carrier, width, bytes, sizeof(bytes) - 1)

static void numbers_are_big_endian_and_as_long_as_their_type(void)
{
	CHECK_INT(PUT(SOTTO_POSTGRES_INT8, 0, "\0\0\0\0\0\0\1\2"), 258);
	CHECK_INT(PUT(SOTTO_POSTGRES_INT2, 0, "\1\2"), 258);
	CHECK_INT(PUT(SOTTO_POSTGRES_INT4, 0, "\0\0\1\2"), 258);
	CHECK_INT(PUT(SOTTO_POSTGRES_BOOL, 0, "\1"), 1);
	CHECK_INT(PUT(SOTTO_POSTGRES_INT4, 0, "\1\2"), -1);
	CHECK_INT(PUT(SOTTO_POSTGRES_INT2, 0, "\0\0\1\2"), -1);
	CHECK_INT(PUT(SOTTO_POSTGRES_FLOAT8, 0, ""), -1);
}

static void decimals_are_as_wide_as_the_engine_stores_them(void)
{
	static const char minus_one[] = "\377\377\377\377\377\377\377\377";

	CHECK_INT(PUT(SOTTO_POSTGRES_DECIMAL, 4, minus_one), 0xffff);
	CHECK_INT(PUT(SOTTO_POSTGRES_DECIMAL, 5, minus_one), 0xffffffff);
	CHECK_INT(PUT(SOTTO_POSTGRES_DECIMAL, 9, minus_one), 0xffffffff);
	CHECK_INT(PUT(SOTTO_POSTGRES_DECIMAL, 10, "\0\0\0\1\0\0\0\0"), INT64_C(1) << 32);
}

static void time_begins_in_1970_and_ends_in_infinity(void)
{
	CHECK_INT(PUT(SOTTO_POSTGRES_DATE, 0, "\0\0\0\0"), 10957);
	CHECK_INT(PUT(SOTTO_POSTGRES_DATE, 0, "\177\377\377\377"), INT32_MAX);
	CHECK_INT(PUT(SOTTO_POSTGRES_DATE, 0, "\200\0\0\0"), (uint32_t)-INT32_MAX);
	CHECK_INT(PUT(SOTTO_POSTGRES_TIMESTAMP, 0, "\0\0\0\0\0\0\0\0"),
		  INT64_C(946684800000000));
	CHECK_INT(PUT(SOTTO_POSTGRES_TIMESTAMP, 0, "\177\377\377\377\377\377\377\377"),
		  INT64_MAX);
	CHECK_INT(PUT(SOTTO_POSTGRES_TIMESTAMP, 0, "\200\0\0\0\0\0\0\0"), -INT64_MAX);
}

static bool is_value(const char *bytes)
{
	const struct sotto_postgres_type type = {.carrier = SOTTO_POSTGRES_TIMESTAMP};
	const struct sotto_copy_field field = {(const uint8_t *)bytes, 8};

	return sotto_postgres_is_value(type, &field);
}

/* As one infinity they would be one unit, and two persons might be. */
static void times_beyond_the_calendar_are_no_values(void)
{
	CHECK(is_value("\177\377\377\377\377\377\377\377")); /* infinity */
	CHECK(is_value("\200\0\0\0\0\0\0\0"));
	CHECK(is_value("\177\374\242\376\304\310\037\376")); /* the last microsecond */
	CHECK(!is_value("\177\374\242\376\304\310\037\377"));
	CHECK(!is_value("\177\377\377\377\377\377\377\376"));
}

int main(void)
{
	RUN(a_numeric_stays_exact_while_its_digits_fit_into_64_bits);
	RUN(unknown_types_are_texts);
	RUN(what_could_fail_is_guarded_in_the_query);
	RUN(the_size_of_a_value_is_asked_before_its_text_is_made);
	RUN(only_utf8_is_a_text);
	RUN(numbers_are_big_endian_and_as_long_as_their_type);
	RUN(decimals_are_as_wide_as_the_engine_stores_them);
	RUN(time_begins_in_1970_and_ends_in_infinity);
	RUN(times_beyond_the_calendar_are_no_values);
	return tap_done();
}
