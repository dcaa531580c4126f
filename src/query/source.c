/*
 * Sources: what a table of the policy is read from.
 *
 * CSV is read as text with a fixed dialect: were types or quoting guessed from
 * the values, whether a query is accepted could depend on private rows.
 */
#include "query/source.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "sql/print.h"

enum { HEADER_MAX = 1 << 20 };

bool sotto_source_ends(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

enum sotto_status sotto_source_unreadable(const struct sotto_session *s,
					  const struct sotto_policy_table *t,
					  struct sotto_error *err)
{
	if (t->in_postgres)
		return sotto_fail(
			err, SOTTO_EIO,
			"%.160s:%zu: PostgreSQL gave no columns of %.120s: is it "
			"there, a table or a view, not a foreign one, may its columns "
			"be read, and is it not being changed? for a file write "
			"./%.120s",
			s->policy.path, t->line, t->source, t->source);
	return sotto_fail(
		err, SOTTO_EIO,
		"%.160s:%zu: the source of table %.60s could not be read: %.200s; is it "
		"there, and what its ending says?",
		s->policy.path, t->line, t->name, t->source);
}

/* ---- CSV ------------------------------------------------------------------------------- */

/* Of a pattern the first file, by name: all are taken to have its header. */
static FILE *open_first(const char *path)
{
	glob_t found;
	FILE *f = NULL;

	if (!strpbrk(path, "*?["))
		return fopen(path, "re");
	if (glob(path, 0, NULL, &found) == 0 && found.gl_pathc > 0)
		f = fopen(found.gl_pathv[0], "re");
	globfree(&found);
	return f;
}

static enum sotto_status read_first_line(const char *path, struct sotto_buffer *b)
{
	FILE *f = open_first(path);
	bool quoted = false;
	int c;

	if (!f)
		return SOTTO_EIO;
	while ((c = getc(f)) != EOF && (quoted || c != '\n')) {
		char byte = (char)c;

		if (c == '"')
			quoted = !quoted;
		if (sotto_buffer_append(b, &byte, 1) != SOTTO_OK)
			break;
	}
	(void)fclose(f);
	return b->length > 0 ? SOTTO_OK : SOTTO_EIO;
}

static const char *csv_scan(struct sotto_session *s, const char *path,
			    const struct sotto_schema_table *t, char delimiter)
{
	const char *columns = "", *name, *file = sotto_sql_print_text(&s->arena, path);

	for (size_t i = 0; columns && file && i < t->column_count; i++) {
		name = sotto_sql_print_text(&s->arena, t->columns[i].name);
		columns = name ? sotto_arena_textf(&s->arena, "%s%s%s: 'VARCHAR'", columns,
						   i ? ", " : "", name)
			       : NULL;
	}
	if (!columns || !file)
		return NULL;
	return sotto_arena_textf(
		&s->arena,
		"read_csv(%s, auto_detect = false, header = true, delim = '%s', quote "
		"= '\"', escape = '\"', null_padding = true, strict_mode = false, "
		"ignore_errors = true, columns = {%s})",
		file, delimiter == '\t' ? "\\t" : (char[]){delimiter, '\0'}, columns);
}

static enum sotto_status open_csv(struct sotto_session *s,
				  const struct sotto_policy_table *table,
				  struct sotto_schema_table *out, struct sotto_error *err)
{
	struct sotto_buffer b;
	const char **names = NULL;
	enum sotto_status st;
	char delimiter = ',';

	sotto_buffer_init(&b, HEADER_MAX);
	st = read_first_line(table->source, &b);
	if (st != SOTTO_OK)
		st = sotto_source_unreadable(s, table, err);
	else
		st = sotto_csv_header(&s->arena, sotto_buffer_text(&b), b.length, &names,
				      &out->column_count, &delimiter, err);
	sotto_buffer_release(&b);
	SOTTO_TRY(st);
	out->columns = sotto_arena_alloc(&s->arena, out->column_count * sizeof *out->columns);
	if (!out->columns)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < out->column_count; i++)
		out->columns[i] = (struct sotto_schema_column){.name = names[i],
							       .type = SOTTO_TYPE_LOOSE};
	out->definition = csv_scan(s, table->source, out, delimiter);
	return out->definition ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- sources with a schema of their own ---------------------------------------------------- */

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
	sotto_schema_column_type(c, type);
	return c->name ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_source_describe(struct sotto_session *s,
					const struct sotto_policy_table *table,
					struct sotto_schema_table *out, struct sotto_error *err)
{
	struct column_reader r = {.session = s, .table = out};

	if (!out->definition)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_session_engine(s, err));
	if (sotto_engine_columns(s->engine, out->definition, read_column, &r) != SOTTO_OK)
		return sotto_source_unreadable(s, table, err);
	return SOTTO_OK;
}

/* ---- database files --------------------------------------------------------------------- */

bool sotto_source_is_database(const char *path)
{
	return sotto_source_ends(path, ".duckdb") || sotto_source_ends(path, ".db");
}

/* A file is attached once, under the number of the first table that names it. */
static enum sotto_status attach(struct sotto_session *s, const struct sotto_policy_table *table,
				size_t *number, struct sotto_error *err)
{
	const char *file = sotto_sql_print_text(&s->arena, table->source), *sql;

	*number = 0;
	while (*number < s->policy.table_count &&
	       strcmp(s->policy.tables[*number].source, table->source) != 0)
		++*number;
	sql = sotto_arena_textf(&s->arena, "ATTACH IF NOT EXISTS %s AS db%zu (READ_ONLY)", file,
				*number);
	if (!file || !sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_session_engine(s, err));
	if (sotto_engine_execute(s->engine, sql) != SOTTO_OK)
		return sotto_source_unreadable(s, table, err);
	return SOTTO_OK;
}

enum sotto_status sotto_source_tables(struct sotto_session *s,
				      const struct sotto_policy_table *table,
				      struct sotto_engine_result **out, struct sotto_error *err)
{
	size_t number;

	SOTTO_TRY(attach(s, table, &number, err));
	return sotto_engine_run(s->engine,
				"SELECT table_name FROM information_schema.tables WHERE "
				"table_catalog = 'db0' AND table_schema = 'main' ORDER BY 1",
				out);
}

enum sotto_status sotto_source_forget(struct sotto_session *s)
{
	return sotto_engine_execute(s->engine, "DETACH db0");
}

static enum sotto_status open_table(struct sotto_session *s,
				    const struct sotto_policy_table *table,
				    struct sotto_schema_table *out, struct sotto_error *err)
{
	const char *name =
		sotto_sql_print_name(&s->arena, table->table ? table->table : table->name);
	size_t number;

	if (!name)
		return SOTTO_ENOMEM;
	SOTTO_TRY(attach(s, table, &number, err));
	out->definition = sotto_arena_textf(&s->arena, "db%zu.main.%s", number, name);
	return sotto_source_describe(s, table, out, err);
}

static enum sotto_status open_postgres(struct sotto_session *s,
				       const struct sotto_policy_table *table,
				       struct sotto_schema_table *out, struct sotto_error *err)
{
	const char *name = sotto_sql_print_text(&s->arena, table->source);

	if (!name)
		return SOTTO_ENOMEM;
	out->definition = sotto_arena_textf(&s->arena, "postgres(%s)", name);
	return sotto_source_describe(s, table, out, err);
}

static enum sotto_status open_source(struct sotto_session *s,
				     const struct sotto_policy_table *table,
				     struct sotto_schema_table *out, struct sotto_error *err)
{
	const char *file;

	if (table->in_postgres)
		return open_postgres(s, table, out, err);
	if (sotto_source_ends(table->source, ".csv") ||
	    sotto_source_ends(table->source, ".tsv") ||
	    sotto_source_ends(table->source, ".txt"))
		return open_csv(s, table, out, err);
	if (sotto_source_is_database(table->source))
		return open_table(s, table, out, err);
	if (sotto_source_is_json(table->source))
		return sotto_source_open_json(s, table, out, err);
	if (!sotto_source_ends(table->source, ".parquet"))
		return sotto_fail(
			err, SOTTO_EPARSE,
			"%.160s:%zu: the source of table %.60s must end in .csv, .tsv, "
			".parquet, .json, .ndjson or .duckdb",
			s->policy.path, table->line, table->name);
	file = sotto_sql_print_text(&s->arena, table->source);
	if (!file)
		return SOTTO_ENOMEM;
	out->definition = sotto_arena_textf(&s->arena, "read_parquet(%s)", file);
	return sotto_source_describe(s, table, out, err);
}

enum sotto_status sotto_source_open(struct sotto_session *s,
				    const struct sotto_policy_table *table,
				    struct sotto_schema_table *out, struct sotto_error *err)
{
	const char *name = sotto_sql_print_name(&s->arena, table->name);

	*out = (struct sotto_schema_table){.policy = table};
	if (name)
		out->scan = sotto_arena_textf(&s->arena, "source.%s", name);
	return out->scan ? open_source(s, table, out, err) : SOTTO_ENOMEM;
}

/* ---- views -------------------------------------------------------------------------------- */

/*
 * Texts are equal only if they are the same: were 'Bob' equal to 'BOB', as the
 * collation of a column in a database may say, a group would show what one of its
 * rows wrote.
 */
static const char *plain_texts(struct sotto_session *s, const struct sotto_schema_table *t)
{
	const char *list = "";

	for (size_t i = 0; list && i < t->column_count; i++) {
		const struct sotto_schema_column *c = &t->columns[i];
		const char *name = sotto_sql_print_name(&s->arena, c->name);

		if (c->type != SOTTO_TYPE_TEXT || c->as_text)
			continue;
		list = name ? sotto_arena_textf(&s->arena, "%s%s%s COLLATE \"binary\" AS %s",
						list, *list ? ", " : "", name, name)
			    : NULL;
	}
	return list && *list ? sotto_arena_textf(&s->arena, " REPLACE (%s)", list) : list;
}

static enum sotto_status define(struct sotto_session *s, struct sotto_schema_table *t)
{
	const char *texts = plain_texts(s, t), *sql;

	if (!texts)
		return SOTTO_ENOMEM;
	sql = sotto_arena_textf(&s->arena,
				"CREATE SCHEMA IF NOT EXISTS source; "
				"CREATE VIEW %s AS SELECT *%s FROM %s",
				t->scan, texts, t->definition);
	if (!sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_engine_execute(s->engine, sql));
	t->is_defined = true;
	return SOTTO_OK;
}

enum sotto_status sotto_source_define(struct sotto_session *s, struct sotto_error *err)
{
	for (size_t i = 0; i < s->policy.table_count; i++)
		if (s->schemas[i] && !s->schemas[i]->is_defined &&
		    define(s, s->schemas[i]) != SOTTO_OK) {
			sotto_session_log(s, "view", sotto_engine_detail(s->engine));
			return sotto_source_unreadable(s, &s->policy.tables[i], err);
		}
	return SOTTO_OK;
}

/* ---- nothing else ------------------------------------------------------------------------------ */

/* A path with a pattern lets the engine into its folder, a plain one only to the file. */
static const char *allowed(struct sotto_session *s, const char *source, bool *folder)
{
	const char *slash = strrchr(source, '/');

	*folder = strpbrk(source, "*?[") != NULL;
	if (!*folder)
		return source;
	return slash ? sotto_arena_textf(&s->arena, "%.*s", (int)(slash - source + 1), source)
		     : "./";
}

enum sotto_status sotto_source_lock(struct sotto_session *s)
{
	const char **paths = NULL, **folders = NULL, **slot, *path;
	size_t path_count = 0, folder_count = 0;
	bool folder;

	if (s->locked)
		return SOTTO_OK;
	for (size_t i = 0; i < s->policy.table_count; i++) {
		if (s->policy.tables[i].in_postgres)
			continue;
		path = allowed(s, s->policy.tables[i].source, &folder);
		slot = folder ? SOTTO_PUSH(&s->arena, folders, folder_count)
			      : SOTTO_PUSH(&s->arena, paths, path_count);
		if (!path || !slot)
			return SOTTO_ENOMEM;
		*slot = path;
	}
	SOTTO_TRY(sotto_engine_lock(s->engine, paths, path_count, folders, folder_count));
	s->locked = true;
	return SOTTO_OK;
}
