/* Values that clients bind, as text and binary. */
#include "server/wire/value/wire_parameter.h"

#include <endian.h>
#include <stdlib.h>

#include "server/wire/value/wire_moment.h"
#include "testlib/tap.h"

enum { INT4 = 23, FLOAT8 = 701, NUMERIC = 1700, DATE = 1082, TIMESTAMP = 1114, UUID = 2950 };

static void put16(char **at, int x)
{
	*(*at)++ = (char)(x >> 8);
	*(*at)++ = (char)x;
}

/* The part of Bind for one value in one format. */
static struct sotto_message message_of(char bytes[64], bool binary, const void *value, int n)
{
	char *at = bytes;

	put16(&at, 1);
	put16(&at, binary);
	put16(&at, 1);
	put16(&at, 0);
	put16(&at, n);
	memcpy(at, value, (size_t)n);
	return (struct sotto_message){.bytes = bytes, .length = (size_t)(at + n - bytes)};
}

static void binary_is(int32_t type, const void *value, int n, const char *want)
{
	struct sotto_wire_parameters p;
	struct sotto_error err = {""};
	char bytes[64];
	struct sotto_message m = message_of(bytes, true, value, n);
	bool good = sotto_bound_read(&p, &m, &type, 1, &err);

	if (!want) {
		CHECK(!good);
		return;
	}
	REQUIRE(good);
	if (strcmp(p.items[0].text, want) != 0)
		tap_note("%s, not %s", p.items[0].text, want);
	CHECK(strcmp(p.items[0].text, want) == 0);
	sotto_bound_release(&p);
}

static void numbers_are_read_from_binary(void)
{
	binary_is(INT4, "\xff\xff\xff\xfe", 4, "-2");
	binary_is(INT4, "\0\0\0", 3, NULL);
	binary_is(FLOAT8, "\x3f\xf8\0\0\0\0\0\0", 8, "1.5");
	binary_is(FLOAT8, "\x7f\xf0\0\0\0\0\0\0", 8, NULL);
}

/* dimensions, nulls, type, count, first index; each element with its length */
#define LIST_OF(type, count) "\0\0\0\1\0\0\0\0\0\0\0" type "\0\0\0" count "\0\0\0\1"

static void lists_are_read_from_binary(void)
{
	enum { INT4S = 1007, TEXTS = 1009 };

	binary_is(INT4S, LIST_OF("\x17", "\2") "\0\0\0\4\0\0\0\7\xff\xff\xff\xff", 32,
		  "{\"7\",NULL}");
	binary_is(TEXTS,
		  LIST_OF("\x19", "\1") "\0\0\0\4"
					"a\"\\}",
		  28, "{\"a\\\"\\\\}\"}");
	binary_is(TEXTS, LIST_OF("\x19", "\0"), 20, "{}");
	binary_is(TEXTS,
		  LIST_OF("\x19", "\1") "\0\0\0\5"
					"a\"\\}",
		  28, NULL); /* cut */
	binary_is(TEXTS,
		  LIST_OF("\x19", "\1") "\xff\xff\xff\xfe"
					"abcd",
		  28, NULL);
	binary_is(TEXTS,
		  LIST_OF("\x19", "\1") "\0\0\0\3"
					"abcd",
		  28, NULL); /* a rest */
	binary_is(INT4S, LIST_OF("\x17", "\1") "\0\0\0\3\0\0\7", 27, NULL);
	binary_is(INT4S, "\0\0\0\2\0\0\0\0\0\0\0\x17\0\0\0\0\0\0\0\1", 20, NULL);
	binary_is(INT4S, "\0\0\0\1\0\0\0\0\0\0\0\x17\x7f\xff\xff\xff\0\0\0\1", 20, NULL);
	binary_is(INT4S, "\0\0\0\1", 4, NULL);
}

/* groups, weight, sign, scale, groups of four digits */
static void decimals_are_read_from_binary(void)
{
	binary_is(NUMERIC, "\0\2\0\0\0\0\0\2\0\x0c\x13\x88", 12, "12.5");
	binary_is(NUMERIC, "\0\1\0\1\x40\0\0\0\0\x7b", 10, "-1230000");
	binary_is(NUMERIC, "\0\1\xff\xff\0\0\0\4\0\1", 10, "0.0001");
	binary_is(NUMERIC, "\0\1\xff\xfe\0\0\0\x08\0\1", 10, "0.00000001");
	binary_is(NUMERIC, "\0\0\0\0\0\0\0\0", 8, "0");
	binary_is(NUMERIC, "\0\1\0\0\xc0\0\0\0\0\1", 10, NULL); /* NaN */
	binary_is(NUMERIC, "\0\1\0\0\0\0\0\0\x27\x10", 10, NULL); /* a group above 9999 */
	binary_is(NUMERIC, "\0\2\0\0\0\0\0\0\0\1", 10, NULL);
}

static void days_and_moments_are_read_from_binary(void)
{
	binary_is(DATE, "\0\0\0\0", 4, "2000-01-01");
	binary_is(DATE, "\xff\xff\xff\xff", 4, "1999-12-31");
	binary_is(TIMESTAMP, "\xff\xff\xff\xff\xff\xff\xff\xff", 8,
		  "1999-12-31 23:59:59.999999");
	binary_is(DATE, "\x7f\xff\xff\xff", 4, NULL);
	binary_is(UUID, "0123456789abcdef", 16, NULL);
}

static void every_day_goes_to_its_text_and_back(void)
{
	for (int32_t day = -730119; day < 2921940; day += 97) {
		char *text = sotto_date_text(day);
		struct sotto_moment moment;

		REQUIRE(text);
		CHECK(sotto_moment_of(text, &moment) && moment.days == day);
		free(text);
	}
}

/* Days and microseconds from 2000-01-01 in the proleptic Gregorian calendar, as PostgreSQL has them. */
static void moments_at_the_ends_are_those_of_postgresql(void)
{
	static const struct {
		const char *text;
		int32_t days;
		int64_t microseconds;
		const char *shown; /* NULL: the same text */
	} moments[] = {
		{"2024-05-01 10:11:12.5", 8887, 767873472500000, NULL},
		{"0044-03-15 (BC)", -746117, -64464508800000000, "0044-03-15 BC"},
		{"0044-03-15 (BC) 10:00:00.25", -746117, -64464472799750000,
		 "0044-03-15 10:00:00.25 BC"},
		{"0001-12-31 (BC)", -730120, -63082368000000000, "0001-12-31 BC"},
		{"0001-01-01", -730119, -63082281600000000, NULL},
		{"290309-12-22 (BC) 00:00:00", INT32_MIN, INT64_MIN,
		 "290309-12-22 00:00:00 BC"},
		{"5877642-06-25 (BC)", INT32_MIN, INT64_MIN, "5877642-06-25 BC"},
		{"5881580-07-10", 2147472689, INT64_MAX, NULL},
		{"infinity", INT32_MAX, INT64_MAX, NULL},
		{"-infinity", INT32_MIN, INT64_MIN, NULL},
	};
	struct sotto_moment moment;
	char shown[SOTTO_MOMENT_TEXT];

	for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
		size_t n = sotto_moment_text(moments[i].text, shown);

		CHECK(sotto_moment_of(moments[i].text, &moment));
		CHECK_INT(moment.days, moments[i].days);
		CHECK_INT(moment.microseconds, moments[i].microseconds);
		CHECK((n > 0) == (moments[i].shown != NULL));
		CHECK(n == 0 || strcmp(shown, moments[i].shown) == 0);
	}
	CHECK(!sotto_moment_of("nothing", &moment));
	CHECK(!sotto_moment_of("infinityx", &moment));
}

static void broken_messages_are_refused(void)
{
	char bytes[64];
	int32_t type = INT4;

	for (size_t cut = 0; cut < 14; cut++) {
		struct sotto_message m = message_of(bytes, true, "\0\0\0\1", 4);
		struct sotto_wire_parameters p;
		struct sotto_error err = {""};

		m.length = cut;
		CHECK(!sotto_bound_read(&p, &m, &type, 1, &err));
	}
}

static void a_text_may_not_hide_its_end(void)
{
	struct sotto_message m;
	struct sotto_wire_parameters p;
	struct sotto_error err = {""};
	char bytes[64];

	m = message_of(bytes, false, "a\0b", 3);
	CHECK(!sotto_bound_read(&p, &m, NULL, 0, &err));
	CHECK(sotto_bound_count("SELECT $2, '$1', $12x") == 12);
	CHECK(sotto_bound_count("SELECT $99999999999999999999") == 0);
}

int main(void)
{
	RUN(numbers_are_read_from_binary);
	RUN(decimals_are_read_from_binary);
	RUN(lists_are_read_from_binary);
	RUN(days_and_moments_are_read_from_binary);
	RUN(every_day_goes_to_its_text_and_back);
	RUN(moments_at_the_ends_are_those_of_postgresql);
	RUN(broken_messages_are_refused);
	RUN(a_text_may_not_hide_its_end);
	return tap_done();
}
