/*
 * Sources: what a table of the policy is read from.  Files are read as they were sealed;
 * no query takes a text apart.
 */
#include "central/session/session_source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "central/seal/manifest/manifest_hold.h"
#include "central/session/explain/made_up_rows.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum sotto_status sotto_source_unreadable(const struct sotto_session *s,
					  const struct sotto_policy_table *t,
					  struct sotto_error *err)
{
	if (t->on_server)
		return sotto_fail(
			err, SOTTO_EIO,
			"%.160s:%zu: %s gave no columns of %.120s; check that it exists, "
			"that it is a table or a view (not a foreign table), that you may "
			"read it, and that nobody is changing it; for a file write ./%.120s",
			s->policy.path, t->line,
			s->policy.server == SOTTO_SERVER_ADBC ? "the ADBC driver"
							      : "PostgreSQL",
			t->source, t->source);
	return sotto_fail(
		err, SOTTO_EIO,
		"%.160s:%zu: the source of table %.60s could not be read: %.200s; check "
		"that it exists, that you may read it, and that it is the kind of file that "
		"the end of its name says",
		s->policy.path, t->line, t->name, t->source);
}

/* ---- what was sealed ----------------------------------------------------------------------- */

/*
 * The engine keeps a database file open: one that has taken its place since is not read before the old
 * one is let go.  If that fails, the new one cannot be opened, because its path is taken.
 */
static void let_go(struct sotto_session *s, const struct sotto_schema_table *t)
{
	char sql[100];

	if (!t->catalogue || !s->engine)
		return;
	(void)snprintf(sql, sizeof sql, "DETACH DATABASE IF EXISTS %s", t->catalogue);
	if (sotto_engine_execute(s->engine, sql) != SOTTO_OK)
		sotto_session_log(s, "detach", sotto_engine_detail(s->engine));
}

/* What was known of files by an older manifest. */
static void forget(struct sotto_session *s)
{
	sotto_manifest_release(&s->manifest);
	for (size_t i = 0; i < s->policy.table_count; i++) {
		if (!s->schemas[i] || s->policy.tables[i].on_server)
			continue;
		let_go(s, s->schemas[i]);
		s->schemas[i] = NULL;
	}
}

/* Read anew if it was written since: the owner may have sealed again. */
static enum sotto_status load_manifest(struct sotto_session *s, struct sotto_error *err)
{
	enum sotto_status st;
	struct stat found;
	char path[PATH_MAX], option[SOTTO_POLICY_OPTION];

	if (!sotto_manifest_is_held(s->held_manifest, s->policy.sealed)) {
		sotto_manifest_let_go(&s->held_manifest);
		s->held_manifest = sotto_manifest_hold(s->policy.sealed);
	}
	if (snprintf(path, sizeof path, "%s/manifest.json", s->policy.sealed) >=
		    (int)sizeof path ||
	    stat(path, &found) != 0)
		found = (struct stat){0};
	if (s->has_manifest && found.st_ino == s->manifest_file &&
	    found.st_mtim.tv_sec == s->manifest_time.tv_sec &&
	    found.st_mtim.tv_nsec == s->manifest_time.tv_nsec)
		return SOTTO_OK;
	if (s->has_manifest)
		forget(s);
	st = sotto_manifest_load(&s->manifest, s->policy.sealed);
	s->has_manifest = true;
	s->manifest_file = found.st_ino;
	s->manifest_time = found.st_mtim;
	if (st == SOTTO_OK)
		return SOTTO_OK;
	forget(s); /* the next question looks again: it may be readable then */
	s->has_manifest = false;
	if (st == SOTTO_EIO)
		return sotto_fail(err, st,
				  "%.200s could not be read; check who may read it and its "
				  "folder",
				  path);
	return sotto_fail(err, st,
			  "%.200s is damaged or of another version; the data owner runs: sotto "
			  "seal%s",
			  path, sotto_policy_option(&s->policy, option));
}

static enum sotto_status take_columns(struct sotto_session *s, const struct sotto_sealed *e,
				      struct sotto_schema_table *out)
{
	out->columns =
		sotto_arena_alloc(&s->arena, (e->column_count + 1) * sizeof *out->columns);
	if (!out->columns)
		return SOTTO_ENOMEM;
	out->column_count = e->column_count;
	for (size_t i = 0; i < e->column_count; i++) {
		struct sotto_schema_column *c = &out->columns[i];

		c->name = sotto_arena_text(&s->arena, e->columns[i].name);
		c->type = SOTTO_TYPE_LOOSE;
		c->is_unique = e->columns[i].is_unique;
		if (e->columns[i].type) {
			c->engine_type = sotto_arena_text(&s->arena, e->columns[i].type);
			sotto_schema_column_type(c, e->columns[i].type);
		}
		if (e->columns[i].of) {
			c->field_sql = sotto_sealed_column_sql(&s->arena, e, &e->columns[i]);
			if (!c->field_sql)
				return SOTTO_ENOMEM;
		}
		if (!c->name || (e->columns[i].type && !c->engine_type))
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

/* Are its maps the files that were written?  Where one is not, the engine makes the map itself. */
static void check_owners(const struct sotto_sealed *e, struct sotto_schema_table *t)
{
	for (size_t i = 0; i < t->owners_count; i++)
		t->owners[i].is_there =
			i < e->owners_count &&
			sotto_identity_confirm(&e->owners[i].id, t->owners[i].file,
					       SOTTO_FILE_TEXT) == SOTTO_OK;
}

static enum sotto_status take_owners(struct sotto_session *s, const struct sotto_sealed *e,
				     struct sotto_schema_table *out)
{
	struct sotto_arena *a = &s->arena;

	for (size_t i = 0; i < e->owners_count; i++) {
		const struct sotto_sealed_owners *from = &e->owners[i];
		const char *name =
			sotto_arena_textf(a, "%s by %s to %s%s", out->policy->name, from->key,
					  from->is_number ? "number of " : "", from->unit);
		struct sotto_schema_owners *o = SOTTO_PUSH(a, out->owners, out->owners_count);

		if (!name || !o || !(name = sotto_sql_quote_name(a, name)))
			return SOTTO_ENOMEM;
		o->is_number = from->is_number;
		o->key = sotto_arena_text(a, from->key);
		o->unit = sotto_arena_text(a, from->unit);
		o->map = sotto_arena_textf(a, "source.%s()", name);
		o->file = sotto_arena_textf(a, "%s/%s", s->policy.sealed, from->name);
		if (!o->key || !o->unit || !o->map || !o->file)
			return SOTTO_ENOMEM;
	}
	check_owners(e, out);
	return SOTTO_OK;
}

/*
 * A file is attached once, under the number of the first table that names it and what it holds:
 * under its name nothing is found that was another file.
 */
static enum sotto_status attach(struct sotto_session *s, const struct sotto_policy_table *table,
				const struct sotto_sealed *e, struct sotto_schema_table *out,
				struct sotto_error *err)
{
	char full[PATH_MAX]; /* for workers, who may stand in another folder */
	const char *file = sotto_sql_quote_text(
		&s->arena, realpath(table->source, full) ? full : table->source);
	const char *sql;
	size_t number = 0;

	while (number < s->policy.table_count &&
	       strcmp(s->policy.tables[number].source, table->source) != 0)
		number++;
	out->catalogue = sotto_arena_textf(&s->arena, "db%zu_%.16s", number,
					   sotto_identity_contents(&e->files[0].id));
	if (!file || !out->catalogue)
		return SOTTO_ENOMEM;
	sql = sotto_arena_textf(&s->arena, "ATTACH IF NOT EXISTS %s AS %s (READ_ONLY)", file,
				out->catalogue);
	if (!sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_session_engine(s, err));
	if (sotto_engine_execute(s->engine, sql) != SOTTO_OK)
		return sotto_source_unreadable(s, table, err);
	out->attach = sql;
	return SOTTO_OK;
}

static enum sotto_status attach_table(struct sotto_session *s,
				      const struct sotto_policy_table *table,
				      const struct sotto_sealed *e,
				      struct sotto_schema_table *out, struct sotto_error *err)
{
	SOTTO_TRY(attach(s, table, e, out, err));
	out->definition = sotto_database_relation(&s->arena, out->catalogue, table);
	return out->definition ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status open_sealed(struct sotto_session *s,
				     const struct sotto_policy_table *table,
				     struct sotto_schema_table *out, struct sotto_error *err)
{
	struct sotto_sealed_paths paths;
	const struct sotto_sealed *e;
	enum sotto_status st;

	SOTTO_TRY(load_manifest(s, err));
	st = sotto_sealed_open(&s->manifest, &s->policy, table, &s->arena, &e, &paths, err);
	if (st == SOTTO_EMISSING)
		return sotto_source_unreadable(s, table, err);
	SOTTO_TRY(st);
	SOTTO_TRY(take_columns(s, e, out));
	if (s->is_made_up && !table->is_public)
		return SOTTO_OK;
	SOTTO_TRY(take_owners(s, e, out));
	if (e->kind == SOTTO_FILE_DATABASE && !e->copy)
		return attach_table(s, table, e, out, err);
	out->definition =
		sotto_parquet_relation(&s->arena, paths.items, paths.names, paths.count, NULL);
	return out->definition ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_source_sealed(struct sotto_session *s,
				      const struct sotto_policy_table *table,
				      struct sotto_arena *a, const struct sotto_sealed **e,
				      struct sotto_sealed_paths *paths, struct sotto_error *err)
{
	enum sotto_status st;

	SOTTO_TRY(load_manifest(s, err));
	st = sotto_sealed_open(&s->manifest, &s->policy, table, a, e, paths, err);
	return st == SOTTO_EMISSING ? sotto_source_unreadable(s, table, err) : st;
}

enum sotto_status sotto_source_check(struct sotto_session *s,
				     const struct sotto_policy_table *table,
				     struct sotto_error *err)
{
	struct sotto_sealed_paths paths;
	const struct sotto_sealed *e;
	struct sotto_arena once;
	enum sotto_status st;

	if (table->on_server)
		return SOTTO_OK;
	sotto_arena_init(&once, (size_t)64 << 20);
	st = sotto_source_sealed(s, table, &once, &e, &paths, err);
	if (st == SOTTO_OK && s->schemas[table - s->policy.tables])
		check_owners(e, s->schemas[table - s->policy.tables]);
	sotto_arena_release(&once);
	return st;
}

/* ---- tables of a server ---------------------------------------------------------------------- */

struct column_reader {
	struct sotto_session *session;
	struct sotto_schema_table *table;
};

static enum sotto_status read_column(void *context, const char *name, const char *type)
{
	struct column_reader *r = context;
	struct sotto_arena *a = &r->session->arena;
	struct sotto_schema_column *c =
		SOTTO_PUSH(a, r->table->columns, r->table->column_count);

	if (!c)
		return SOTTO_ENOMEM;
	c->name = sotto_arena_text(a, name);
	c->engine_type = sotto_arena_text(a, type);
	sotto_schema_column_type(c, type);
	return c->name && c->engine_type ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status open_on_server(struct sotto_session *s,
					const struct sotto_policy_table *table,
					struct sotto_schema_table *out, struct sotto_error *err)
{
	const char *name = sotto_sql_quote_text(&s->arena, table->source);
	struct column_reader r = {.session = s, .table = out};

	if (!name)
		return SOTTO_ENOMEM;
	out->definition = sotto_arena_textf(&s->arena, "%s(%s)",
					    sotto_policy_engine(s->policy.server), name);
	if (!out->definition)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_session_engine(s, err));
	if (sotto_engine_columns(s->engine, out->definition, read_column, &r) != SOTTO_OK)
		return sotto_source_unreadable(s, table, err);
	return SOTTO_OK;
}

static enum sotto_status open_source(struct sotto_session *s,
				     const struct sotto_policy_table *table,
				     struct sotto_schema_table *out, struct sotto_error *err)
{
	if (table->on_server)
		return open_on_server(s, table, out, err);
	if (sotto_source_kind(table->source) == SOTTO_SOURCE_UNKNOWN)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"%.160s:%zu: the source of table %.60s must end in .csv, .tsv, "
			".json, .ndjson (each also with .gz), .parquet or .duckdb, or in / for "
			"a folder of Parquet files",
			s->policy.path, table->line, table->name);
	return open_sealed(s, table, out, err);
}

enum sotto_status sotto_source_open(struct sotto_session *s,
				    const struct sotto_policy_table *table,
				    struct sotto_schema_table *out, struct sotto_error *err)
{
	const char *name = sotto_sql_quote_name(&s->arena, table->name);

	*out = (struct sotto_schema_table){.policy = table};
	if (name)
		out->scan = sotto_arena_textf(&s->arena, SOTTO_SCHEMA_VIEWS ".%s", name);
	if (!out->scan)
		return SOTTO_ENOMEM;
	SOTTO_TRY(open_source(s, table, out, err));
	if (s->is_made_up && !table->is_public)
		return sotto_made_up_rows(&s->arena, &s->policy, table, out);
	return SOTTO_OK;
}
