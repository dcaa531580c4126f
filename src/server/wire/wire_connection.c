/* The messages of a client that was let in: simple and extended queries. */
#include "server/wire/wire_connection.h"

#include <pg_query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { FORMATS_MAX = 1664, STATEMENTS_MAX = 1000, ANSWER_SECONDS = 60 };

struct sotto_wire_portal {
	struct sotto_wire_portal *next;
	char *name, *sql;
	int16_t *formats;
	size_t format_count;
	struct sotto_wire_result result;
	bool has_run;
};

static void ready(struct sotto_wire_connection *c)
{
	size_t begin = sotto_wire_begin(&c->stream, 'Z');

	sotto_wire_byte(&c->stream, c->in_block ? 'T' : 'I');
	sotto_wire_end(&c->stream, begin);
	(void)sotto_stream_flush(&c->stream, ANSWER_SECONDS);
}

static void fail(struct sotto_wire_connection *c, const char *code, const char *sentence)
{
	sotto_wire_complain(&c->stream, 'E', "ERROR", code, sentence, 0);
	c->skipping = true;
}

/* ---- simple queries ------------------------------------------------------------------------- */

/* One statement of a text; false after an error, which ends the text. */
static bool run_simple(struct sotto_wire_connection *c, const char *sql)
{
	struct sotto_wire_result r;

	if (!sotto_wire_run(c, sql, &r))
		return false;
	if (r.column || r.reply)
		sotto_wire_describe(c, &r, NULL, 0);
	sotto_wire_rows(c, &r, 0, NULL, 0);
	sotto_wire_result_release(&r);
	return true;
}

static bool is_empty(const char *sql, size_t n)
{
	return strspn(sql, " \t\r\n;") >= n;
}

static void simple_query(struct sotto_wire_connection *c, const char *sql)
{
	PgQuerySplitResult parts = pg_query_split_with_scanner(sql);
	bool good = true;

	if (parts.n_stmts == 0 && !is_empty(sql, strlen(sql)))
		good = run_simple(c, sql);
	else if (parts.n_stmts == 0)
		sotto_wire_send(&c->stream, 'I', NULL);
	for (int i = 0; good && i < parts.n_stmts; i++) {
		char *one = strndup(sql + parts.stmts[i]->stmt_location,
				    (size_t)parts.stmts[i]->stmt_len);

		good = one && run_simple(c, one);
		free(one);
	}
	pg_query_free_split_result(parts);
	ready(c);
}

/* ---- extended queries ----------------------------------------------------------------------- */

static struct sotto_wire_statement **
find_statement(struct sotto_wire_connection *c, const char *name)
{
	struct sotto_wire_statement **s = &c->statements;

	while (*s && strcmp((*s)->name, name) != 0)
		s = &(*s)->next;
	return s;
}

static struct sotto_wire_portal **find_portal(struct sotto_wire_connection *c, const char *name)
{
	struct sotto_wire_portal **p = &c->portals;

	while (*p && strcmp((*p)->name, name) != 0)
		p = &(*p)->next;
	return p;
}

static void drop_statement(struct sotto_wire_statement **at)
{
	struct sotto_wire_statement *s = *at;

	if (!s)
		return;
	*at = s->next;
	free(s->name);
	free(s->sql);
	free(s);
}

static void drop_portal(struct sotto_wire_portal **at)
{
	struct sotto_wire_portal *p = *at;

	if (!p)
		return;
	*at = p->next;
	sotto_wire_result_release(&p->result);
	free(p->name);
	free(p->sql);
	free(p->formats);
	free(p);
}

static void parse(struct sotto_wire_connection *c, struct sotto_message *m)
{
	const char *name = sotto_message_text(m), *sql = sotto_message_text(m);
	struct sotto_wire_statement *s;
	size_t count = 0;

	if (m->broken) {
		fail(c, "08P01", "the message Parse is broken");
		return;
	}
	for (s = c->statements; s; s = s->next)
		count++;
	drop_statement(find_statement(c, name));
	s = count < STATEMENTS_MAX ? calloc(1, sizeof *s) : NULL;
	if (!s || !(s->name = strdup(name)) || !(s->sql = strdup(sql))) {
		if (s)
			free(s->name);
		free(s);
		fail(c, "53400", "too many statements are prepared; close some");
		return;
	}
	s->next = c->statements;
	c->statements = s;
	sotto_wire_send(&c->stream, '1', NULL);
}

/* The formats of results at the end of Bind. */
static bool read_formats(struct sotto_message *m, struct sotto_wire_portal *p)
{
	int16_t n = sotto_message_int16(m);

	if (m->broken || n < 0 || n > FORMATS_MAX)
		return false;
	p->formats = calloc((size_t)n + 1, sizeof *p->formats);
	for (int16_t i = 0; p->formats && i < n; i++)
		p->formats[i] = sotto_message_int16(m);
	p->format_count = (size_t)n;
	return p->formats && !m->broken;
}

/* No statement has parameters yet: formats and values must be none. */
static bool read_parameters(struct sotto_message *m, int16_t *count)
{
	int16_t formats = sotto_message_int16(m);

	for (int16_t i = 0; i < formats && !m->broken; i++)
		(void)sotto_message_int16(m);
	*count = sotto_message_int16(m);
	return !m->broken && *count == 0;
}

static void bind(struct sotto_wire_connection *c, struct sotto_message *m)
{
	const char *name = sotto_message_text(m), *of = sotto_message_text(m);
	struct sotto_wire_statement *s = *find_statement(c, of);
	struct sotto_wire_portal *p;
	int16_t count = 0;

	if (!s) {
		fail(c, "26000", "there is no such prepared statement");
		return;
	}
	if (!read_parameters(m, &count)) {
		fail(c, m->broken ? "08P01" : "0A000",
		     m->broken ? "the message Bind is broken"
			       : "parameters are not supported; write the values");
		return;
	}
	drop_portal(find_portal(c, name));
	p = calloc(1, sizeof *p);
	if (p) {
		p->next = c->portals;
		c->portals = p;
		p->name = strdup(name);
		p->sql = strdup(s->sql);
	}
	if (!p || !p->name || !p->sql || !read_formats(m, p)) {
		if (p)
			drop_portal(&c->portals);
		fail(c, "08P01", "the message Bind is broken");
		return;
	}
	sotto_wire_send(&c->stream, '2', NULL);
}

static void describe(struct sotto_wire_connection *c, struct sotto_message *m)
{
	char kind = sotto_message_byte(m);
	const char *name = sotto_message_text(m);
	struct sotto_wire_statement *s = kind == 'S' ? *find_statement(c, name) : NULL;
	struct sotto_wire_portal *p = kind == 'P' ? *find_portal(c, name) : NULL;
	struct sotto_wire_result r;

	if (m->broken || (!s && !p)) {
		fail(c, kind == 'S' ? "26000" : "34000",
		     "there is nothing of that name to describe");
		return;
	}
	if (!sotto_wire_foresee(c, s ? s->sql : p->sql, &r)) {
		c->skipping = true;
		return;
	}
	if (s) {
		size_t begin = sotto_wire_begin(&c->stream, 't');

		sotto_wire_int16(&c->stream, 0);
		sotto_wire_end(&c->stream, begin);
	}
	sotto_wire_describe(c, &r, p ? p->formats : NULL, p ? p->format_count : 0);
	sotto_wire_result_release(&r);
}

static void execute(struct sotto_wire_connection *c, struct sotto_message *m)
{
	const char *name = sotto_message_text(m);
	int32_t most = sotto_message_int32(m);
	struct sotto_wire_portal *p = *find_portal(c, name);

	if (m->broken || !p) {
		fail(c, "34000", "there is no such portal");
		return;
	}
	if (is_empty(p->sql, strlen(p->sql))) {
		sotto_wire_send(&c->stream, 'I', NULL);
		return;
	}
	if (!p->has_run && !sotto_wire_run(c, p->sql, &p->result)) {
		c->skipping = true;
		return;
	}
	p->has_run = true;
	sotto_wire_rows(c, &p->result, most, p->formats, p->format_count);
}

static void close_one(struct sotto_wire_connection *c, struct sotto_message *m)
{
	char kind = sotto_message_byte(m);
	const char *name = sotto_message_text(m);

	if (kind == 'S')
		drop_statement(find_statement(c, name));
	else
		drop_portal(find_portal(c, name));
	sotto_wire_send(&c->stream, '3', NULL);
}

/* ---- the conversation ------------------------------------------------------------------------ */

/* False when the client takes its leave. */
static bool hear(struct sotto_wire_connection *c, struct sotto_message *m)
{
	if (m->type == 'X')
		return false;
	if (m->type == 'S') {
		c->skipping = false;
		while (!c->in_block && c->portals)
			drop_portal(&c->portals);
		ready(c);
		return true;
	}
	if (c->skipping)
		return true;
	switch (m->type) {
	case 'Q':
		simple_query(c, sotto_message_text(m));
		return true;
	case 'P':
		parse(c, m);
		return true;
	case 'B':
		bind(c, m);
		return true;
	case 'D':
		describe(c, m);
		return true;
	case 'E':
		execute(c, m);
		return true;
	case 'C':
		close_one(c, m);
		return true;
	case 'H':
		return sotto_stream_flush(&c->stream, ANSWER_SECONDS);
	default:
		fail(c, "08P01", "this message is not understood");
		return true;
	}
}

void sotto_wire_speak(struct sotto_wire_connection *c)
{
	bool go_on = sotto_wire_login(c), too_long = false;

	if (go_on)
		ready(c);
	while (go_on && sotto_stream_wait(&c->stream, c->world->wake)) {
		struct sotto_message m;

		if (!sotto_message_read(&c->stream, false, &m, &too_long))
			break;
		go_on = hear(c, &m);
		sotto_message_release(&m);
	}
	if (too_long) {
		sotto_wire_complain(&c->stream, 'E', "FATAL", "08P01",
				    "a message is longer than a megabyte", 0);
		(void)sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS);
	}
	while (c->portals)
		drop_portal(&c->portals);
	while (c->statements)
		drop_statement(&c->statements);
}
