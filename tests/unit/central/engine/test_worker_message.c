/* Messages: what was written is read, and nothing else is believed. */
#include "central/engine/worker/worker_message.h"

#include <stdlib.h>

#include "central/engine/worker/worker_result.h"
#include "testlib/chance.h"
#include "testlib/fixture/results.h"
#include "testlib/tap.h"

/* Reads a copy that ends exactly where it should, so that reading past it is seen. */
static enum sotto_status
read_result(const void *bytes, size_t n, struct sotto_engine_result **out)
{
	void *copy = malloc(n ? n : 1);
	struct sotto_worker_fields f;
	enum sotto_status st;

	if (n)
		memcpy(copy, bytes, n);
	f = (struct sotto_worker_fields){copy, (const uint8_t *)copy + n};
	st = sotto_worker_take_result(&f, copy, n, SOTTO_REPLY_VALUES, out);
	if (st != SOTTO_OK)
		free(copy);
	return st;
}

static bool write_result(struct sotto_buffer *b)
{
	struct sotto_engine_result *r = results_make();
	bool ok;

	sotto_buffer_init(b, 1 << 20);
	ok = r && sotto_worker_put_result(b, r) == SOTTO_OK;
	sotto_engine_result_free(r);
	return ok;
}

static void a_result_is_the_same_at_the_other_end(void)
{
	struct sotto_engine_result *r = results_make(), *got = NULL;
	struct sotto_buffer b;

	REQUIRE(r);
	sotto_buffer_init(&b, 1 << 20);
	REQUIRE(sotto_worker_put_result(&b, r) == SOTTO_OK);
	REQUIRE(read_result(b.bytes, b.length, &got) == SOTTO_OK);
	CHECK(results_are_same(r, got));
	sotto_engine_result_free(got);
	sotto_engine_result_free(r);
	sotto_buffer_release(&b);
}

static void a_result_that_was_cut_or_lengthened_is_refused(void)
{
	struct sotto_engine_result *got = NULL;
	struct sotto_buffer b;

	REQUIRE(write_result(&b));
	for (size_t n = 0; n < b.length; n++)
		CHECK(read_result(b.bytes, n, &got) == SOTTO_ECORRUPT);
	REQUIRE(sotto_buffer_append(&b, "", 1) == SOTTO_OK);
	CHECK(read_result(b.bytes, b.length, &got) == SOTTO_ECORRUPT);
	sotto_buffer_release(&b);
}

/* Any bytes: a status, and nothing read that is not there. */
static void a_result_of_any_bytes_is_refused_or_whole(void)
{
	struct chance c = {5};
	struct sotto_buffer b;
	unsigned long sum = 0;
	int whole = 0, refused = 0;

	REQUIRE(write_result(&b));
	for (int i = 0; i < 20000; i++) {
		struct sotto_engine_result *got = NULL;
		char *changed = malloc(b.length);

		memcpy(changed, b.bytes, b.length);
		for (unsigned k = chance_below(&c, 3) + 1; k > 0; k--)
			changed[chance_below(&c, (unsigned)b.length)] = (char)chance_word(&c);
		if (read_result(changed, b.length, &got) == SOTTO_OK) {
			sum += results_sum(got);
			whole++;
		} else {
			refused++;
		}
		sotto_engine_result_free(got);
		free(changed);
	}
	tap_note("%d whole, %d refused, %lu", whole, refused, sum % 10);
	CHECK(whole > 100 && refused > 100);
	sotto_buffer_release(&b);
}

/* The numbers at the front, each as large as it can be. */
static void announced_sizes_are_not_believed(void)
{
	static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX / 8, (uint64_t)1 << 40,
					 1 << 28};
	struct sotto_engine_result *got = NULL;
	struct sotto_buffer b;

	for (size_t i = 0; i < 4; i++)
		for (size_t at = 0; at < 16; at += 8) {
			REQUIRE(write_result(&b));
			memcpy(b.bytes + at, &sizes[i], 8);
			CHECK(read_result(b.bytes, b.length, &got) == SOTTO_ECORRUPT);
			sotto_buffer_release(&b);
		}
}

static void exact_integers_out_of_their_range_are_refused(void)
{
	struct sotto_engine_result *r = results_make(), *got = NULL;
	struct sotto_buffer b;

	REQUIRE(r);
	r->columns[1].exact[2] = ((int64_t)1 << 62) + 1;
	sotto_buffer_init(&b, 1 << 20);
	REQUIRE(sotto_worker_put_result(&b, r) == SOTTO_OK);
	CHECK(read_result(b.bytes, b.length, &got) == SOTTO_ECORRUPT);
	sotto_engine_result_free(r);
	sotto_buffer_release(&b);
}

static void values_out_of_their_order_are_refused(void)
{
	struct sotto_engine_result *r = results_make(), *got = NULL;
	struct sotto_buffer b;

	REQUIRE(r);
	r->columns[2].lists[1].values[1].secret = -6;
	sotto_buffer_init(&b, 1 << 20);
	REQUIRE(sotto_worker_put_result(&b, r) == SOTTO_OK);
	CHECK(read_result(b.bytes, b.length, &got) == SOTTO_ECORRUPT);
	sotto_engine_result_free(r);
	sotto_buffer_release(&b);
}

static void a_header_has_its_mark_and_no_more_than_allowed(void)
{
	const struct sotto_worker_header h = {.type = SOTTO_WORKER_RUN, .length = 100};
	struct sotto_worker_header got = {0};
	uint8_t bytes[SOTTO_WORKER_HEADER];

	sotto_worker_header_write(&h, bytes);
	REQUIRE(sotto_worker_header_read(bytes, 100, &got));
	CHECK_INT(got.type, SOTTO_WORKER_RUN);
	CHECK_INT(got.length, 100);
	CHECK(!sotto_worker_header_read(bytes, 99, &got));
	for (int i = 0; i < 4; i++) {
		bytes[i] ^= 1;
		CHECK(!sotto_worker_header_read(bytes, 100, &got));
		bytes[i] ^= 1;
	}
}

static void texts_are_whole_or_refused(void)
{
	static const char *const texts[] = {"", "one", "two words"};
	const char **got = NULL, *text;
	struct sotto_worker_outcome o;
	struct sotto_worker_fields f;
	struct sotto_buffer b;
	size_t n = 0;

	sotto_buffer_init(&b, 1 << 16);
	REQUIRE(sotto_worker_put_texts(&b, texts, 3) == SOTTO_OK);
	for (size_t end = 0; end < b.length; end++) {
		f = (struct sotto_worker_fields){(uint8_t *)b.bytes, (uint8_t *)b.bytes + end};
		CHECK(sotto_worker_take_texts(&f, &got, &n) == SOTTO_ECORRUPT);
	}
	f.next = (uint8_t *)b.bytes;
	f.end = f.next + b.length;
	REQUIRE(sotto_worker_take_texts(&f, &got, &n) == SOTTO_OK && n == 3);
	CHECK_STR(got[2], "two words");
	free(got);
	b.bytes[8 + 9 + 8 + 1] = '\0'; /* inside "one" */
	f.next = (uint8_t *)b.bytes + 8 + 9;
	CHECK(!sotto_worker_take_text(&f, &text));
	f.next = (uint8_t *)b.bytes;
	CHECK(!sotto_worker_take_outcome(&f, &o));
	sotto_buffer_release(&b);
}

int main(void)
{
	RUN(a_result_is_the_same_at_the_other_end);
	RUN(a_result_that_was_cut_or_lengthened_is_refused);
	RUN(a_result_of_any_bytes_is_refused_or_whole);
	RUN(announced_sizes_are_not_believed);
	RUN(exact_integers_out_of_their_range_are_refused);
	RUN(values_out_of_their_order_are_refused);
	RUN(a_header_has_its_mark_and_no_more_than_allowed);
	RUN(texts_are_whole_or_refused);
	return tap_done();
}
