/*
 * Every table of a database file, or those of a server.  Foreign keys say how a table without the unit reaches it;
 * NOT NULL, UNIQUE and CHECK are proposed as the policy's words for them.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/session/owner/policy_starter.h"
#include "central/session/owner/postgres_declared.h"
#include "core/base/failure.h"

struct table {
	const struct sotto_declared_table *declared;
	struct sotto_policy_table policy;
	struct sotto_schema_table schema;
	bool written;
	bool is_broken; /* a view of what is not there */
};

struct database {
	struct table *tables;
	size_t count;
};

/* The table that a foreign key leads to; NULL: none of these. */
static const struct table *find_target(const struct database *d, const struct table *from,
				       const struct sotto_declared_column *c)
{
	const char *schema = c->to_schema ? c->to_schema : from->declared->schema;

	for (size_t i = 0; c->to_table && i < d->count; i++) {
		const struct table *t = &d->tables[i];

		if (t != from && strcasecmp(t->declared->name, c->to_table) == 0 &&
		    strcmp(t->declared->schema, schema) == 0)
			return t;
	}
	return NULL;
}

/* A foreign key to a table whose unit is known; NULL: there is none, or no memory. */
static const char *find_path(struct starter *s, const struct database *d, const struct table *t)
{
	for (size_t i = 0; i < t->declared->column_count; i++) {
		const struct sotto_declared_column *c = &t->declared->columns[i];
		const struct table *to = find_target(d, t, c);

		if (to && to->written && sotto_starter_fits_path(t->policy.name, false) &&
		    sotto_starter_fits_path(to->policy.name, false) &&
		    sotto_starter_fits_path(c->name, true) &&
		    sotto_starter_fits_path(c->to_column, true))
			return sotto_arena_textf(&s->session->arena, "%s.%s -> %s.%s",
						 t->policy.name, c->name, to->policy.name,
						 c->to_column);
	}
	return NULL;
}

/* A table may have a foreign key to one that comes later. */
static bool has_open_path(const struct database *d, const struct table *t)
{
	for (size_t i = 0; i < t->declared->column_count; i++) {
		const struct table *to = find_target(d, t, &t->declared->columns[i]);

		if (to && !to->written)
			return true;
	}
	return false;
}

static enum sotto_status write_table(struct starter *s, struct table *t, const char *via)
{
	enum sotto_status st;

	s->declared = t->declared;
	s->via = via;
	st = sotto_starter_table(s, &t->schema);
	s->declared = NULL;
	s->via = NULL;
	t->written = st == SOTTO_OK;
	return st;
}

/*
 * Writes what can be written now: tables that a foreign key leads from to one that is
 * written; then, where there is none such, the first that has the unit itself and waits for
 * nothing else.
 */
static enum sotto_status
write_some(struct starter *s, struct database *d, bool by_row, bool *progress)
{
	*progress = false;
	for (size_t i = 0; i < d->count; i++) {
		struct table *t = &d->tables[i];
		const char *via;

		if (t->written)
			continue;
		via = by_row || t->policy.is_public ? NULL : find_path(s, d, t);
		if (!via && !by_row && !t->policy.is_public &&
		    (has_open_path(d, t) || !sotto_starter_unit(&t->schema, s->from->unit)))
			continue;
		SOTTO_TRY(write_table(s, t, via));
		*progress = true;
	}
	return SOTTO_OK;
}

static enum sotto_status write_all(struct starter *s, struct database *d)
{
	bool progress = true, by_row = strcmp(s->from->unit, "row") == 0;

	while (progress)
		SOTTO_TRY(write_some(s, d, by_row, &progress));
	for (size_t i = 0; i < d->count; i++)
		if (!d->tables[i].written) /* refused with its columns, or a circle of keys */
			SOTTO_TRY(write_table(s, &d->tables[i], NULL));
	return SOTTO_OK;
}

/* A view of a table that was dropped is no reason to refuse all others. */
static enum sotto_status read_schema(struct starter *s, struct table *t)
{
	enum sotto_status st = sotto_starter_schema(s, &t->policy, &t->schema);

	t->is_broken = st == SOTTO_EIO && t->declared->is_view;
	t->written = t->is_broken;
	return t->is_broken ? SOTTO_OK : st;
}

static enum sotto_status name_broken(struct starter *s, const struct database *d)
{
	for (size_t i = 0; i < d->count; i++) {
		if (!d->tables[i].is_broken)
			continue;
		SOTTO_TRY(sotto_buffer_append_text(s->out, "  # left out, because it cannot be "
							   "read: the view "));
		SOTTO_TRY(sotto_starter_add_quoted(s->out, d->tables[i].policy.name));
		SOTTO_TRY(sotto_buffer_append_text(s->out, "\n"));
	}
	return SOTTO_OK;
}

static enum sotto_status describe(struct starter *s, struct table *t, const char *file,
				  bool is_public, const struct sotto_declared_table *declared)
{
	bool is_main = strcmp(declared->schema, "main") == 0;

	t->declared = declared;
	t->policy = (struct sotto_policy_table){.source = file,
						.written = file,
						.line = 1,
						.is_public = is_public,
						.table = declared->name,
						.schema = is_main ? NULL : declared->schema};
	t->policy.name = is_main ? declared->name
				 : sotto_arena_textf(&s->session->arena, "%s.%s",
						     declared->schema, declared->name);
	if (!t->policy.name)
		return SOTTO_ENOMEM;
	return read_schema(s, t);
}

enum sotto_status sotto_starter_database(struct starter *s, const char *file, bool is_public)
{
	struct sotto_declared_table *declared;
	struct database d = {0};
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(sotto_database_catalogue(&s->session->arena, file, &declared, &d.count,
					   s->err));
	if (d.count == 0)
		return sotto_fail(s->err, SOTTO_EREFUSED, "there is no table in %.200s", file);
	d.tables = calloc(d.count, sizeof *d.tables);
	if (!d.tables)
		return SOTTO_ENOMEM;
	for (size_t i = 0; st == SOTTO_OK && i < d.count; i++)
		st = describe(s, &d.tables[i], file, is_public, &declared[i]);
	if (st == SOTTO_OK)
		st = write_all(s, &d);
	if (st == SOTTO_OK)
		st = name_broken(s, &d);
	free(d.tables);
	return st;
}

/* ---- tables of a server -------------------------------------------------------------------- */

/* The last part of a name in SQL, without quotes. */
static const char *plain_name(struct sotto_arena *a, const char *source)
{
	const char *dot = strrchr(source, '.'), *base = dot ? dot + 1 : source;
	size_t n = strlen(base);

	if (n > 2 && base[0] == '"' && base[n - 1] == '"')
		base++, n -= 2;
	return sotto_arena_textf(a, "%.*s", (int)n, base);
}

static enum sotto_status describe_served(struct starter *s, struct table *t, const char *name,
					 bool is_public,
					 const struct sotto_declared_table *declared)
{
	struct sotto_session *session = s->session;
	enum sotto_status st;

	t->declared = declared;
	t->policy = (struct sotto_policy_table){.source = name,
						.written = name,
						.line = 1,
						.is_public = is_public,
						.on_server = true,
						.name = plain_name(&session->arena, name)};
	if (!t->policy.name)
		return SOTTO_ENOMEM;
	session->policy.tables = &t->policy;
	session->policy.table_count = 1;
	st = sotto_source_open(session, &t->policy, &t->schema, s->err);
	session->policy.tables = NULL;
	session->policy.table_count = 0;
	return st;
}

/* Two schemas may have a table of the same name: the later one is called by both. */
static enum sotto_status tell_apart(struct starter *s, struct database *d)
{
	for (size_t i = 0; i < d->count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcasecmp(d->tables[i].policy.name, d->tables[k].policy.name) ==
			    0) {
				d->tables[i].policy.name =
					sotto_arena_textf(&s->session->arena, "%s.%s",
							  d->tables[i].declared->schema,
							  d->tables[i].declared->name);
				if (!d->tables[i].policy.name)
					return SOTTO_ENOMEM;
				break;
			}
	return SOTTO_OK;
}

/* What PostgreSQL declares of its tables; drivers of ADBC are asked for columns alone. */
static enum sotto_status list_declared(struct starter *s, const char *const *names,
				       size_t count, struct sotto_declared_table **out)
{
	struct sotto_arena *a = &s->session->arena;

	if (s->session->policy.server == SOTTO_SERVER_POSTGRES)
		return sotto_postgres_declared(a, s->session->policy.dsn, names, count, out,
					       s->err);
	*out = sotto_arena_alloc(a, (count + 1) * sizeof **out);
	if (!*out)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		(*out)[i] = (struct sotto_declared_table){.schema = "",
							  .name = plain_name(a, names[i])};
		if (!(*out)[i].name)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_starter_served(struct starter *s, const char *const *names, size_t count, bool is_public)
{
	struct sotto_declared_table *declared;
	struct database d = {.count = count};
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(list_declared(s, names, count, &declared));
	d.tables = calloc(count + 1, sizeof *d.tables);
	if (!d.tables)
		return SOTTO_ENOMEM;
	for (size_t i = 0; st == SOTTO_OK && i < count; i++)
		st = describe_served(s, &d.tables[i], names[i], is_public, &declared[i]);
	if (st == SOTTO_OK)
		st = tell_apart(s, &d);
	if (st == SOTTO_OK)
		st = write_all(s, &d);
	free(d.tables);
	return st;
}
