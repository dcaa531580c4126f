/* Columns and rows of a result, and what is said behind them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/wire/wire_ask.h"
#include "server/wire/wire_inside.h"
#include "server/wire/value/wire_value.h"

static int16_t format_of(const int16_t *formats, size_t count, size_t column)
{
	return count == 0 ? 0 : formats[count == 1 ? 0 : column < count ? column : 0];
}

struct columns {
	struct sotto_wire_stream *stream;
	const int16_t *formats;
	size_t format_count, count;
};

static void put_column_of(struct columns *x, const char *name, const char *suffix,
			  int32_t number, int16_t size)
{
	struct sotto_wire_stream *s = x->stream;

	sotto_stream_put(s, name, strlen(name));
	sotto_wire_text(s, suffix);
	sotto_wire_int32(s, 0);
	sotto_wire_int16(s, 0);
	sotto_wire_int32(s, number);
	sotto_wire_int16(s, size);
	sotto_wire_int32(s, -1);
	sotto_wire_int16(s, format_of(x->formats, x->format_count, x->count++));
}

static void
put_column(struct columns *x, const char *name, const char *suffix, const char *type)
{
	int16_t size;
	int32_t number = sotto_wire_type(type, &size);

	put_column_of(x, name, suffix, number, size);
}

static bool has_interval(const struct sotto_wire_connection *c, bool noisy, const char *type)
{
	return c->settings.intervals && noisy &&
	       (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0);
}

/* A column, and the two ends of its interval where they are asked for. */
static void put_columns(struct sotto_wire_connection *c, struct columns *x, const char *name,
			const char *type, bool noisy)
{
	put_column(x, name, "", type);
	if (has_interval(c, noisy, type)) {
		put_column(x, name, "_low", "number");
		put_column(x, name, "_high", "number");
	}
}

void sotto_wire_describe(struct sotto_wire_connection *c, const struct sotto_wire_result *r,
			 const int16_t *formats, size_t format_count)
{
	const struct sotto_answer *a = r->reply ? r->reply->answer : NULL;
	const struct sotto_explanation *e = r->reply ? r->reply->explanation : NULL;
	const struct sotto_catalog_answer *k = r->reply ? &r->reply->catalog : NULL;
	struct columns x = {
		.stream = &c->stream, .formats = formats, .format_count = format_count};
	size_t begin, at;
	uint16_t count;

	if (!r->column && !a && !e && !(k && k->columns)) {
		sotto_wire_send(&c->stream, 'n', NULL);
		return;
	}
	begin = sotto_wire_begin(&c->stream, 'T');
	at = c->stream.out.length;
	sotto_wire_int16(&c->stream, 0);
	if (r->column)
		put_column(&x, r->column, "", "text");
	for (size_t i = 0; !r->column && a && i < a->column_count; i++)
		put_columns(c, &x, a->columns[i].name, a->columns[i].type, a->columns[i].noisy);
	for (size_t i = 0; !r->column && !a && e && i < e->column_count; i++)
		put_columns(c, &x, e->columns[i].name, e->columns[i].type, e->columns[i].noisy);
	for (size_t i = 0; !r->column && k && k->columns && i < k->column_count; i++)
		put_column_of(&x, k->columns[i].name, "", k->columns[i].type,
			      sotto_wire_type_size(k->columns[i].type));
	count = (uint16_t)(x.count >> 8 | x.count << 8);
	if (!c->stream.failed)
		memcpy(c->stream.out.bytes + at, &count, sizeof count);
	sotto_wire_end(&c->stream, begin);
}

static void put_text_row(struct sotto_wire_connection *c, const char *text)
{
	size_t begin = sotto_wire_begin(&c->stream, 'D');

	sotto_wire_int16(&c->stream, 1);
	sotto_wire_int32(&c->stream, (int32_t)strlen(text));
	sotto_stream_put(&c->stream, text, strlen(text));
	sotto_wire_end(&c->stream, begin);
}

static void put_explained_row(struct sotto_wire_connection *c,
			      const struct sotto_explanation *e, size_t row)
{
	char *text = NULL, *words = NULL;

	if (asprintf(&text, "%s: %s", e->lines[row].name, e->lines[row].text) >= 0 &&
	    (words = sotto_work_words(SOTTO_DOOR_WIRE, text)))
		put_text_row(c, words);
	free(text);
	free(words);
}

static void put_answer_row(struct sotto_wire_connection *c, const struct sotto_answer *a,
			   size_t row, const int16_t *formats, size_t format_count)
{
	size_t begin = sotto_wire_begin(&c->stream, 'D'), n = 0, at = c->stream.out.length;
	uint16_t count;

	sotto_wire_int16(&c->stream, 0);
	for (size_t i = 0; i < a->column_count; i++) {
		size_t cell = row * a->column_count + i;
		const char *type = a->columns[i].type;

		sotto_wire_value(&c->stream, &a->values[cell], type,
				 format_of(formats, format_count, n++) == 1);
		if (!has_interval(c, a->columns[i].noisy, type))
			continue;
		sotto_wire_value(&c->stream, &a->lows[cell], "number",
				 format_of(formats, format_count, n++) == 1);
		sotto_wire_value(&c->stream, &a->highs[cell], "number",
				 format_of(formats, format_count, n++) == 1);
	}
	count = (uint16_t)(n >> 8 | n << 8);
	if (!c->stream.failed)
		memcpy(c->stream.out.bytes + at, &count, sizeof count);
	sotto_wire_end(&c->stream, begin);
}

static void put_catalog_row(struct sotto_wire_connection *c,
			    const struct sotto_catalog_answer *k, size_t row,
			    const int16_t *formats, size_t format_count)
{
	size_t begin = sotto_wire_begin(&c->stream, 'D');

	sotto_wire_int16(&c->stream, (int16_t)k->column_count);
	for (size_t i = 0; i < k->column_count; i++)
		sotto_wire_text_value(&c->stream, k->cells[row * k->column_count + i],
				      k->columns[i].type,
				      format_of(formats, format_count, i) == 1);
	sotto_wire_end(&c->stream, begin);
}

/* What it cost and what is left, after the rows. */
static void put_notice(struct sotto_wire_connection *c, const struct sotto_answer *a)
{
	char *cost = NULL, *left = NULL, *text = NULL;

	for (size_t i = 0; sotto_answer_sentence(a, i); i++) {
		char *words = sotto_work_words(SOTTO_DOOR_WIRE, sotto_answer_sentence(a, i));

		if (words)
			sotto_wire_complain(&c->stream, 'N', "NOTICE", "00000", words, 0);
		free(words);
	}
	if (sotto_rational_format_up(&a->epsilon, 6, &cost) == SOTTO_OK &&
	    sotto_rational_format_down(&a->epsilon_left, 6, &left) == SOTTO_OK &&
	    asprintf(&text, "%s%s; left epsilon %s",
		     a->repeated ? "the same answer as before, free" : "cost epsilon ",
		     a->repeated ? "" : cost, left) >= 0)
		sotto_wire_complain(&c->stream, 'N', "NOTICE", "00000", text, 0);
	free(cost);
	free(left);
	free(text);
}

static void put_tag(struct sotto_wire_connection *c, const struct sotto_wire_result *r)
{
	char tag[64];

	if (strcmp(r->tag, "SELECT") == 0)
		(void)snprintf(tag, sizeof tag, "SELECT %zu", r->rows);
	else
		(void)snprintf(tag, sizeof tag, "%s", r->tag);
	sotto_wire_send(&c->stream, 'C', tag);
}

void sotto_wire_rows(struct sotto_wire_connection *c, struct sotto_wire_result *r, int32_t most,
		     const int16_t *formats, size_t format_count)
{
	size_t end =
		most > 0 && r->rows - r->sent > (size_t)most ? r->sent + (size_t)most : r->rows;

	for (; r->sent < end; r->sent++) {
		if (r->line)
			put_text_row(c, r->line);
		else if (r->column)
			put_explained_row(c, r->reply->explanation, r->sent);
		else if (r->reply->catalog.columns)
			put_catalog_row(c, &r->reply->catalog, r->sent, formats, format_count);
		else
			put_answer_row(c, r->reply->answer, r->sent, formats, format_count);
		sotto_stream_drain(&c->stream);
	}
	if (r->sent < r->rows) {
		sotto_wire_send(&c->stream, 's', NULL);
		return;
	}
	if (r->reply && r->reply->answer)
		put_notice(c, r->reply->answer);
	put_tag(c, r);
}
