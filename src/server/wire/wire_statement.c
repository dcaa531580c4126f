/* What a statement is, and what it gives. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"
#include "server/wire/wire_ask.h"
#include "server/wire/wire_connection.h"
#include "server/wire/wire_value.h"

/* ---- errors --------------------------------------------------------------------------------- */

static const struct {
	enum sotto_status status;
	const char *code; /* SQLSTATE */
} codes[] = {
	{SOTTO_EPARSE, "42601"}, {SOTTO_EREFUSED, "0A000"}, {SOTTO_EBUDGET, "53400"},
	{SOTTO_EINVAL, "22023"}, {SOTTO_ERANGE, "22003"},   {SOTTO_EMISSING, "42P01"},
	{SOTTO_ESTATE, "55000"}, {SOTTO_ENOMEM, "53200"},
};

/* "(line 2, character 5)" as a number of characters from the beginning. */
static unsigned position_of(const char *sentence, const char *sql)
{
	const char *at = strstr(sentence, "(line ");
	unsigned line, character, n = 0;

	if (!sql || !at || sscanf(at, "(line %u, character %u)", &line, &character) != 2)
		return 0;
	for (; *sql && line > 1; sql++) {
		n += ((unsigned char)*sql & 0xC0) != 0x80;
		line -= *sql == '\n';
	}
	return n + character;
}

void sotto_wire_fail(struct sotto_wire_connection *c, enum sotto_status st,
		     const struct sotto_error *err, const char *sql)
{
	const char *sentence = err && err->text[0] ? err->text : sotto_status_text(st),
		   *code = "58000";

	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i].status == st)
			code = codes[i].code;
	sotto_wire_complain(&c->stream, 'E', "ERROR", code, sentence,
			    position_of(sentence, sql));
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Past blanks and comments. */
static const char *skip_blanks(const char *s)
{
	for (;;) {
		s += strspn(s, " \t\r\n\f;(");
		if (s[0] == '-' && s[1] == '-')
			s += strcspn(s, "\n");
		else if (s[0] == '/' && s[1] == '*' && strstr(s + 2, "*/"))
			s = strstr(s + 2, "*/") + 2;
		else
			return s;
	}
}

static bool begins(const char *sql, const char *word)
{
	size_t n = strlen(word);

	sql = skip_blanks(sql);
	return strncasecmp(sql, word, n) == 0 && !isalnum((unsigned char)sql[n]) &&
	       sql[n] != '_';
}

static const char *after(const char *sql, const char *word)
{
	return skip_blanks(sql) + strlen(word);
}

/* ---- kinds of statements ---------------------------------------------------------------------- */

/* Accepted, and nothing is undone by them. */
static const struct {
	const char *word, *tag;
	int block; /* 1: begins one, -1: ends it */
} quiet[] = {
	{"begin", "BEGIN", 1},         {"start", "START TRANSACTION", 1},
	{"commit", "COMMIT", -1},      {"end", "COMMIT", -1},
	{"rollback", "ROLLBACK", -1},  {"abort", "ROLLBACK", -1},
	{"savepoint", "SAVEPOINT", 0}, {"release", "RELEASE", 0},
	{"discard", "DISCARD ALL", 0}, {"deallocate", "DEALLOCATE", 0},
	{"close", "CLOSE CURSOR", 0},  {"unlisten", "UNLISTEN", 0},
};

static bool
run_quiet(struct sotto_wire_connection *c, const char *sql, struct sotto_wire_result *out)
{
	for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
		if (!begins(sql, quiet[i].word))
			continue;
		out->tag = quiet[i].tag;
		/* ROLLBACK TO a savepoint stays in the block. */
		if (quiet[i].block && !strcasestr(sql, " to "))
			c->in_block = quiet[i].block > 0;
		return true;
	}
	return false;
}

static bool is_gone(void *client)
{
	struct sotto_wire_connection *c = client;

	return sotto_stream_is_gone(&c->stream);
}

static enum sotto_status ask(struct sotto_wire_connection *c, const char *sql,
			     enum sotto_wire_want want, struct sotto_wire_result *out,
			     struct sotto_error *err)
{
	const struct sotto_wire_settings *s = &c->settings;
	const struct sotto_wire_question q = {.sql = sql,
					      .person = &c->person,
					      .policy = c->world->policy,
					      .epsilon = s->has_epsilon ? &s->epsilon : NULL,
					      .delta = s->has_delta ? &s->delta : NULL,
					      .error = s->has_error ? &s->error : NULL,
					      .fresh = s->fresh,
					      .want = want,
					      .cancelled = &c->cancelled,
					      .is_gone = is_gone,
					      .client = c};
	enum sotto_status st;

	out->reply = calloc(1, sizeof *out->reply);
	if (!out->reply)
		return SOTTO_ENOMEM;
	sotto_wire_ask(c->world->work, &q, out->reply);
	st = out->reply->status;
	*err = out->reply->error;
	return st;
}

static enum sotto_status show(struct sotto_wire_connection *c, const char *sql,
			      struct sotto_wire_result *out, struct sotto_error *err)
{
	char name[SOTTO_SETTING_TEXT], text[SOTTO_SETTING_TEXT];
	const char *rest = skip_blanks(after(sql, "show"));

	(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, ";"), rest);
	for (size_t n = strlen(name); n > 0 && isspace((unsigned char)name[n - 1]); n--)
		name[n - 1] = '\0';
	out->tag = "SHOW";
	out->column = "value";
	out->rows = 1;
	if (strcasecmp(name, "sotto.budget") == 0) {
		char *epsilon = NULL, *delta = NULL;
		enum sotto_status st = ask(c, NULL, SOTTO_WANT_BUDGET, out, err);

		if (st == SOTTO_OK)
			st = sotto_rational_format_down(&out->reply->epsilon_left, 6, &epsilon);
		if (st == SOTTO_OK)
			st = sotto_rational_format_down(&out->reply->delta_left, 6, &delta);
		if (st == SOTTO_OK &&
		    asprintf(&out->line, "left: epsilon %s, delta %s", epsilon, delta) < 0)
			st = SOTTO_ENOMEM;
		free(epsilon);
		free(delta);
		return st;
	}
	SOTTO_TRY(sotto_settings_show(&c->settings, name, text, err));
	out->line = strdup(text);
	return out->line ? SOTTO_OK : SOTTO_ENOMEM;
}

static bool is_question(const char *sql)
{
	return begins(sql, "select") || begins(sql, "with") || begins(sql, "values") ||
	       begins(sql, "table");
}

/* All lines for people; the SQL for the engine comes last and is left out. */
static size_t count_lines(const struct sotto_explanation *e)
{
	size_t n = 0;

	while (n < e->count && strcmp(e->lines[n].name, "sql") != 0)
		n++;
	return n;
}

/* foresee: nothing is answered or charged; only what columns there will be. */
static enum sotto_status run(struct sotto_wire_connection *c, const char *sql, bool foresee,
			     struct sotto_wire_result *out, struct sotto_error *err)
{
	enum sotto_status st;

	if (begins(sql, "show"))
		return show(c, sql, out, err);
	if (begins(sql, "explain")) {
		st = ask(c, after(sql, "explain"), SOTTO_WANT_EXPLANATION, out, err);
		out->tag = "EXPLAIN";
		out->column = "QUERY PLAN";
		out->rows = st == SOTTO_OK ? count_lines(out->reply->explanation) : 0;
		return st;
	}
	if (is_question(sql)) {
		st = ask(c, sql, foresee ? SOTTO_WANT_EXPLANATION : SOTTO_WANT_ANSWER, out,
			 err);
		out->tag = "SELECT";
		out->rows = st == SOTTO_OK && !foresee ? out->reply->answer->row_count : 0;
		return st;
	}
	if (foresee)
		return SOTTO_OK;
	if (begins(sql, "set") || begins(sql, "reset")) {
		out->tag = begins(sql, "set") ? "SET" : "RESET";
		return sotto_settings_set(&c->settings, skip_blanks(sql), err);
	}
	if (run_quiet(c, sql, out))
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EREFUSED,
		"only SELECT, EXPLAIN, SET and SHOW are understood here; nothing can be "
		"changed");
}

static bool run_or_fail(struct sotto_wire_connection *c, const char *sql, bool foresee,
			struct sotto_wire_result *out)
{
	struct sotto_error err = {""};
	enum sotto_status st;

	*out = (struct sotto_wire_result){0};
	/* A wish to cancel is for what runs, not for what comes. */
	atomic_store(&c->cancelled, false);
	st = run(c, sql, foresee, out, &err);
	if (st == SOTTO_OK)
		return true;
	if (out->reply && out->reply->cancelled)
		sotto_wire_complain(&c->stream, 'E', "ERROR", "57014", err.text, 0);
	else
		sotto_wire_fail(c, st, &err, sql);
	sotto_wire_result_release(out);
	return false;
}

bool sotto_wire_run(struct sotto_wire_connection *c, const char *sql,
		    struct sotto_wire_result *out)
{
	return run_or_fail(c, sql, false, out);
}

bool sotto_wire_foresee(struct sotto_wire_connection *c, const char *sql,
			struct sotto_wire_result *out)
{
	return run_or_fail(c, sql, true, out);
}

void sotto_wire_result_release(struct sotto_wire_result *r)
{
	if (r->reply)
		sotto_wire_reply_release(r->reply);
	free(r->reply);
	free(r->line);
	*r = (struct sotto_wire_result){0};
}

/* ---- rows ------------------------------------------------------------------------------------- */

static int16_t format_of(const int16_t *formats, size_t count, size_t column)
{
	return count == 0 ? 0 : formats[count == 1 ? 0 : column < count ? column : 0];
}

struct columns {
	struct sotto_wire_stream *stream;
	const int16_t *formats;
	size_t format_count, count;
};

static void
put_column(struct columns *x, const char *name, const char *suffix, const char *type)
{
	struct sotto_wire_stream *s = x->stream;
	int16_t size;
	int32_t number = sotto_wire_type(type, &size);

	sotto_stream_put(s, name, strlen(name));
	sotto_wire_text(s, suffix);
	sotto_wire_int32(s, 0);
	sotto_wire_int16(s, 0);
	sotto_wire_int32(s, number);
	sotto_wire_int16(s, size);
	sotto_wire_int32(s, -1);
	sotto_wire_int16(s, format_of(x->formats, x->format_count, x->count++));
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
	struct columns x = {
		.stream = &c->stream, .formats = formats, .format_count = format_count};
	size_t begin, at;
	uint16_t count;

	if (!r->column && !a && !e) {
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

/* What it cost and what is left, after the rows. */
static void put_notice(struct sotto_wire_connection *c, const struct sotto_answer *a)
{
	char *cost = NULL, *left = NULL, *text = NULL;

	for (size_t i = 0; i < a->note_count; i++) {
		char *words = sotto_work_words(SOTTO_DOOR_WIRE, a->notes[i]);

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
