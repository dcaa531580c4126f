/* What a statement is, and what it gives. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"
#include "server/wire/wire_ask.h"
#include "server/wire/wire_extended.h"
#include "server/wire/wire_inside.h"

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

static void wire_fail(struct sotto_wire_connection *c, enum sotto_status st,
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

bool sotto_wire_is_empty(const char *sql)
{
	return sql[strspn(sql, " \t\r\n;")] == '\0';
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

/* DISCARD and DEALLOCATE: settings and prepared statements that are no longer wanted. */
static void forget(struct sotto_wire_connection *c, const char *sql)
{
	if (begins(sql, "discard")) {
		sotto_settings_release(&c->settings);
		sotto_settings_init(&c->settings);
		sotto_wire_drop_statements(c);
	} else if (begins(sql, "deallocate")) {
		const char *words = skip_blanks(after(sql, "deallocate"));

		if (begins(words, "prepare"))
			words = skip_blanks(after(words, "prepare"));
		sotto_wire_deallocate(c, words);
	}
}

static bool
run_quiet(struct sotto_wire_connection *c, const char *sql, struct sotto_wire_result *out)
{
	for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
		if (!begins(sql, quiet[i].word))
			continue;
		out->tag = quiet[i].tag;
		forget(c, sql);
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

static enum sotto_status ask(struct sotto_wire_connection *c,
			     const struct sotto_wire_query *asked, enum sotto_wire_want want,
			     bool asks_catalog, struct sotto_wire_result *out,
			     struct sotto_error *err)
{
	const struct sotto_wire_settings *s = &c->settings;
	const struct sotto_wire_question q = {
		.sql = asked->sql,
		.parameters = asked->parameters,
		.parameter_count = asked->parameter_count,
		.database = c->world->database,
		.number = c->number,
		.person = &c->person,
		.policy = c->world->policy,
		.epsilon = s->has_epsilon ? &s->epsilon : NULL,
		.delta = s->has_delta ? &s->delta : NULL,
		.error = s->has_error ? &s->error : NULL,
		.diagnostics = s->has_diagnostics ? &s->diagnostics : NULL,
		.mechanism = *s->mechanism ? s->mechanism : NULL,
		.weights = s->weight,
		.weight_count = s->weight_count,
		.fresh = s->fresh,
		.want = want,
		.asks_catalog = asks_catalog,
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
		enum sotto_status st = ask(c, &(struct sotto_wire_query){0}, SOTTO_WANT_BUDGET,
					   false, out, err);

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

/* ---- running ---------------------------------------------------------------------------------- */

static size_t count_rows(const struct sotto_wire_reply *r)
{
	return r->answer ? r->answer->row_count : r->catalog.row_count;
}

static enum sotto_status run_question(struct sotto_wire_connection *c,
				      const struct sotto_wire_query *q, bool foresee,
				      struct sotto_wire_result *out, struct sotto_error *err)
{
	enum sotto_status st;

	out->tag = "SELECT";
	st = ask(c, q, foresee ? SOTTO_WANT_EXPLANATION : SOTTO_WANT_ANSWER, true, out, err);
	out->rows = st == SOTTO_OK && !foresee ? count_rows(out->reply) : 0;
	return st;
}

/* Options of EXPLAIN in parentheses, and not a SELECT in them; 0: there are none. */
static size_t options_length(const char *s)
{
	static const char *const names[] = {"analyze", "analyse",      "verbose", "costs",
					    "buffers", "timing",       "summary", "settings",
					    "format",  "generic_plan", "wal",     "memory"};
	const char *end = *s == '(' ? strchr(s, ')') : NULL;

	for (size_t i = 0; end && i < sizeof names / sizeof names[0]; i++)
		if (begins(s + 1, names[i]))
			return (size_t)(end - s) + 1;
	return 0;
}

/*
 * EXPLAIN and the words behind it become blank: places in the text stay what they are.
 * ANALYZE would run the question; here nothing is run, and nothing is charged.
 */
static void blank_explain(char *text)
{
	static const char *const words[] = {"analyze", "analyse", "verbose"};
	char *s = text + (skip_blanks(text) - text);

	memset(s, ' ', strlen("explain"));
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		s += strspn(s, " \t\r\n\f");
		if (*s != '(' && begins(s, words[i]))
			memset(s, ' ', strlen(words[i]));
	}
	s += strspn(s, " \t\r\n\f");
	memset(s, ' ', options_length(s));
}

static enum sotto_status explain(struct sotto_wire_connection *c,
				 const struct sotto_wire_query *q,
				 struct sotto_wire_result *out, struct sotto_error *err)
{
	struct sotto_wire_query inner = *q;
	char *text = strdup(q->sql);
	enum sotto_status st;

	if (!text)
		return SOTTO_ENOMEM;
	blank_explain(text);
	inner.sql = text;
	st = ask(c, &inner, SOTTO_WANT_EXPLANATION, false, out, err);
	out->tag = "EXPLAIN";
	out->column = "QUERY PLAN";
	out->rows = st == SOTTO_OK ? count_lines(out->reply->explanation) : 0;
	free(text);
	return st;
}

/* foresee: nothing is answered or charged; only what columns there will be. */
static enum sotto_status run(struct sotto_wire_connection *c, const struct sotto_wire_query *q,
			     bool foresee, struct sotto_wire_result *out,
			     struct sotto_error *err)
{
	if (begins(q->sql, "show"))
		return show(c, q->sql, out, err);
	if (begins(q->sql, "explain"))
		return explain(c, q, out, err);
	if (is_question(q->sql))
		return run_question(c, q, foresee, out, err);
	if (foresee)
		return SOTTO_OK;
	if (begins(q->sql, "set") || begins(q->sql, "reset")) {
		out->tag = begins(q->sql, "set") ? "SET" : "RESET";
		return sotto_settings_set(&c->settings, skip_blanks(q->sql), err);
	}
	if (run_quiet(c, q->sql, out))
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EREFUSED,
		"only SELECT, EXPLAIN, SET and SHOW are understood here; nothing can be "
		"changed");
}

/* ---- memory ----------------------------------------------------------------------------------- */

static bool complain_of_room(struct sotto_wire_connection *c, bool is_charged)
{
	sotto_wire_complain(&c->stream, 'E', "ERROR", "53200",
			    is_charged ? "the question was charged, but there is no room for "
					 "its result; close some statements and results, and "
					 "ask it again, without sotto.fresh: it is free then"
				       : "there is no room for more statements and results; "
					 "close some of "
					 "yours, or try again later",
			    0);
	return false;
}

bool sotto_wire_keep(struct sotto_wire_connection *c, size_t bytes)
{
	return sotto_share_hold(c->world->held, c->person.name, bytes) ||
	       complain_of_room(c, false);
}

void sotto_wire_forget(struct sotto_wire_connection *c, size_t bytes)
{
	sotto_share_drop(c->world->held, c->person.name, bytes);
}

/* About as much as the reply takes. */
static size_t bytes_of(const struct sotto_wire_reply *r)
{
	const struct sotto_answer *a = r->answer;
	size_t bytes = sizeof *r + r->catalog.bytes;

	if (a)
		bytes += 3 * a->row_count * a->column_count * sizeof *a->values;
	for (size_t i = 0; r->explanation && i < r->explanation->count; i++)
		bytes += strlen(r->explanation->lines[i].text);
	return bytes;
}

/* A result that could not be kept would be paid for: so that is found out before it is made. */
static bool has_room(struct sotto_wire_connection *c)
{
	if (!sotto_wire_keep(c, 1))
		return false;
	sotto_wire_forget(c, 1);
	return true;
}

/* An answer that is refused here was stored with its charge: asked again, it is free. */
static bool keep_result(struct sotto_wire_connection *c, struct sotto_wire_result *r)
{
	size_t bytes = r->reply ? bytes_of(r->reply) : 0;

	if (bytes && !sotto_share_hold_made(c->world->held, c->person.name, bytes))
		return complain_of_room(
			c, r->reply->answer && !r->reply->answer->repeated &&
				   sotto_rational_sign(&r->reply->answer->epsilon) > 0);
	r->kept = bytes;
	return true;
}

/* A key that was replaced or revoked ends the connections that it opened. */
static bool is_key_valid(struct sotto_wire_connection *c)
{
	struct sotto_person now;
	enum sotto_status st = sotto_people_find(c->world->people, c->person.name, &now, NULL);
	bool known = st == SOTTO_OK || st == SOTTO_EREFUSED;

	if (st == SOTTO_OK && now.key_mark == c->person.key_mark)
		return true;
	sotto_wire_complain(
		&c->stream, 'E', "FATAL", known ? "28000" : "58000",
		known ? "your key is not valid any more; connect again with the new "
			"one"
		      : "your key could not be checked; connect again later",
		0);
	(void)sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS);
	c->stream.failed = true;
	return false;
}

static bool run_or_fail(struct sotto_wire_connection *c, const struct sotto_wire_query *q,
			bool foresee, struct sotto_wire_result *out)
{
	struct sotto_error err = {""};
	enum sotto_status st;

	*out = (struct sotto_wire_result){0};
	if (!is_key_valid(c) || (!foresee && is_question(q->sql) && !has_room(c)))
		return false;
	/* A wish to cancel is for what runs, not for what comes. */
	atomic_store(&c->cancelled, false);
	st = run(c, q, foresee, out, &err);
	if (st == SOTTO_OK && keep_result(c, out))
		return true;
	if (st == SOTTO_OK) {
		sotto_wire_result_release(c, out);
		return false;
	}
	if (out->reply && out->reply->cancelled)
		sotto_wire_complain(&c->stream, 'E', "ERROR", "57014", err.text, 0);
	else
		wire_fail(c, st, &err, q->sql);
	sotto_wire_result_release(c, out);
	return false;
}

bool sotto_wire_run(struct sotto_wire_connection *c, const struct sotto_wire_query *q,
		    struct sotto_wire_result *out)
{
	return run_or_fail(c, q, false, out);
}

bool sotto_wire_foresee(struct sotto_wire_connection *c, const struct sotto_wire_query *q,
			struct sotto_wire_result *out)
{
	return run_or_fail(c, q, true, out);
}

void sotto_wire_result_release(struct sotto_wire_connection *c, struct sotto_wire_result *r)
{
	sotto_wire_forget(c, r->kept);
	if (r->reply)
		sotto_wire_reply_release(r->reply);
	free(r->reply);
	free(r->line);
	*r = (struct sotto_wire_result){0};
}
