/*
 * Base: statuses have names and texts, buffers keep their cap, sums saturate, digests are SHA-256,
 * quotes of SQL are doubled.
 */
#include "core/base/buffer.h"
#include "core/base/checked.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

#include "testlib/tap.h"

static void every_status_has_a_name_and_a_text(void)
{
	for (int s = SOTTO_OK; s <= SOTTO_EMISSING; s++) {
		CHECK(strncmp(sotto_status_name((enum sotto_status)s), "SOTTO_", 6) == 0);
		CHECK(sotto_status_text((enum sotto_status)s)[0] != '\0');
	}
	CHECK_STR(sotto_status_name((enum sotto_status)999), "SOTTO_UNKNOWN");
	CHECK_STR(sotto_status_text((enum sotto_status) - 1), "unknown status");
}

static void a_failure_text_is_cut_not_overrun(void)
{
	char long_name[2 * SOTTO_ERROR_TEXT_MAX];
	struct sotto_error err;

	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	CHECK_INT(sotto_fail(&err, SOTTO_EINVAL, "%s", long_name), SOTTO_EINVAL);
	CHECK_INT(strlen(err.text), SOTTO_ERROR_TEXT_MAX - 1);
	CHECK_INT(sotto_fail(NULL, SOTTO_ERANGE, "nobody reads this"), SOTTO_ERANGE);
}

static void a_buffer_stops_at_its_cap(void)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 10);
	CHECK_STR(sotto_buffer_text(&b), "");
	CHECK_INT(sotto_buffer_append_text(&b, "12345"), SOTTO_OK);
	CHECK_INT(sotto_buffer_appendf(&b, "%d", 67890), SOTTO_OK);
	CHECK_INT(sotto_buffer_append_text(&b, "x"), SOTTO_ERANGE);
	CHECK_STR(sotto_buffer_text(&b), "1234567890");
	sotto_buffer_clear(&b);
	CHECK_STR(sotto_buffer_text(&b), "");
	sotto_buffer_release(&b);
}

static void sums_say_when_they_overflow(void)
{
	int64_t out = 5;
	size_t size = 5;

	CHECK(!sotto_checked_mul_i64(INT64_MIN, -1, &out) && out == 5);
	CHECK(sotto_checked_mul_i64(-3, 7, &out) && out == -21);
	CHECK(!sotto_checked_mul_size(SIZE_MAX, 2, &size) && size == 5);
	CHECK(sotto_checked_mul_size(6, 7, &size) && size == 42);
	CHECK_INT(sotto_saturating_add_i64(INT64_MAX - 1, 5), INT64_MAX);
	CHECK_INT(sotto_saturating_add_i64(INT64_MIN + 1, -5), INT64_MIN);
	CHECK_INT(sotto_saturating_add_i64(40, 2), 42);
}

/* FIPS 180-4, and every digit in both places of a byte. */
static void a_digest_is_sha256_in_small_letters(void)
{
	const unsigned char bytes[] = {0x00, 0x0f, 0xf0, 0x5a, 0x9c};
	char text[SOTTO_DIGEST_SIZE];

	CHECK_INT(sotto_digest_text("abc", 3, text), SOTTO_OK);
	CHECK_STR(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sotto_hex(bytes, sizeof bytes, text);
	CHECK_STR(text, "000ff05a9c");
}

/* A mark that is not doubled would end the text, and what follows would be SQL. */
static void marks_inside_of_quotes_are_doubled(void)
{
	struct sotto_arena a;
	struct sotto_buffer b;

	sotto_arena_init(&a, 1 << 10);
	sotto_buffer_init(&b, 12);
	CHECK_STR(sotto_sql_quote_name(&a, "a\"b'c"), "\"a\"\"b'c\"");
	CHECK_STR(sotto_sql_quote_text(&a, "'a\"'"), "'''a\"'''");
	CHECK_STR(sotto_sql_quote(&a, "", '`'), "``");
	CHECK_INT(sotto_sql_append_quoted(&b, "a''", '\''), SOTTO_OK);
	CHECK_STR(sotto_buffer_text(&b), "'a'''''");
	CHECK_INT(sotto_sql_append_quoted(&b, "a'bc", '\''), SOTTO_ERANGE);
	CHECK_STR(sotto_buffer_text(&b), "'a'''''");
	CHECK_INT(sotto_sql_append_quoted(&b, "abc", '"'), SOTTO_OK);
	CHECK_STR(sotto_buffer_text(&b), "'a'''''\"abc\"");
	sotto_buffer_release(&b);
	sotto_arena_release(&a);
}

int main(void)
{
	RUN(every_status_has_a_name_and_a_text);
	RUN(a_failure_text_is_cut_not_overrun);
	RUN(a_digest_is_sha256_in_small_letters);
	RUN(a_buffer_stops_at_its_cap);
	RUN(sums_say_when_they_overflow);
	RUN(marks_inside_of_quotes_are_doubled);
	return tap_done();
}
