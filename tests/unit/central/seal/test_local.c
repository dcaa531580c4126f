/*
 * Reading is local to a record: whatever stands in one of them, the others are read
 * as they were (seal.md).
 */
#include <stdlib.h>

#include "central/seal/text/record_values.h"
#include "testlib/effort.h"
#include "testlib/folder.h"
#include "testlib/fixture/record_world.h"
#include "testlib/tap.h"

enum { ROW_SIZE = 2 * RECORD_SIZE, ROWS_MAX = 4 * RECORDS_MAX };

struct rows {
	size_t count;
	bool is_ambiguous;
	uint64_t malformed;
	size_t no_texts; /* cells that are not UTF-8 */
	char *rows[ROWS_MAX]; /* cells, each with its length before it */
	size_t lengths[ROWS_MAX];
};

static const char *const names[] = {"c0", "c1", "c2", "c3", "c4"};

static const char *file_name(enum record_format format)
{
	return format == RECORD_CSV          ? "t.csv"
	       : format == RECORD_JSON_LINES ? "t.ndjson"
					     : "t.json";
}

static void rows_free(struct rows *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->rows[i]);
	r->count = 0;
}

/* By decoding: the shortest form of a character that is not half of one. */
static bool is_text(const char *bytes, size_t n)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};

	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)bytes[i];
		unsigned more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
		uint32_t character = more ? c & (0x3fu >> more) : c;

		if ((c >= 0x80 && c < 0xc0) || c >= 0xf8 || n - i < more + 1)
			return false;
		for (unsigned k = 1; k <= more; k++) {
			if (((unsigned char)bytes[i + k] & 0xc0) != 0x80)
				return false;
			character = character << 6 | ((unsigned char)bytes[i + k] & 0x3f);
		}
		if (character < least[more] || character > 0x10ffff ||
		    (character >= 0xd800 && character < 0xe000))
			return false;
		i += more + 1;
	}
	return true;
}

static void keep_row(struct rows *r, const struct sotto_values *v)
{
	char *row = malloc(ROW_SIZE);
	size_t n = 0;

	for (size_t i = 0; i < v->count; i++) {
		const struct sotto_record_cell *c = &v->cells[i];

		n += (size_t)snprintf(row + n, ROW_SIZE - n, "%d:%zu:", c->bytes != NULL,
				      c->bytes ? c->length : 0);
		if (c->bytes) {
			memcpy(row + n, c->bytes, c->length);
			n += c->length;
			r->no_texts += !is_text(c->bytes, c->length);
		}
	}
	if (r->count < ROWS_MAX) {
		r->rows[r->count] = row;
		r->lengths[r->count++] = n;
	} else {
		free(row);
	}
}

static enum sotto_status take_rows(const struct sotto_text *t, const struct sotto_survey *s,
				   size_t columns, struct rows *out)
{
	struct sotto_raw_record raw = {.bytes = ""};
	struct sotto_record_reader reader;
	struct sotto_values v;
	enum sotto_status st;
	bool found;

	if (sotto_values_init(&v, names, columns) != SOTTO_OK)
		return SOTTO_ENOMEM;
	st = sotto_reader_open(&reader, t, s);
	while (st == SOTTO_OK && raw.bytes) {
		st = sotto_reader_next(&reader, &raw);
		if (st != SOTTO_OK || !raw.bytes || raw.flaw)
			continue;
		st = sotto_values_read(&v, &t->dialect, &raw, &found);
		if (st == SOTTO_OK && found)
			keep_row(out, &v);
	}
	sotto_reader_close(&reader);
	sotto_values_release(&v);
	return st;
}

static enum sotto_status read_file(const char *path, const struct record_world *w,
				   enum sotto_line_breaks breaks, struct rows *out)
{
	struct sotto_text t = {.path = path,
			       .line_breaks = breaks,
			       .skips_line = w->format == RECORD_CSV,
			       .dialect = {.delimiter = ',', .columns = w->columns}};
	struct sotto_survey s;
	enum sotto_status st;

	*out = (struct rows){0};
	t.dialect.kind = w->format == RECORD_CSV          ? SOTTO_TEXT_CSV
			 : w->format == RECORD_JSON_LINES ? SOTTO_TEXT_JSON_LINES
							  : SOTTO_TEXT_JSON;
	st = sotto_text_survey(&t, &s, NULL, NULL);
	if (st != SOTTO_OK)
		return st;
	out->is_ambiguous = s.ambiguous > 0;
	out->malformed = s.malformed;
	if (!out->is_ambiguous)
		st = take_rows(&t, &s, w->columns, out);
	sotto_survey_release(&s);
	return st;
}

/* y is x with at most `more` rows put in somewhere, and nothing taken out. */
static bool is_within(const struct rows *x, const struct rows *y, size_t more)
{
	size_t k = 0;

	if (y->count > x->count + more)
		return false;
	for (size_t i = 0; i < y->count && k < x->count; i++)
		if (x->lengths[k] == y->lengths[i] &&
		    memcmp(x->rows[k], y->rows[i], x->lengths[k]) == 0)
			k++;
	return k == x->count;
}

struct tally {
	size_t tried, ambiguous, apart, failed, no_texts;
};

/* With the record, without it, and with something else instead. */
static void compare(const struct record_world *w, size_t at, const struct record_text *instead,
		    const char *path, struct tally *tally)
{
	struct rows before, without, after;
	bool ok = record_world_write(w, w->count, NULL, path) &&
		  read_file(path, w, SOTTO_LINE_BREAKS_ASK, &before) == SOTTO_OK;

	ok = ok && record_world_write(w, at, NULL, path) &&
	     read_file(path, w, SOTTO_LINE_BREAKS_ASK, &without) == SOTTO_OK;
	ok = ok && record_world_write(w, at, instead, path) &&
	     read_file(path, w, SOTTO_LINE_BREAKS_ASK, &after) == SOTTO_OK;
	tally->tried++;
	if (!ok) {
		tally->failed++;
		return;
	}
	if (before.is_ambiguous || without.is_ambiguous || after.is_ambiguous)
		tally->ambiguous++;
	else if (!is_within(&without, &before, 1) || !is_within(&without, &after, 1))
		tally->apart++;
	tally->no_texts += before.no_texts + without.no_texts + after.no_texts;
	rows_free(&before);
	rows_free(&without);
	rows_free(&after);
}

static void try_format(enum record_format format, bool wild, uint64_t rounds)
{
	static struct record_world w;
	static struct record_text instead;
	struct tally tally = {0};
	char path[FOLDER_PATH_MAX];
	struct folder folder;

	folder_open(&folder);
	folder_file(&folder, file_name(format), path);
	for (uint64_t seed = 0; seed < rounds; seed++) {
		record_world_make(&w, format, seed * RECORD_FORMATS + format, wild);
		if (seed % 3 == 0)
			record_world_any_content(&w, &instead);
		else
			record_world_any_bytes(&w, &instead);
		compare(&w, seed % w.count, &instead, path, &tally);
	}
	folder_close(&folder);
	CHECK_INT(tally.failed, 0);
	CHECK_INT(tally.apart, 0);
	CHECK_INT(tally.no_texts, 0); /* the engine would fail on it in every question */
	tap_note("%zu tried, %zu ambiguous", tally.tried, tally.ambiguous);
	CHECK(tally.ambiguous * 10 < tally.tried * 9);
}

static uint64_t rounds(void)
{
	return effort() == EFFORT_LONG ? 200000 : effort() == EFFORT_SHORT ? 1500 : 100;
}

static void one_record_of_csv_decides_on_no_other(void)
{
	try_format(RECORD_CSV, false, rounds());
	try_format(RECORD_CSV, true, rounds());
}

static void one_record_of_json_lines_decides_on_no_other(void)
{
	try_format(RECORD_JSON_LINES, false, rounds());
	try_format(RECORD_JSON_LINES, true, rounds());
}

static void one_element_of_a_json_array_decides_on_no_other(void)
{
	try_format(RECORD_JSON_ARRAY, false, rounds());
	try_format(RECORD_JSON_ARRAY, true, rounds());
}

static void one_element_of_several_lines_decides_on_no_other(void)
{
	try_format(RECORD_JSON_PRETTY, false, rounds());
	try_format(RECORD_JSON_PRETTY, true, rounds());
}

static void one_element_of_an_array_in_one_line_decides_on_no_other(void)
{
	try_format(RECORD_JSON_ONE_LINE, false, rounds());
}

/* ---- single cases ---------------------------------------------------------------------------- */

static void
read_text(enum record_format format, size_t columns, const char *text, struct rows *out)
{
	struct record_world w = {.format = format, .columns = columns};
	char path[FOLDER_PATH_MAX];
	struct folder folder;
	FILE *f;

	*out = (struct rows){0};
	folder_open(&folder);
	folder_file(&folder, file_name(format), path);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	CHECK(read_file(path, &w, SOTTO_LINE_BREAKS_ASK, out) == SOTTO_OK);
	folder_close(&folder);
}

/* Once the record between them is gone, they would be one. */
static void two_lost_lines_that_would_be_a_record_are_ambiguous(void)
{
	struct rows r;

	read_text(RECORD_CSV, 2, "c0,c1\n7,\"foo\n9,\"x\"\nbar\"\n", &r);
	CHECK(r.is_ambiguous);
	rows_free(&r);
	read_text(RECORD_CSV, 2, "c0,c1\n7,\"foo\n9,\"x\"\nbar\n", &r);
	CHECK(!r.is_ambiguous && r.count == 1 && r.malformed == 2);
	rows_free(&r);
}

static void objects_without_a_comma_are_no_elements_of_an_array_in_one_line(void)
{
	struct rows r;

	read_text(RECORD_JSON_ONE_LINE, 1,
		  "[{\"c0\":1},{\"c0\":2}{\"c0\":3}{\"c0\":4},{\"c0\":5}]\n", &r);
	CHECK(!r.is_ambiguous && r.count == 2 && r.malformed == 1);
	rows_free(&r);
}

/* Its lines would be records, were it given up in the middle. */
static void a_record_that_is_too_long_is_lost_with_all_its_lines(void)
{
	size_t n = 17 << 20, at = 0;
	char *text = malloc(n + 64);
	struct rows r;

	REQUIRE(text);
	at += (size_t)snprintf(text, 64, "c0,c1\n1,\"");
	while (at < n) {
		memcpy(text + at, "a line\n", 7);
		at += 7;
	}
	(void)snprintf(text + at, 64, "\"\n2,b\n");
	read_text(RECORD_CSV, 2, text, &r);
	CHECK(!r.is_ambiguous && r.count == 1 && r.malformed == 1);
	rows_free(&r);
	free(text);
}

int main(void)
{
	RUN(two_lost_lines_that_would_be_a_record_are_ambiguous);
	RUN(objects_without_a_comma_are_no_elements_of_an_array_in_one_line);
	RUN(a_record_that_is_too_long_is_lost_with_all_its_lines);
	RUN(one_record_of_csv_decides_on_no_other);
	RUN(one_record_of_json_lines_decides_on_no_other);
	RUN(one_element_of_a_json_array_decides_on_no_other);
	RUN(one_element_of_several_lines_decides_on_no_other);
	RUN(one_element_of_an_array_in_one_line_decides_on_no_other);
	return tap_done();
}
