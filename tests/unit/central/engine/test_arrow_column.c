/*
 * Values out of Arrow arrays: each type at its ends has the image that adbc.md promises, and
 * an array that contradicts itself gives NULL, or does not fit.
 */
#include "central/engine/adbc/arrow_column.h"

#include <math.h>
#include <string.h>

#include "testlib/tap.h"

static struct sotto_arrow_scratch scratch;

static struct sotto_arrow_column column_of(const char *format)
{
	const struct ArrowSchema schema = {.format = format};
	struct sotto_arrow_column c = {0};

	CHECK(sotto_arrow_column_read(&schema, &c));
	return c;
}

/* The value of one row of fixed width. */
static struct sotto_arrow_value fixed(const char *format, const void *bytes)
{
	const void *buffers[] = {NULL, bytes};
	struct ArrowArray a = {.length = 1, .n_buffers = 2, .buffers = buffers};
	struct sotto_arrow_column c = column_of(format);

	CHECK(sotto_arrow_array_fits(&c, &a, 1));
	return sotto_arrow_value(&c, &a, 0, &scratch);
}

static int64_t integer(const char *format, int64_t x)
{
	struct sotto_arrow_value v = fixed(format, &x);

	CHECK(!v.is_null);
	return v.integer;
}

static bool text_is(struct sotto_arrow_value v, const char *want)
{
	return !v.is_null && v.length == strlen(want) && memcmp(v.text, want, v.length) == 0;
}

static void integers_have_their_sign_and_width(void)
{
	CHECK(integer("c", 0x80) == -128);
	CHECK(integer("C", 0x80) == 128);
	CHECK(integer("s", 0x8000) == -32768);
	CHECK(integer("S", 0x8000) == 32768);
	CHECK(integer("i", 0x80000000) == INT32_MIN);
	CHECK(integer("I", 0x80000000) == 0x80000000);
	CHECK(integer("l", INT64_MIN) == INT64_MIN);
	CHECK((uint64_t)integer("L", -1) == UINT64_MAX);
}

static void floats_are_themselves(void)
{
	const struct {
		uint16_t bits;
		double want;
	} halves[] = {{0x3c00, 1},        {0xc000, -2},        {0x7bff, 65504},
		      {0x0400, 0x1p-14},  {0x0001, 0x1p-24},   {0x03ff, 1023 * 0x1p-24},
		      {0x7c00, INFINITY}, {0xfc00, -INFINITY}, {0x3555, 0x1.554p-2}};
	const double nan = NAN, tiny = 5e-324;
	const float big = 3.4e38f;

	for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++)
		CHECK(fixed("e", &halves[i].bits).number == halves[i].want);
	CHECK(isnan(fixed("e", &(uint16_t){0x7e00}).number));
	CHECK(isnan(fixed("g", &nan).number));
	CHECK(fixed("g", &tiny).number == tiny);
	CHECK(fixed("f", &big).number == (double)big);
}

static void decimals_are_exact_or_nothing(void)
{
	sotto_i128 x = -12345, most = 1;
	uint8_t wide[32];

	CHECK(fixed("d:10,2", &x).digits == x);
	CHECK(fixed("d:5,2", &x).digits == x);
	CHECK(fixed("d:4,2", &x).is_null); /* five digits */
	for (int i = 0; i < 38; i++)
		most *= 10;
	x = most - 1;
	CHECK(fixed("d:38,0", &x).digits == x);
	x = -most;
	CHECK(fixed("d:38,0", &x).is_null);
	CHECK(fixed("d:9,2,32", &(int32_t){-999}).digits == -999);
	CHECK(fixed("d:18,2,64", &(int64_t){INT64_MIN}).is_null);
	memset(wide, 0xff, sizeof wide);
	CHECK(fixed("d:76,0,256", wide).number == -1);
	CHECK(fixed("d:76,38,256", wide).number == -1e-38);
	memset(wide, 0, sizeof wide);
	wide[31] = 0x80; /* -2^255 */
	CHECK(fixed("d:76,0,256", wide).number == -0x1p255);
	wide[31] = 0x40;
	CHECK(fixed("d:76,0,256", wide).number == 0x1p254);
	x = 7;
	CHECK(fixed("d:3,-3", &x).number == 7000);
	CHECK(fixed("d:3,900", &x).number == 0);
}

static bool has_no_value(const char *format, int64_t x)
{
	return fixed(format, &x).is_null;
}

/* As one infinity they would be one unit, and two persons might be. */
static void times_beyond_the_calendar_are_no_values(void)
{
	CHECK(has_no_value("tdD", (int64_t)(uint32_t)INT32_MIN));
	CHECK(integer("tdD", (int64_t)(uint32_t)-INT32_MAX) == -INT32_MAX);
	CHECK(integer("tdD", 5) == 5);
	CHECK(integer("tdm", -1) == -1);
	CHECK(integer("tdm", 86399999) == 0);
	CHECK(has_no_value("tdm", INT64_MAX));
	CHECK(has_no_value("tdm", INT64_MIN));
	CHECK(integer("tss:", 1) == 1000000);
	CHECK(has_no_value("tss:", INT64_MAX));
	CHECK(has_no_value("tss:UTC", INT64_MIN));
	CHECK(has_no_value("tsm:", INT64_C(9223372036854776)));
	CHECK(integer("tsm:", INT64_C(9223372036854775)) == INT64_C(9223372036854775000));
	CHECK(has_no_value("tsu:Asia/Tokyo", INT64_MIN));
	CHECK(has_no_value("tsu:", INT64_C(-9223372022400000001)));
	CHECK(integer("tsu:", INT64_C(-9223372022400000000)) == INT64_C(-9223372022400000000));
	CHECK(integer("tsu:", INT64_MAX) == INT64_MAX);
	CHECK(integer("tsn:", -1) == -1);
	CHECK(integer("tsn:", 1999) == 1);
	CHECK(text_is(fixed("ttu", &(int64_t){45296000001}), "12:34:56.000001"));
	CHECK(text_is(fixed("ttn", &(int64_t){86400 * INT64_C(1000000000)}), "24:00:00"));
	CHECK(text_is(fixed("ttn", &(int64_t){45296000001000}), "12:34:56.000001"));
	CHECK(text_is(fixed("ttn", &(int64_t){45296000001001}), "12:34:56.000001001"));
	CHECK(text_is(fixed("tts", &(int32_t){0}), "00:00:00"));
	CHECK(text_is(fixed("ttm", &(int32_t){1500}), "00:00:01.500000"));
	CHECK(fixed("tts", &(int32_t){-1}).is_null);
	CHECK(fixed("ttm", &(int32_t){86400001}).is_null);
}

static struct sotto_arrow_value
text(const char *format, int64_t from, int64_t to, const void *bytes)
{
	const int32_t narrow[] = {(int32_t)from, (int32_t)to};
	const int64_t wide[] = {from, to};
	const void *buffers[] = {
		NULL, format[0] == 'U' || format[0] == 'Z' ? (const void *)wide : narrow,
		bytes};
	struct ArrowArray a = {.length = 1, .n_buffers = 3, .buffers = buffers};
	struct sotto_arrow_column c = column_of(format);

	CHECK(sotto_arrow_array_fits(&c, &a, 1));
	return sotto_arrow_value(&c, &a, 0, &scratch);
}

static void a_text_is_a_text_of_limited_size(void)
{
	static char large[SOTTO_ARROW_TEXT_MAX + 2];

	memset(large, 'x', sizeof large);
	CHECK(text_is(text("u", 1, 4, "abcde"), "bcd"));
	CHECK(text_is(text("U", 1, 4, "abcde"), "bcd"));
	CHECK(text_is(text("u", 0, 0, NULL), ""));
	CHECK(text("u", 0, 1, NULL).is_null); /* bytes that are not there */
	CHECK(text("u", 3, 2, "abcde").is_null); /* ends before it begins */
	CHECK(text("u", -1, 2, "abcde").is_null);
	CHECK(text("U", INT64_MIN, INT64_MAX, "abcde").is_null);
	CHECK(text("u", 0, 2, "a\xff").is_null);
	CHECK(text("u", 0, 3, "\xed\xa0\x80").is_null); /* half of a pair */
	CHECK(text("u", 0, SOTTO_ARROW_TEXT_MAX, large).length == SOTTO_ARROW_TEXT_MAX);
	CHECK(text("u", 0, SOTTO_ARROW_TEXT_MAX + 1, large).is_null);
	CHECK(text_is(text("z", 0, 2, "\x0a\xff"), "\\x0aff"));
	CHECK(text_is(text("Z", 0, 0, NULL), "\\x"));
	CHECK(text("z", 0, 32767, large).length == 65536);
	CHECK(text("z", 0, 32768, large).is_null);
	CHECK(text_is(fixed("w:3", "\1\2\3"), "\\x010203"));
}

static void nulls_and_offsets_are_of_the_array(void)
{
	const uint8_t valid[] = {0x05}; /* rows 0 and 2 */
	const int32_t data[] = {10, 11, 12, 13};
	const void *buffers[] = {valid, data};
	struct ArrowArray a = {
		.length = 3, .offset = 1, .null_count = 2, .n_buffers = 2, .buffers = buffers};
	struct sotto_arrow_column c = column_of("i");

	CHECK(sotto_arrow_value(&c, &a, 0, &scratch).is_null);
	CHECK(sotto_arrow_value(&c, &a, 1, &scratch).integer == 12);
	CHECK(sotto_arrow_value(&c, &a, 2, &scratch).is_null);
	a.null_count = 0; /* then the bits are not looked at */
	CHECK(sotto_arrow_value(&c, &a, 0, &scratch).integer == 11);
}

static void an_index_outside_its_dictionary_is_null(void)
{
	const int8_t indices[] = {1, 0, 2, -1};
	const int32_t offsets[] = {0, 4, 9};
	const void *buffers[] = {NULL, indices}, *inner[] = {NULL, offsets, "RomeParis"};
	struct ArrowArray words = {.length = 2, .n_buffers = 3, .buffers = inner};
	struct ArrowArray a = {
		.length = 4, .n_buffers = 2, .buffers = buffers, .dictionary = &words};
	struct ArrowSchema text_schema = {.format = "u"};
	const struct ArrowSchema schema = {.format = "c", .dictionary = &text_schema};
	struct sotto_arrow_column c;

	CHECK(sotto_arrow_column_read(&schema, &c));
	CHECK(sotto_arrow_array_fits(&c, &a, 4));
	CHECK(text_is(sotto_arrow_value(&c, &a, 0, &scratch), "Paris"));
	CHECK(text_is(sotto_arrow_value(&c, &a, 1, &scratch), "Rome"));
	CHECK(sotto_arrow_value(&c, &a, 2, &scratch).is_null);
	CHECK(sotto_arrow_value(&c, &a, 3, &scratch).is_null);
	a.dictionary = NULL;
	CHECK(!sotto_arrow_array_fits(&c, &a, 4));
}

static void an_array_without_its_buffers_does_not_fit(void)
{
	const int64_t data[] = {1, 2};
	const void *buffers[] = {NULL, data, NULL};
	struct ArrowArray good = {.length = 2, .n_buffers = 2, .buffers = buffers}, a;
	struct sotto_arrow_column c = column_of("l");

	CHECK(sotto_arrow_array_fits(&c, &good, 2));
#define LIE(change)                                                                            \
	a = good;                                                                              \
	change;                                                                                \
	CHECK(!sotto_arrow_array_fits(&c, &a, 2))
	LIE(a.length = 1);
	LIE(a.n_buffers = 3);
	LIE(a.n_buffers = 0);
	LIE(a.buffers = NULL);
	LIE(a.offset = -1);
	LIE(a.length = INT64_MAX);
	LIE(a.null_count = 1); /* without the bits that say which */
	buffers[1] = NULL;
	LIE((void)0);
#undef LIE
}

static void types_without_an_image_are_left_out(void)
{
	static const char *const formats[] = {
		"",      "x",          "+l",  "+s",        "+m",           "+w:3", "+ud:0",
		"tDs",   "tiM",        "vu",  "vz",        "+r",           "ts",   "tsu",
		"tdX",   "w:",         "w:0", "w:-1",      "d:",           "d:5",  "d:5,2,7",
		"d:0,0", "d:9,2,128x", "ii",  "d:5,99999", "w:99999999999"};
	struct sotto_arrow_column c;

	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		const struct ArrowSchema schema = {.format = formats[i]};

		CHECK(!sotto_arrow_column_read(&schema, &c));
	}
	CHECK(!sotto_arrow_column_read(&(struct ArrowSchema){.format = NULL}, &c));
}

int main(void)
{
	RUN(integers_have_their_sign_and_width);
	RUN(floats_are_themselves);
	RUN(decimals_are_exact_or_nothing);
	RUN(times_beyond_the_calendar_are_no_values);
	RUN(a_text_is_a_text_of_limited_size);
	RUN(nulls_and_offsets_are_of_the_array);
	RUN(an_index_outside_its_dictionary_is_null);
	RUN(an_array_without_its_buffers_does_not_fit);
	RUN(types_without_an_image_are_left_out);
	return tap_done();
}
