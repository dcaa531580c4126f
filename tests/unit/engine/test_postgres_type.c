/* How each type of PostgreSQL travels, by its number and modifier. */
#include "engine/postgres_type.h"

#include "testlib/tap.h"

enum { INT4 = 23, NUMERIC = 1700, UUID = 2950, TIMESTAMPTZ = 1184 };

/* As the catalogue has it; a scale is 11 bits with a sign. */
static int32_t modifier(int32_t width, int32_t scale)
{
	return (width << 16 | (scale & 0x7ff)) + 4;
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
		struct sotto_postgres_type t = sotto_postgres_type_of(
			NUMERIC, modifier(cases[i].width, cases[i].scale));

		CHECK_INT(t.carrier,
			  cases[i].is_exact ? SOTTO_POSTGRES_DECIMAL : SOTTO_POSTGRES_FLOAT8);
		if (cases[i].is_exact) {
			CHECK_INT(t.width, cases[i].width);
			CHECK_INT(t.scale, cases[i].scale);
		}
	}
	CHECK_INT(sotto_postgres_type_of(NUMERIC, -1).carrier, SOTTO_POSTGRES_FLOAT8);
}

static void unknown_types_are_texts(void)
{
	CHECK_INT(sotto_postgres_type_of(UUID, -1).carrier, SOTTO_POSTGRES_TEXT);
	CHECK_INT(sotto_postgres_type_of(0, 0).carrier, SOTTO_POSTGRES_TEXT);
	CHECK_INT(sotto_postgres_type_of(UINT32_MAX, 7).carrier, SOTTO_POSTGRES_TEXT);
}

static const char *sent(struct sotto_arena *a, uint32_t oid, int32_t m)
{
	return sotto_postgres_expression(a, oid, sotto_postgres_type_of(oid, m), "\"x\"");
}

static void what_could_fail_is_guarded_in_the_query(void)
{
	struct sotto_arena a;

	sotto_arena_init(&a, 1 << 20);
	CHECK_STR(sent(&a, INT4, -1), "\"x\"::int4");
	CHECK_STR(sent(&a, UUID, -1), "\"x\"::text");
	CHECK_STR(sent(&a, TIMESTAMPTZ, -1), "\"x\" AT TIME ZONE 'UTC'");
	CHECK_STR(sent(&a, NUMERIC, modifier(10, 2)),
		  "CASE WHEN \"x\" = 'NaN'::numeric THEN NULL ELSE (\"x\" * 1e2)::int8 END");
	CHECK(strstr(sent(&a, NUMERIC, -1), "WHEN abs(\"x\") < 1e-307 THEN"));
	CHECK(strstr(sent(&a, NUMERIC, -1), "WHEN \"x\" > 1e308 THEN"));
	sotto_arena_release(&a);
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
	CHECK_INT(PUT(SOTTO_POSTGRES_TIMESTAMP, 0, "\177\377\377\377\377\0\0\0"), INT64_MAX);
	CHECK_INT(PUT(SOTTO_POSTGRES_TIMESTAMP, 0, "\200\0\0\0\0\0\0\0"), -INT64_MAX);
}

int main(void)
{
	RUN(a_numeric_stays_exact_while_its_digits_fit_into_64_bits);
	RUN(unknown_types_are_texts);
	RUN(what_could_fail_is_guarded_in_the_query);
	RUN(numbers_are_big_endian_and_as_long_as_their_type);
	RUN(decimals_are_as_wide_as_the_engine_stores_them);
	RUN(time_begins_in_1970_and_ends_in_infinity);
	return tap_done();
}
