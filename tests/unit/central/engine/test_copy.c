/* PostgreSQL's binary COPY stream: rows are the same wherever the pieces end. */
#include "central/engine/postgres/postgres_copy.h"

#include <stdlib.h>

#include "testlib/tap.h"

#define SIGNATURE "PGCOPY\n\377\r\n\0"
#define NO_FLAGS "\0\0\0\0"
#define NO_EXTENSION "\0\0\0\0"
#define HEADER SIGNATURE NO_FLAGS NO_EXTENSION
#define TRAILER "\377\377"
#define ROW_AB "\0\002\0\0\0\001a\0\0\0\002bb"
#define ROW_NULL_EMPTY "\0\002\377\377\377\377\0\0\0\0"

static const char stream[] = HEADER ROW_AB ROW_NULL_EMPTY ROW_AB TRAILER;
enum { STREAM = sizeof stream - 1, ROWS = 3 };

/* Reads pieces of the stream; how many rows came before the end, or -1. */
static int
rows_in(const char *bytes, size_t n, size_t first, size_t others, char *seen, size_t size)
{
	struct sotto_copy_field fields[2];
	struct sotto_copy c;
	int rows = 0;
	bool found;

	sotto_copy_init(&c, 2);
	seen[0] = '\0';
	for (size_t at = 0, step = first; at < n && rows >= 0; at += step, step = others) {
		size_t length = n - at < step ? n - at : step;
		char *piece = malloc(length); /* so that sanitizers see a step outside */

		if (!piece)
			abort();
		memcpy(piece, bytes + at, length);
		if (sotto_copy_feed(&c, piece, length) != SOTTO_OK)
			rows = -1;
		while (rows >= 0) {
			if (sotto_copy_row(&c, fields, &found) != SOTTO_OK)
				rows = -1;
			else if (!found)
				break;
			else
				rows++;
			for (int i = 0; rows > 0 && i < 2; i++)
				(void)snprintf(
					seen + strlen(seen), size - strlen(seen), "%s%.*s|",
					fields[i].bytes ? "" : "NULL", (int)fields[i].length,
					fields[i].bytes ? (const char *)fields[i].bytes : "");
		}
		free(piece);
	}
	if (!c.has_ended)
		rows = -1;
	sotto_copy_release(&c);
	return rows;
}

static void rows_are_the_same_wherever_pieces_end(void)
{
	char seen[100];

	for (size_t first = 1; first <= STREAM; first++)
		for (size_t others = 1; others <= STREAM; others += others < 5 ? 1 : 7) {
			CHECK_INT(rows_in(stream, STREAM, first, others, seen, sizeof seen),
				  ROWS);
			CHECK_STR(seen, "a|bb|NULL||a|bb|");
		}
}

static void a_stream_that_stops_early_has_not_ended(void)
{
	char seen[100];

	for (size_t n = 0; n < STREAM; n++)
		CHECK_INT(rows_in(stream, n, n + 1, 1, seen, sizeof seen), -1);
}

static bool is_refused(const char *bytes, size_t n)
{
	char seen[100];

	return rows_in(bytes, n, n, n, seen, sizeof seen) == -1;
}
#define REFUSED(text) CHECK(is_refused(text, sizeof(text) - 1))

static void what_is_no_such_stream_is_refused(void)
{
	REFUSED("PGCOPX\n\377\r\n\0" NO_FLAGS NO_EXTENSION TRAILER);
	REFUSED(SIGNATURE "\0\001\0\0" NO_EXTENSION TRAILER); /* with object numbers */
	REFUSED(HEADER "\0\001\0\0\0\001a" TRAILER); /* one column too few */
	REFUSED(HEADER "\0\003" TRAILER);
	REFUSED(HEADER "\0\002\377\377\377\376\0\0\0\0" TRAILER); /* a length of -2 */
	REFUSED(HEADER "\0\002\200\0\0\0\0\0\0\0" TRAILER);
	REFUSED(HEADER TRAILER ROW_AB); /* after the end */
}

static void an_extension_of_the_header_is_passed_over(void)
{
	static const char extended[] = SIGNATURE NO_FLAGS "\0\0\0\003xyz" ROW_AB TRAILER;
	char seen[100];

	for (size_t step = 1; step < sizeof extended; step++)
		CHECK_INT(rows_in(extended, sizeof extended - 1, step, step, seen, sizeof seen),
			  1);
}

static void rows_may_have_no_columns(void)
{
	static const char rows[] = HEADER "\0\0\0\0" TRAILER;
	struct sotto_copy c;
	bool found;

	sotto_copy_init(&c, 0);
	CHECK_INT(sotto_copy_feed(&c, rows, sizeof rows - 1), SOTTO_OK);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(sotto_copy_row(&c, NULL, &found), SOTTO_OK);
		CHECK(found);
	}
	CHECK_INT(sotto_copy_row(&c, NULL, &found), SOTTO_OK);
	CHECK(!found && c.has_ended);
	sotto_copy_release(&c);
}

int main(void)
{
	RUN(rows_are_the_same_wherever_pieces_end);
	RUN(a_stream_that_stops_early_has_not_ended);
	RUN(what_is_no_such_stream_is_refused);
	RUN(an_extension_of_the_header_is_passed_over);
	RUN(rows_may_have_no_columns);
	return tap_done();
}
