#include "testlib/record_world.h"

#include <stdio.h>
#include <string.h>

static uint64_t below(struct record_world *w, uint64_t n)
{
	w->state = w->state * 6364136223846793005u + 1442695040888963407u;
	return (w->state >> 33) % n;
}

static void put(struct record_text *t, const char *bytes, size_t n)
{
	if (t->length + n < RECORD_SIZE) {
		memcpy(t->bytes + t->length, bytes, n);
		t->length += n;
	}
}

static void put_text(struct record_text *t, const char *text)
{
	put(t, text, strlen(text));
}

/* Pieces that readers trip over. */
static const struct {
	const char *bytes;
	size_t n;
} pieces[] = {
	{"a", 1},
	{"7", 1},
	{",", 1},
	{"\"", 1},
	{"\"\"", 2},
	{"{", 1},
	{"}", 1},
	{"[", 1},
	{"]", 1},
	{":", 1},
	{"\\", 1},
	{"\\\"", 2},
	{"\0", 1},
	{"\xff", 1},
	{"\xc3", 1},
	{"\xc3\xa9", 2},
	{"\xed\xa0\x80", 3},
	{"\xef\xbb\xbf", 3},
	{"\r", 1},
	{" ", 1},
	{"\\ud800", 6},
	{"\\u0000", 6},
	{"null", 4},
	{"1,2,3", 5},
	{"1,2", 3},
	{"\",\"", 3},
	{"\"c0\":", 5},
	{"{\"c0\":1}", 8},
	{"'", 1},
	{"\t", 1},
	{"1,\"", 3},
	{"\",", 2},
	{"-1e9", 4},
	{"{\"c0\":[", 7},
	{"[[[[[[[[", 8},
};

enum { PIECES = sizeof pieces / sizeof pieces[0] };

/* ---- well-formed records ---------------------------------------------------------------------- */

/* Any content; a line break now and then, whole records in it too. */
static void any_value(struct record_world *w, struct record_text *out)
{
	static const char *const lines[] = {"\n",        "\r\n",  "\n1,2\n",
					    "\n1,2,3\n", "\n7\n", "x\ny"};
	size_t n = below(w, 4);

	out->length = 0;
	for (size_t i = 0; i < n; i++) {
		size_t k = below(w, PIECES + 2);

		if (k < PIECES)
			put(out, pieces[k].bytes, pieces[k].n);
		else
			put_text(out, lines[below(w, 6)]);
	}
}

static void put_quoted(struct record_text *out, const struct record_text *value)
{
	put_text(out, "\"");
	for (size_t i = 0; i < value->length; i++)
		put(out, value->bytes[i] == '"' ? "\"\"" : value->bytes + i,
		    value->bytes[i] == '"' ? 2 : 1);
	put_text(out, "\"");
}

/* As JSON; what is no text in it stays as it is, since any content may come along. */
static void put_escaped(struct record_text *out, const struct record_text *value)
{
	char escape[8];

	put_text(out, "\"");
	for (size_t i = 0; i < value->length; i++) {
		unsigned char c = (unsigned char)value->bytes[i];

		if (c == '"' || c == '\\' || c < 0x20) {
			snprintf(escape, sizeof escape, "\\u%04x", c);
			put_text(out, escape);
		} else {
			put(out, value->bytes + i, 1);
		}
	}
	put_text(out, "\"");
}

static void put_csv(struct record_world *w, struct record_text *out)
{
	struct record_text value;

	for (size_t i = 0; i < w->columns; i++) {
		any_value(w, &value);
		if (i)
			put_text(out, ",");
		if (below(w, 2))
			put_quoted(out, &value);
		else
			put_text(out, below(w, 2) ? "12" : "x y");
	}
}

static void put_json(struct record_world *w, struct record_text *out)
{
	const char *gap = w->format == RECORD_JSON_PRETTY ? "\n  " : "";
	struct record_text value;
	char name[40];

	put_text(out, "{");
	for (size_t i = 0; i < w->columns; i++) {
		any_value(w, &value);
		snprintf(name, sizeof name, "%s%s\"c%zu\": ", i ? "," : "", gap, i);
		put_text(out, name);
		if (below(w, 3))
			put_escaped(out, &value);
		else
			put_text(out, below(w, 2) ? "-1.5e3" : "[true, {\"z\": null}]");
	}
	put_text(out, *gap ? "\n}" : "}");
}

void record_world_any_content(struct record_world *w, struct record_text *out)
{
	out->length = 0;
	if (w->format == RECORD_CSV)
		put_csv(w, out);
	else
		put_json(w, out);
}

/* ---- anything ----------------------------------------------------------------------------------- */

/* In an array of one line a comma and an object are another element: no reader can tell. */
static bool is_several(const struct record_text *t)
{
	bool comma = false;

	for (size_t i = 0; i < t->length; i++) {
		char c = t->bytes[i];

		if (comma && c == '{')
			return true;
		comma = c == ',' || (comma && c && strchr(" \t\r[],", c));
	}
	return false;
}

void record_world_any_bytes(struct record_world *w, struct record_text *out)
{
	do {
		size_t n = below(w, 12);

		out->length = 0;
		if (below(w, 3) == 0) { /* a good record, cut short or spoilt */
			record_world_any_content(w, out);
			for (size_t i = 0; i < out->length; i++)
				if (out->bytes[i] == '\n')
					out->bytes[i] = ' ';
			out->length = below(w, out->length + 1);
			n = below(w, 3);
		}
		for (size_t i = 0; i < n; i++) {
			size_t k = below(w, PIECES);

			put(out, pieces[k].bytes, pieces[k].n);
		}
		if (below(w, 40) == 0)
			while (out->length + 10 < RECORD_SIZE)
				put_text(out, "longer ");
	} while (w->format == RECORD_JSON_ONE_LINE && is_several(out));
}

void record_world_make(struct record_world *w, enum record_format format, uint64_t seed,
		       bool wild)
{
	*w = (struct record_world){.format = format, .state = seed * 2654435761u + 1};
	w->columns = 1 + below(w, 4);
	w->count = 1 + below(w, RECORDS_MAX);
	for (size_t i = 0; i < w->count; i++) {
		if (wild && below(w, 4) == 0)
			record_world_any_bytes(w, &w->records[i]);
		else
			record_world_any_content(w, &w->records[i]);
	}
}

/* ---- the file ---------------------------------------------------------------------------------- */

static void write_header(const struct record_world *w, FILE *f)
{
	for (size_t i = 0; w->format == RECORD_CSV && i < w->columns; i++)
		fprintf(f, "%sc%zu", i ? "," : "", i);
	if (w->format == RECORD_CSV || w->format == RECORD_JSON_ARRAY ||
	    w->format == RECORD_JSON_PRETTY)
		fputs(w->format == RECORD_CSV ? "\n" : "[\n", f);
	if (w->format == RECORD_JSON_ONE_LINE)
		fputs("[", f);
}

static void write_between(const struct record_world *w, FILE *f, bool last)
{
	bool comma = w->format >= RECORD_JSON_ARRAY && !last;

	if (comma)
		fputs(",", f);
	fputs(w->format == RECORD_JSON_ONE_LINE ? "" : "\n", f);
}

bool record_world_write(const struct record_world *w, size_t at,
			const struct record_text *instead, const char *path)
{
	size_t last = at + 1 == w->count && !instead ? w->count - 2 : w->count - 1;
	FILE *f = fopen(path, "wb");

	if (!f)
		return false;
	write_header(w, f);
	for (size_t i = 0; i < w->count; i++) {
		const struct record_text *t = i == at ? instead : &w->records[i];

		if (t) {
			fwrite(t->bytes, 1, t->length, f);
			write_between(w, f, i == last);
		}
	}
	if (w->format >= RECORD_JSON_ARRAY)
		fputs("]\n", f);
	return fclose(f) == 0;
}
