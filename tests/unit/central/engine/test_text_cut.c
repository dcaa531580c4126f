/*
 * The first characters of a text are those that are there when it is read from its beginning, one
 * after the other, wherever the blocks end that sotto_text_cut counts at once; and the engine's
 * left() finds the same.
 *
 * Seen to fail: where a block with exactly the last character is taken as a whole; where bytes from
 * 0xc0 on do not begin one.
 */
#include <stdio.h>
#include <string.h>

#include "central/engine/engine.h"
#include "central/engine/sum/text_cut.h"
#include "testlib/chance.h"
#include "testlib/tap.h"

enum { LONGEST = 400 };

static size_t make_text(struct chance *c, char *text, size_t characters)
{
	static const char *const list[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	unsigned kinds = 1 + chance_below(c, 4);
	size_t bytes = 0;

	for (size_t i = 0; i < characters; i++) {
		const char *one = list[chance_below(c, kinds)];

		memcpy(text + bytes, one, strlen(one));
		bytes += strlen(one);
	}
	return bytes;
}

static size_t one_by_one(const char *text, size_t bytes, size_t n)
{
	size_t at = 0;

	while (at < bytes && n-- > 0)
		do
			at++;
		while (at < bytes && ((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

static void cuts_are_those_of_a_reader(void)
{
	struct chance c = {20261120};
	char text[4 * LONGEST];
	size_t wrong = 0;

	for (int i = 0; i < 3000; i++) {
		size_t bytes = make_text(&c, text, chance_below(&c, LONGEST));

		for (int j = 0; j < 20; j++) {
			size_t n = chance_below(&c, LONGEST + 5);

			wrong += sotto_text_cut(text, bytes, n) != one_by_one(text, bytes, n);
		}
	}
	CHECK_INT(wrong, 0);
}

static void the_engine_cuts_alike(void)
{
	static const char sql[] =
		"SELECT CAST(count(*) AS BIGINT) FROM (SELECT repeat(chr(CASE i % 3 WHEN 0 "
		"THEN "
		"97 WHEN 1 THEN 233 ELSE 128512 END), i % 90) || nullif(repeat('b', i % 70), "
		"'bbb') AS x, i % 97 AS n FROM range(20000) AS r(i)) WHERE sotto_cut(x, n) IS "
		"DISTINCT FROM left(x, n) OR (x IS NULL) <> (sotto_cut(x, n) IS NULL)";
	struct sotto_engine *engine = NULL;
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};

	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					 &engine, &err) == SOTTO_OK);
	if (sotto_engine_run(engine, sql, &r) == SOTTO_OK)
		CHECK_INT(sotto_engine_cell(r, 0, 0).integer, 0);
	else
		(void)tap_check(false, __FILE__, __LINE__, "%s", sotto_engine_detail(engine));
	sotto_engine_result_free(r);
	sotto_engine_close(engine);
}

int main(void)
{
	RUN(cuts_are_those_of_a_reader);
	RUN(the_engine_cuts_alike);
	return tap_done();
}
