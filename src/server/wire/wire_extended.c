/* Prepared statements and portals. */
#include "server/wire/wire_extended.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "server/wire/value/wire_parameter.h"

enum { FORMATS_MAX = 1664, STATEMENTS_MAX = 1000, PORTALS_MAX = 1000 };

struct sotto_wire_statement {
	struct sotto_wire_statement *next;
	char *name, *sql;
	int32_t *types; /* of parameters; 0: not said */
	size_t type_count;
	size_t kept; /* bytes that are counted for the user */
};

struct sotto_wire_portal {
	struct sotto_wire_portal *next;
	char *name, *sql;
	int16_t *formats;
	size_t format_count;
	struct sotto_wire_parameters parameters;
	struct sotto_wire_result result;
	size_t kept;
	bool has_run;
};

void sotto_wire_refuse(struct sotto_wire_connection *c, const char *code, const char *sentence)
{
	sotto_wire_complain(&c->stream, 'E', "ERROR", code, sentence, 0);
	c->skipping = true;
}

/* ---- what there is ---------------------------------------------------------------------------- */

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

static void free_statement(struct sotto_wire_connection *c, struct sotto_wire_statement *s)
{
	if (!s)
		return;
	sotto_wire_forget(c, s->kept);
	free(s->name);
	free(s->sql);
	free(s->types);
	free(s);
}

static void drop_statement(struct sotto_wire_connection *c, struct sotto_wire_statement **at)
{
	struct sotto_wire_statement *s = *at;

	if (s)
		*at = s->next;
	free_statement(c, s);
}

static void free_portal(struct sotto_wire_connection *c, struct sotto_wire_portal *p)
{
	if (!p)
		return;
	sotto_wire_forget(c, p->kept);
	sotto_wire_result_release(c, &p->result);
	sotto_bound_release(&p->parameters);
	free(p->name);
	free(p->sql);
	free(p->formats);
	free(p);
}

static void drop_portal(struct sotto_wire_connection *c, struct sotto_wire_portal **at)
{
	struct sotto_wire_portal *p = *at;

	if (p)
		*at = p->next;
	free_portal(c, p);
}

void sotto_wire_drop_portals(struct sotto_wire_connection *c)
{
	while (c->portals)
		drop_portal(c, &c->portals);
}

void sotto_wire_drop_statements(struct sotto_wire_connection *c)
{
	while (c->statements)
		drop_statement(c, &c->statements);
}

/* A name as SQL writes it: in quotes as it is, without them in small letters. */
static void read_name(const char *words, char *out)
{
	bool quoted = *words == '"';

	for (words += quoted; *words; words++) {
		if (quoted && words[0] == '"' && *++words != '"')
			break;
		if (!quoted && strchr(" \t\r\n\f;", *words))
			break;
		*out++ = quoted ? *words : (char)tolower((unsigned char)*words);
	}
	*out = '\0';
}

void sotto_wire_deallocate(struct sotto_wire_connection *c, const char *words)
{
	char *name = malloc(strlen(words) + 1);

	if (!name)
		return;
	read_name(words, name);
	if (*words != '"' && strcmp(name, "all") == 0)
		sotto_wire_drop_statements(c);
	else
		drop_statement(c, find_statement(c, name));
	free(name);
}

/* False with an error sent, after which all up to Sync is skipped. */
static bool keep(struct sotto_wire_connection *c, size_t bytes, size_t *kept)
{
	if (!sotto_wire_keep(c, bytes)) {
		c->skipping = true;
		return false;
	}
	*kept = bytes;
	return true;
}

/* ---- Parse ------------------------------------------------------------------------------------ */

static bool read_types(struct sotto_message *m, struct sotto_wire_statement *s)
{
	int16_t n = sotto_message_int16(m);

	if (m->broken || n < 0)
		return false;
	s->types = calloc((size_t)n + 1, sizeof *s->types);
	for (int16_t i = 0; s->types && i < n; i++)
		s->types[i] = sotto_message_int32(m);
	s->type_count = (size_t)n;
	return s->types && !m->broken;
}

static void parse(struct sotto_wire_connection *c, struct sotto_message *m)
{
	struct sotto_wire_statement *s = calloc(1, sizeof *s);
	size_t count = 0;

	if (s) {
		s->name = strdup(sotto_message_text(m));
		s->sql = strdup(sotto_message_text(m));
	}
	if (!s || !s->name || !s->sql || m->broken || !read_types(m, s)) {
		free_statement(c, s);
		sotto_wire_refuse(c, "08P01", "the message Parse is broken");
		return;
	}
	for (const struct sotto_wire_statement *k = c->statements; k; k = k->next)
		count += strcmp(k->name, s->name) != 0; /* which it takes the place of */
	if (count >= STATEMENTS_MAX) {
		free_statement(c, s);
		sotto_wire_refuse(c, "53400", "too many statements are prepared; close some");
		return;
	}
	if (!keep(c, sizeof *s + m->length, &s->kept)) {
		free_statement(c, s);
		return;
	}
	drop_statement(c, find_statement(c, s->name));
	s->next = c->statements;
	c->statements = s;
	sotto_wire_send(&c->stream, '1', NULL);
}

/* ---- Bind ------------------------------------------------------------------------------------- */

/* The formats of results at the end of Bind. */
static bool read_formats(struct sotto_message *m, struct sotto_wire_portal *p)
{
	int16_t n = sotto_message_int16(m);

	if (m->broken || n < 0 || n > FORMATS_MAX)
		return false;
	p->formats = calloc((size_t)n + 1, sizeof *p->formats);
	for (int16_t i = 0; p->formats && i < n; i++) {
		p->formats[i] = sotto_message_int16(m);
		if (p->formats[i] != 0 && p->formats[i] != 1)
			return false;
	}
	p->format_count = (size_t)n;
	return p->formats && !m->broken;
}

static struct sotto_wire_portal *
read_portal(struct sotto_wire_connection *c, struct sotto_message *m, const char *name,
	    const struct sotto_wire_statement *s, struct sotto_error *err)
{
	struct sotto_wire_portal *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->name = strdup(name);
	p->sql = strdup(s->sql);
	if (p->name && p->sql &&
	    sotto_bound_read(&p->parameters, m, s->types, s->type_count, err) &&
	    read_formats(m, p))
		return p;
	free_portal(c, p);
	return NULL;
}

static void bind(struct sotto_wire_connection *c, struct sotto_message *m)
{
	const char *name = sotto_message_text(m), *of = sotto_message_text(m);
	struct sotto_wire_statement *s = *find_statement(c, of);
	struct sotto_error err = {""};
	struct sotto_wire_portal *p;
	size_t count = 0;

	if (!s) {
		sotto_wire_refuse(c, "26000", "there is no such prepared statement");
		return;
	}
	for (p = c->portals; p; p = p->next)
		count++;
	p = count < PORTALS_MAX ? read_portal(c, m, name, s, &err) : NULL;
	if (!p) {
		sotto_wire_refuse(c, err.text[0] ? "22P02" : "08P01",
				  err.text[0] ? err.text : "the message Bind is broken");
		return;
	}
	if (!keep(c, sizeof *p + m->length + strlen(s->sql), &p->kept)) {
		free_portal(c, p);
		return;
	}
	drop_portal(c, find_portal(c, name));
	p->next = c->portals;
	c->portals = p;
	sotto_wire_send(&c->stream, '2', NULL);
}

/* ---- Describe --------------------------------------------------------------------------------- */

static void describe_parameters(struct sotto_wire_connection *c,
				const struct sotto_wire_statement *s, size_t count)
{
	size_t begin = sotto_wire_begin(&c->stream, 't');

	sotto_wire_int16(&c->stream, (int16_t)count);
	for (size_t i = 0; i < count; i++)
		sotto_wire_int32(&c->stream, i < s->type_count && s->types[i]
						     ? s->types[i]
						     : SOTTO_TYPE_TEXT);
	sotto_wire_end(&c->stream, begin);
}

/* Columns before any value is known: made-up values of the right types stand for them. */
static void describe_statement(struct sotto_wire_connection *c, struct sotto_wire_statement *s)
{
	struct sotto_wire_parameters made_up = {0};
	struct sotto_wire_result r = {0};
	size_t count = sotto_bound_count(s->sql);
	bool good = sotto_bound_make_up(&made_up, s->types, s->type_count, count);
	const struct sotto_wire_query q = {
		.sql = s->sql, .parameters = made_up.items, .parameter_count = made_up.count};

	if (good && sotto_wire_foresee(c, &q, &r)) {
		describe_parameters(c, s, count);
		sotto_wire_describe(c, &r, NULL, 0);
	} else {
		c->skipping = true;
	}
	sotto_wire_result_release(c, &r);
	sotto_bound_release(&made_up);
}

static void describe_portal(struct sotto_wire_connection *c, struct sotto_wire_portal *p)
{
	const struct sotto_wire_query q = {.sql = p->sql,
					   .parameters = p->parameters.items,
					   .parameter_count = p->parameters.count};
	struct sotto_wire_result r;

	if (!sotto_wire_foresee(c, &q, &r)) {
		c->skipping = true;
		return;
	}
	sotto_wire_describe(c, &r, p->formats, p->format_count);
	sotto_wire_result_release(c, &r);
}

static void describe(struct sotto_wire_connection *c, struct sotto_message *m)
{
	char kind = sotto_message_byte(m);
	const char *name = sotto_message_text(m);
	struct sotto_wire_statement *s = kind == 'S' ? *find_statement(c, name) : NULL;
	struct sotto_wire_portal *p = kind == 'P' ? *find_portal(c, name) : NULL;

	if (m->broken || (!s && !p))
		sotto_wire_refuse(c, kind == 'S' ? "26000" : "34000",
				  "there is nothing of that name to describe");
	else if (s)
		describe_statement(c, s);
	else
		describe_portal(c, p);
}

/* ---- Execute, Close --------------------------------------------------------------------------- */

static void execute(struct sotto_wire_connection *c, struct sotto_message *m)
{
	const char *name = sotto_message_text(m);
	int32_t most = sotto_message_int32(m);
	struct sotto_wire_portal *p = *find_portal(c, name);
	struct sotto_wire_query q;

	if (m->broken || !p) {
		sotto_wire_refuse(c, "34000", "there is no such portal");
		return;
	}
	if (sotto_wire_is_empty(p->sql)) {
		sotto_wire_send(&c->stream, 'I', NULL);
		return;
	}
	q = (struct sotto_wire_query){.sql = p->sql,
				      .parameters = p->parameters.items,
				      .parameter_count = p->parameters.count};
	if (!p->has_run && !sotto_wire_run(c, &q, &p->result)) {
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
		drop_statement(c, find_statement(c, name));
	else
		drop_portal(c, find_portal(c, name));
	sotto_wire_send(&c->stream, '3', NULL);
}

bool sotto_wire_extended(struct sotto_wire_connection *c, struct sotto_message *m)
{
	static const struct {
		char type;
		void (*hear)(struct sotto_wire_connection *, struct sotto_message *);
	} kinds[] = {
		{'P', parse}, {'B', bind}, {'D', describe}, {'E', execute}, {'C', close_one}};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (kinds[i].type == m->type) {
			kinds[i].hear(c, m);
			return true;
		}
	return false;
}
