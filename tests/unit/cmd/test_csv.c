/* The CSV reader: what programs write, what they should not, and bounds. */
#include "read/csv.h"

#include <stdlib.h>

#include "testlib/tap.h"

/* Reads all of text; fields joined by | and records by /, an error as "!" and its words. */
static char *read_all(const char *text, size_t length)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, length, "r"), *out;
	struct sotto_error err = {""};
	struct csv_reader csv;
	enum csv_result result;
	char *joined = NULL;
	size_t size;

	out = open_memstream(&joined, &size);
	csv_init(&csv, in);
	while ((result = csv_next(&csv, &err)) == CSV_RECORD) {
		for (size_t i = 0; i < csv.field_count; i++)
			fprintf(out, "%s%s", i ? "|" : "", csv_field(&csv, i));
		fputc('/', out);
	}
	if (result == CSV_BROKEN)
		fprintf(out, "!%s", err.text);
	csv_release(&csv);
	fclose(in);
	fclose(out);
	return joined;
}

static void check_reading(const char *text, size_t length, const char *want, int line)
{
	char *got = read_all(text, length);

	(void)tap_check(strcmp(got, want) == 0, __FILE__, line, "got \"%s\", expected \"%s\"",
			got, want);
	free(got);
}

#define READS(text, want) check_reading(text, sizeof(text) - 1, want, __LINE__)

static void plain_files_are_read(void)
{
	READS("a,b\n1,2\n", "a|b/1|2/");
	READS("a,b\n1,2", "a|b/1|2/");
	READS("a\n", "a/");
	READS("a,,c\n,\n", "a||c/|/");
	READS("\n", "");
}

static void every_line_ending_ends_a_line(void)
{
	READS("a,b\r\n1,2\r\n", "a|b/1|2/");
	READS("a,b\r1,2\r", "a|b/1|2/");
	READS("a\n\r\n\n1\n", "a/1/");
	READS("\"a\"\r\n\"1\"\r\n", "a/1/");
}

static void quotes_protect_what_is_inside(void)
{
	READS("\"a,b\",c\n", "a,b|c/");
	READS("\"say \"\"hi\"\"\",x\n", "say \"hi\"|x/");
	READS("\"two\nlines\",x\ny,z\n", "two\nlines|x/y|z/");
	READS("\"\",\"\"\n", "|/");
	READS("5\" pipe,x\n", "5\" pipe|x/");
	READS("\"end\"", "end/");
}

static void a_byte_order_mark_is_skipped_once(void)
{
	READS("\xEF\xBB\xBF"
	      "a,b\n",
	      "a|b/");
	READS("\xEF\xBB\xBF\"a\"\n", "a/");
	READS("a\n\xEF\xBB\xBF"
	      "b\n",
	      "a/\xEF\xBB\xBF"
	      "b/");
}

static void broken_files_are_refused_with_their_line(void)
{
	READS("a\n\"open", "a/!line 2: a quoted field is never closed");
	READS("a\nb\n\"x\"y\n", "a/b/!line 3: there is text after a closing quote");
	READS("a\n1\0002\n", "a/!line 2: there is a NUL byte; is this a text file in UTF-8?");
	READS("\"a\0\"", "!line 1: there is a NUL byte; is this a text file in UTF-8?");
	READS("\xEF\xBBxx\n", "!line 1: the file does not start like UTF-8");
}

static void the_line_is_the_one_the_record_starts_on(void)
{
	READS("a\rb\r\"x\"y\r", "a/b/!line 3: there is text after a closing quote");
	READS("\"a\nb\nc\"\r\n\r\n\"x\"y\n",
	      "a\nb\nc/!line 5: there is text after a closing quote");
}

static char *repeated(const char *piece, size_t times, size_t *length)
{
	size_t n = strlen(piece);
	char *text = malloc(n * times + 1);

	for (size_t i = 0; i < times; i++)
		memcpy(text + i * n, piece, n);
	text[n * times] = '\0';
	*length = n * times;
	return text;
}

static void a_record_has_a_longest_length(void)
{
	size_t length;
	char *text = repeated("x", CSV_RECORD_MAX - 1, &length), *got;

	got = read_all(text, length);
	CHECK_INT(strlen(got), CSV_RECORD_MAX);
	free(got);
	free(text);
	text = repeated("x", CSV_RECORD_MAX, &length);
	check_reading(text, length,
		      "!line 1: the record is longer than 1 MiB; is a quote left open?",
		      __LINE__);
	text[0] = '"';
	check_reading(text, length, "!line 1: a quoted field is never closed", __LINE__);
	free(text);
	text = repeated(",", CSV_FIELDS_MAX, &length);
	check_reading(text, length, "!line 1: the record has more than 65536 fields", __LINE__);
	free(text);
}

int main(void)
{
	RUN(plain_files_are_read);
	RUN(every_line_ending_ends_a_line);
	RUN(quotes_protect_what_is_inside);
	RUN(a_byte_order_mark_is_skipped_once);
	RUN(broken_files_are_refused_with_their_line);
	RUN(the_line_is_the_one_the_record_starts_on);
	RUN(a_record_has_a_longest_length);
	return tap_done();
}
