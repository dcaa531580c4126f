/*
 * The noisy answer of a finished query becomes a table by statements that are bounded by bytes, not by rows alone:
 * each is sent to every worker, and held there in one piece.
 *
 * Seen to fail: without BYTES_AT_ONCE in answer_table.c.
 */
#include "central/session/answer/answer_table.h"

#include <stdlib.h>
#include <string.h>

#include "central/plan/plan.h"
#include "testlib/tap.h"

enum { ROWS = 450, LENGTH = 200000, MEBIBYTE = 1 << 20 };

static int64_t count(struct sotto_engine *e, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	int64_t n = -1;

	if (tap_check(sotto_engine_run(e, sql, &r) == SOTTO_OK, __FILE__, __LINE__, "%s", sql))
		n = sotto_engine_cell(r, 0, 0).integer;
	sotto_engine_result_free(r);
	return n;
}

/* All rows have the same long text: 90 megabytes in fewer rows than one statement may have. */
static void long_texts_are_inserted_a_few_at_a_time(void)
{
	struct sotto_plan_output output = {.name = "t", .type = SOTTO_TYPE_TEXT};
	const struct sotto_plan part = {.outputs = &output, .output_count = 1};
	struct sotto_value *values = calloc(ROWS, sizeof *values);
	struct sotto_answer answer = {.column_count = 1, .row_count = ROWS, .values = values};
	struct sotto_answer_table_texts kept = {0};
	struct sotto_engine *e = NULL;
	char *text = malloc(LENGTH + 1);
	size_t longest = 0;

	REQUIRE(values && text);
	memset(text, 'x', LENGTH);
	text[LENGTH] = '\0';
	for (size_t i = 0; i < ROWS; i++)
		values[i] = (struct sotto_value){.kind = SOTTO_VALUE_TEXT, .text = text};
	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
					 NULL) == SOTTO_OK);
	sotto_answer_table_texts_release(&kept); /* which makes it empty */
	REQUIRE(sotto_answer_table_write(e, &part, 0, ROWS, &answer, &kept) == SOTTO_OK);
	for (size_t i = 0; i < kept.count; i++)
		if (strlen(kept.list[i]) > longest)
			longest = strlen(kept.list[i]);
	CHECK(longest > MEBIBYTE);
	CHECK(longest <=
	      16 * MEBIBYTE + LENGTH + 1000); /* the row that reaches 16 MiB is the last */
	CHECK_INT(count(e, "SELECT COUNT(*) FROM \"sotto part 0\" WHERE length(c0) = 200000"),
		  ROWS);
	sotto_arena_release(&kept.arena);
	sotto_engine_close(e);
	free(values);
	free(text);
}

int main(void)
{
	RUN(long_texts_are_inserted_a_few_at_a_time);
	return tap_done();
}
