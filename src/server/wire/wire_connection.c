/* The messages of a client that was let in: simple and extended queries. */
#include "server/wire/wire_connection.h"

#include <pg_query.h>
#include <stdlib.h>
#include <string.h>

#include "server/wire/wire_extended.h"
#include "server/wire/wire_inside.h"

enum { ANSWER_SECONDS = 60 };

static void ready(struct sotto_wire_connection *c)
{
	size_t begin = sotto_wire_begin(&c->stream, 'Z');

	sotto_wire_byte(&c->stream, c->in_block ? 'T' : 'I');
	sotto_wire_end(&c->stream, begin);
	(void)sotto_stream_flush(&c->stream, ANSWER_SECONDS);
}

/* ---- simple queries ------------------------------------------------------------------------- */

/* One statement of a text; false after an error, which ends the text. */
static bool run_simple(struct sotto_wire_connection *c, const char *sql)
{
	const struct sotto_wire_query q = {.sql = sql};
	struct sotto_wire_result r;

	if (!sotto_wire_run(c, &q, &r))
		return false;
	if (r.column || r.reply)
		sotto_wire_describe(c, &r, NULL, 0);
	sotto_wire_rows(c, &r, 0, NULL, 0);
	sotto_wire_result_release(c, &r);
	return true;
}

/*
 * Nobody waits for the statements behind this one: the client hung up, or wished to cancel while
 * one ran that could no longer be stopped.
 */
static bool is_called_off(struct sotto_wire_connection *c)
{
	if (atomic_load(&c->cancelled)) {
		sotto_wire_complain(&c->stream, 'E', "ERROR", "57014",
				    "the statements behind this one were cancelled", 0);
		return true;
	}
	return sotto_stream_is_gone(&c->stream);
}

static void simple_query(struct sotto_wire_connection *c, const char *sql)
{
	PgQuerySplitResult parts = pg_query_split_with_scanner(sql);
	bool good = true;

	if (parts.n_stmts == 0 && !sotto_wire_is_empty(sql))
		good = run_simple(c, sql);
	else if (parts.n_stmts == 0)
		sotto_wire_send(&c->stream, 'I', NULL);
	for (int i = 0; good && i < parts.n_stmts; i++) {
		char *one = strndup(sql + parts.stmts[i]->stmt_location,
				    (size_t)parts.stmts[i]->stmt_len);

		good = one && run_simple(c, one) &&
		       (i + 1 == parts.n_stmts || !is_called_off(c));
		free(one);
	}
	pg_query_free_split_result(parts);
	ready(c);
}

/* ---- the conversation ------------------------------------------------------------------------ */

/* False when the client takes its leave. */
static bool hear(struct sotto_wire_connection *c, struct sotto_message *m)
{
	if (m->type == 'X')
		return false;
	if (m->type == 'S') {
		c->skipping = false;
		if (!c->in_block)
			sotto_wire_drop_portals(c);
		ready(c);
		return true;
	}
	if (c->skipping)
		return true;
	if (m->type == 'Q') {
		simple_query(c, sotto_message_text(m));
		return true;
	}
	if (m->type == 'H')
		return sotto_stream_flush(&c->stream, ANSWER_SECONDS);
	if (!sotto_wire_extended(c, m))
		sotto_wire_refuse(c, "08P01", "this message is not understood");
	return true;
}

void sotto_wire_speak(struct sotto_wire_connection *c)
{
	bool go_on = sotto_wire_login(c), too_long = false;

	if (go_on)
		ready(c);
	while (go_on && sotto_stream_wait(&c->stream, c->world->wake)) {
		struct sotto_message m;

		if (!sotto_message_read(&c->stream, SOTTO_MESSAGE_LATER, &m, &too_long))
			break;
		go_on = hear(c, &m);
		sotto_message_release(&m);
		sotto_stream_drain(&c->stream); /* who never syncs must read as well */
	}
	if (too_long) {
		sotto_wire_complain(&c->stream, 'E', "FATAL", "08P01",
				    "a message is longer than a megabyte", 0);
		(void)sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS);
	}
	sotto_wire_drop_portals(c);
	sotto_wire_drop_statements(c);
}
