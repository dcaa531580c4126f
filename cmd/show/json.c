/*
 * Keeps for each open bracket whether it holds something yet and whether it is on one line;
 * from that, commas and line breaks follow.
 */
#include "show/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "show/number_text.h"
#include "show/utf8.h"

void json_print_versioned(const char *object, FILE *out)
{
	assert(object[0] == '{');
	fprintf(out, "{\n  \"version\": %d,%s%s", JSON_VERSION, object[1] == '\n' ? "" : "\n",
		object + 1);
}

void json_begin(struct json_writer *w, FILE *out)
{
	*w = (struct json_writer){.out = out};
}

void json_end(struct json_writer *w)
{
	assert(w->depth == 0);
	fputc('\n', w->out);
}

static void new_line(struct json_writer *w)
{
	fputc('\n', w->out);
	for (unsigned i = 0; i < w->depth; i++)
		fputs("  ", w->out);
}

/* The comma and the line break that stand before a value or a key. */
static void separate(struct json_writer *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (w->filled[w->depth])
		fputc(',', w->out);
	if (w->depth > 0 && !w->inline_at[w->depth])
		new_line(w);
	else if (w->filled[w->depth])
		fputc(' ', w->out);
	w->filled[w->depth] = true;
}

static void open_bracket(struct json_writer *w, char bracket, bool on_one_line)
{
	bool inside = w->inline_at[w->depth];

	assert(w->depth + 1 < JSON_DEPTH_MAX);
	separate(w);
	fputc(bracket, w->out);
	w->depth++;
	w->filled[w->depth] = false;
	w->inline_at[w->depth] = on_one_line || inside;
}

static void close_bracket(struct json_writer *w, char bracket)
{
	bool break_line = w->filled[w->depth] && !w->inline_at[w->depth];

	assert(w->depth > 0 && !w->after_key);
	w->depth--;
	if (break_line)
		new_line(w);
	fputc(bracket, w->out);
}

/* Readers see at once whether they know the shape. */
void json_open_object(struct json_writer *w)
{
	bool whole = w->depth == 0;

	open_bracket(w, '{', false);
	if (!whole)
		return;
	json_key(w, "version");
	json_write_integer(w, JSON_VERSION);
}

void json_open_record(struct json_writer *w)
{
	open_bracket(w, '{', true);
}

void json_close_object(struct json_writer *w)
{
	close_bracket(w, '}');
}

void json_open_array(struct json_writer *w)
{
	open_bracket(w, '[', false);
}

void json_open_row(struct json_writer *w)
{
	open_bracket(w, '[', true);
}

void json_close_array(struct json_writer *w)
{
	close_bracket(w, ']');
}

static void write_rune(FILE *out, const char *text, struct utf8_rune rune)
{
	static const char short_escapes[] = "\b\t\n\f\r";

	if (!rune.valid)
		fputs("\xEF\xBF\xBD", out);
	else if (rune.code == '"' || rune.code == '\\')
		fprintf(out, "\\%c", (char)rune.code);
	else if (rune.code < 0x20 && strchr(short_escapes, (int)rune.code))
		fprintf(out, "\\%c",
			"btnfr"[strchr(short_escapes, (int)rune.code) - short_escapes]);
	else if (utf8_is_control(rune.code))
		fprintf(out, "\\u%04x", (unsigned)rune.code);
	else
		fwrite(text, 1, rune.length, out);
}

static void write_string(FILE *out, const char *text)
{
	struct utf8_rune rune;

	fputc('"', out);
	for (; (rune = utf8_next(text)).length; text += rune.length)
		write_rune(out, text, rune);
	fputc('"', out);
}

void json_key(struct json_writer *w, const char *key)
{
	separate(w);
	write_string(w->out, key);
	fputs(": ", w->out);
	w->after_key = true;
}

void json_write_text(struct json_writer *w, const char *text)
{
	separate(w);
	write_string(w->out, text);
}

void json_write_bool(struct json_writer *w, bool value)
{
	separate(w);
	fputs(value ? "true" : "false", w->out);
}

void json_write_null(struct json_writer *w)
{
	separate(w);
	fputs("null", w->out);
}

void json_write_number_text(struct json_writer *w, const char *number)
{
	if (!number_text_survives_double(number)) {
		json_write_text(w, number);
		return;
	}
	separate(w);
	fputs(number, w->out);
}

void json_write_integer(struct json_writer *w, int64_t value)
{
	char *text = number_text_integer(value);

	json_write_number_text(w, text);
	free(text);
}

void json_write_double(struct json_writer *w, double x)
{
	char *text;

	separate(w);
	if (!isfinite(x)) {
		fputs("null", w->out);
		return;
	}
	text = number_text_double(x);
	fputs(text, w->out);
	free(text);
}

void json_member_text(struct json_writer *w, const char *key, const char *text)
{
	json_key(w, key);
	if (text)
		json_write_text(w, text);
	else
		json_write_null(w);
}

void json_member_integer(struct json_writer *w, const char *key, int64_t value)
{
	json_key(w, key);
	json_write_integer(w, value);
}

void json_member_bool(struct json_writer *w, const char *key, bool value)
{
	json_key(w, key);
	json_write_bool(w, value);
}

void json_member_double(struct json_writer *w, const char *key, double x)
{
	json_key(w, key);
	json_write_double(w, x);
}

void json_write_rational(struct json_writer *w, const struct sotto_rational *r)
{
	char *text = number_text_parameter(r);

	json_write_number_text(w, text);
	free(text);
}

static void write_amount(struct json_writer *w, const char *key, const struct sotto_rational *r,
			 double near)
{
	char *text = number_text_parameter(r), *exact_key = memory_text("%s_exact", key);

	json_key(w, key);
	if (number_text_survives_double(text)) {
		json_write_number_text(w, text);
	} else {
		json_write_double(w, near);
		json_key(w, exact_key);
		json_write_text(w, text);
	}
	free(exact_key);
	free(text);
}

void json_write_amount_down(struct json_writer *w, const char *key,
			    const struct sotto_rational *r)
{
	write_amount(w, key, r, sotto_rational_double_down(r));
}

void json_write_amount_up(struct json_writer *w, const char *key,
			  const struct sotto_rational *r)
{
	write_amount(w, key, r, sotto_rational_double_up(r));
}
