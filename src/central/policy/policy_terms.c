/*
 * Writes one line for each fact, a name and a value with a tab between them, and sorts the
 * lines; a long list of keys is written as their number and a digest.
 */
#include "central/policy/policy_terms.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/calendar.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"

enum { SHOWN_KEYS = 200 };

struct writer {
	struct sotto_arena arena;
	const char **lines;
	size_t count;
};

/* ---- lines ----------------------------------------------------------------------------------- */

/* Tabs and line breaks of a name would be taken for ours. */
static const char *plain(struct sotto_arena *a, const char *text)
{
	char *copy = sotto_arena_text(a, text);

	for (char *c = copy; c && *c; c++)
		if (*c == '\t' || *c == '\n' || *c == '\r')
			*c = ' ';
	return copy;
}

/* A name with anything unusual in it is quoted, so that it ends where it seems to end. */
static const char *quoted(struct writer *w, const char *name)
{
	static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-";
	const char *text = name[strspn(name, usual)] == '\0'
				   ? sotto_arena_text(&w->arena, name)
				   : sotto_arena_textf(&w->arena, "\"%s\"", name);

	return text ? text : "";
}

__attribute__((format(printf, 3, 4))) static enum sotto_status
add(struct writer *w, const char *name, const char *format, ...)
{
	const char **slot = SOTTO_PUSH(&w->arena, w->lines, w->count), *value;
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0 || !slot) {
		free(n < 0 ? NULL : text);
		return SOTTO_ENOMEM;
	}
	value = plain(&w->arena, text);
	free(text);
	name = plain(&w->arena, name);
	*slot = value && name ? sotto_arena_textf(&w->arena, "%s\t%s\n", name, value) : NULL;
	return *slot ? SOTTO_OK : SOTTO_ENOMEM;
}

#define ADD(name, ...) SOTTO_TRY(add(w, name, __VA_ARGS__))

static const char *number(struct writer *w, const struct sotto_rational *r)
{
	char *text = NULL;
	const char *out = NULL;

	if (r && sotto_rational_format(r, &text) == SOTTO_OK)
		out = sotto_arena_text(&w->arena, text);
	free(text);
	return out ? out : "none";
}

/* So much of a digest that two texts will not share it. */
static const char *digest(struct writer *w, const char *text)
{
	char d[SOTTO_DIGEST_SIZE];

	if (sotto_digest_text(text, strlen(text), d) != SOTTO_OK)
		return NULL;
	return sotto_arena_textf(&w->arena, "%.16s", d);
}

/* ---- columns --------------------------------------------------------------------------------- */

static enum sotto_status
add_keys(struct writer *w, const char *name, const struct sotto_policy_column *c)
{
	struct sotto_buffer b;
	enum sotto_status st = SOTTO_OK;

	sotto_buffer_init(&b, 64 << 20);
	for (size_t i = 0; st == SOTTO_OK && i < c->key_count; i++)
		st = c->keys[i] ? sotto_buffer_appendf(&b, "%s'%s'", i ? ", " : "", c->keys[i])
				: sotto_buffer_appendf(&b, "%snull", i ? ", " : "");
	if (st == SOTTO_OK && b.length <= SHOWN_KEYS)
		st = add(w, name, "[%s]", sotto_buffer_text(&b));
	else if (st == SOTTO_OK)
		st = add(w, name, "%zu values (%s)", c->key_count,
			 digest(w, sotto_buffer_text(&b)));
	sotto_buffer_release(&b);
	return st;
}

static const char *
bound(struct writer *w, const struct sotto_policy_column *c, const struct sotto_rational *end)
{
	char day[SOTTO_CALENDAR_TEXT];

	if (!c->bounds_are_days)
		return number(w, end);
	sotto_calendar_format(mpz_get_si(mpq_numref(end->q)), day);
	return sotto_arena_text(&w->arena, day);
}

static enum sotto_status add_column(struct writer *w, const struct sotto_policy_table *t,
				    const struct sotto_policy_column *c)
{
	const char *checked = t->on_server ? "not checked" : "checked by sealing";

#define NAME(what)                                                                             \
	sotto_arena_textf(&w->arena, "column %s.%s " what, quoted(w, t->name),                 \
			  quoted(w, c->name))
	if (c->has_type)
		ADD(NAME("type"), "%s", sotto_sql_type_word(c->type));
	if (c->has_bounds)
		ADD(NAME("bounds"), "[%s, %s]", bound(w, c, c->lo), bound(w, c, c->hi));
	if (c->step)
		ADD(NAME("step"), "%s", number(w, c->step));
	if (c->has_keys)
		SOTTO_TRY(add_keys(w, NAME("keys"), c));
	if (c->max_text)
		ADD(NAME("max_text"), "%" PRId64, c->max_text);
	if (c->promises_filled)
		ADD(NAME("nullable"), "false, %s", checked);
	if (c->promises_unique)
		ADD(NAME("unique"), "true, %s", checked);
#undef NAME
	return SOTTO_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static enum sotto_status add_unit(struct writer *w, const struct sotto_policy_table *t)
{
	const char *unit = sotto_arena_textf(&w->arena, "table %s unit", quoted(w, t->name));
	const char *people =
		sotto_arena_textf(&w->arena, "table %s people", quoted(w, t->name));
	const struct sotto_policy_table *root = t->root ? t->root : t;

	if (!unit || !people)
		return SOTTO_ENOMEM;
	if (t->via_table)
		ADD(unit, "%s -> %s.%s", t->via_column, t->via_table, t->via_key);
	else
		ADD(unit, "%s", t->unit ? t->unit : "row");
	if (root->unit)
		ADD(people, "%s", root->unit);
	else
		ADD(people, "each row of %s", root->name);
	return SOTTO_OK;
}

static enum sotto_status add_reading(struct writer *w, const struct sotto_policy_table *t)
{
#define NAME(what) sotto_arena_textf(&w->arena, "table %s " what, quoted(w, t->name))
	const char *names = "";

	ADD(NAME("source"), "%s", t->written);
	if (t->table)
		ADD(NAME("table"), "%s", t->table);
	if (t->schema)
		ADD(NAME("schema"), "%s", t->schema);
	if (t->has_no_header)
		ADD(NAME("header"), "false");
	if (t->delimiter)
		ADD(NAME("delimiter"), "%s", t->delimiter);
	for (size_t i = 0; names && i < t->name_count; i++)
		names = sotto_arena_textf(&w->arena, "%s%s%s", names, i ? ", " : "",
					  t->names[i]);
	if (!names)
		return SOTTO_ENOMEM;
	if (*names)
		ADD(NAME("names"), "%s", names);
	return SOTTO_OK;
}

static enum sotto_status
add_limit(struct writer *w, const char *name, bool is_found, int64_t limit)
{
	return is_found ? add(w, name, "auto") : add(w, name, "%" PRId64, limit);
}

static enum sotto_status add_table(struct writer *w, const struct sotto_policy_table *t)
{
	ADD(sotto_arena_textf(&w->arena, "table %s", quoted(w, t->name)), "%s",
	    t->is_public ? "public" : "private");
	SOTTO_TRY(add_reading(w, t));
	if (!t->is_public) {
		SOTTO_TRY(add_unit(w, t));
		SOTTO_TRY(add_limit(w, NAME("max_groups"), t->finds_groups, t->max_groups));
		SOTTO_TRY(add_limit(w, NAME("max_rows"), t->finds_rows, t->max_rows));
		ADD(NAME("max_text"), "%" PRId64, t->max_text);
	}
	if (t->rows)
		ADD(NAME("rows"), "%" PRId64, t->rows);
	for (size_t i = 0; i < t->column_count; i++)
		SOTTO_TRY(add_column(w, t, &t->columns[i]));
	return SOTTO_OK;
#undef NAME
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum sotto_status add_budget(struct writer *w, const struct sotto_policy *p)
{
	ADD("budget epsilon", "%s", number(w, p->epsilon));
	ADD("budget delta", "%s", number(w, p->delta));
	if (p->window)
		ADD("budget renew", "%" PRIu64 " seconds", p->window);
	for (size_t i = 0; i < p->analyst_count; i++)
		ADD(sotto_arena_textf(&w->arena, "share %s", quoted(w, p->analysts[i].name)),
		    "%s", number(w, p->analysts[i].share));
	ADD("min_epsilon", "%s", number(w, p->min_epsilon));
	if (p->has_auto_epsilon)
		ADD("auto_epsilon", "%s", number(w, p->auto_epsilon));
	if (p->typical_group != 100) /* what it is if the policy does not say */
		ADD("typical_group", "%" PRId64, p->typical_group);
	if (p->has_diagnostics)
		ADD("diagnostics", "%s", number(w, p->diagnostics));
	if (p->default_epsilon)
		ADD("default epsilon", "%s", number(w, p->default_epsilon));
	if (p->default_delta)
		ADD("default delta", "%s", number(w, p->default_delta));
	return SOTTO_OK;
}

/* Where exact values go before they have noise, and which programs see them. */
static enum sotto_status add_spread(struct writer *w, const struct sotto_policy_spread *s)
{
	if (s->line)
		ADD("spread", "%s, %" PRIu32 " buckets%s%s", s->launcher, s->buckets,
		    s->master ? ", " : "", s->master ? s->master : "");
	for (size_t i = 0; i < s->host_count; i++)
		ADD(sotto_arena_textf(&w->arena, "spread host %zu", i + 1), "%s", s->hosts[i]);
	if (s->program)
		ADD("spread program", "%s", s->program);
	if (s->listen)
		ADD("spread listen", "%s", s->listen);
	for (size_t i = 0; i < s->option_count; i++) /* it may hold a password */
		ADD(sotto_arena_textf(&w->arena, "spread option %zu", i + 1), "(%s)",
		    digest(w, s->options[i]));
	return SOTTO_OK;
}

static enum sotto_status add_machine(struct writer *w, const struct sotto_policy *p)
{
	if (p->has_pad)
		ADD("time pad", "%" PRIu64 " ms", p->pad / 1000000);
	ADD("time limit", "%" PRIu64 " ms", p->limit / 1000000);
	SOTTO_TRY(add_spread(w, &p->spread));
	if (p->memory)
		ADD("memory", "%" PRIu64 " bytes", p->memory);
	ADD("engine", "%s", sotto_policy_engine(p->server));
	if (p->dsn) /* it may hold a password */
		ADD("dsn", "(%s)", digest(w, p->dsn));
	if (p->driver)
		ADD("driver", "%s", p->driver);
	if (p->uri)
		ADD("uri", "(%s)", digest(w, p->uri));
	ADD("ledger", "%s", p->ledger_written);
	if (p->witness)
		ADD("ledger-witness", "%s", p->witness_written);
	if (p->log)
		ADD("log", "%s", p->log_written);
	ADD("sealed", "%s", p->sealed_written);
	return SOTTO_OK;
}

static int compare_lines(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static enum sotto_status write_lines(struct writer *w, struct sotto_buffer *out)
{
	qsort(w->lines, w->count, sizeof *w->lines, compare_lines);
	for (size_t i = 0; i < w->count; i++)
		SOTTO_TRY(sotto_buffer_append_text(out, w->lines[i]));
	return SOTTO_OK;
}

enum sotto_status sotto_policy_terms(const struct sotto_policy *p, struct sotto_buffer *out)
{
	struct writer w = {0};
	enum sotto_status st;

	sotto_arena_init(&w.arena, (size_t)256 << 20);
	st = add_budget(&w, p);
	if (st == SOTTO_OK)
		st = add_machine(&w, p);
	for (size_t i = 0; st == SOTTO_OK && i < p->table_count; i++)
		st = add_table(&w, &p->tables[i]);
	if (st == SOTTO_OK)
		st = write_lines(&w, out);
	sotto_arena_release(&w.arena);
	return st;
}
