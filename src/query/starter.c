/*
 * A policy to start from.  Only headers and catalogues are read: no value of
 * any row finds its way into the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "query/source.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(b, __VA_ARGS__))

enum { NAME_SIZE = 128 };

/* The file's name without folder and ending: data/patients.csv is table patients. */
static void table_name(const char *file, char *name, size_t size)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t n = strcspn(base, ".");

	(void)snprintf(name, size, "%.*s", (int)n, base);
}

/* A table's name in PostgreSQL without its schema and without quotes. */
static void postgres_name(const char *source, char *name, size_t size)
{
	const char *dot = strrchr(source, '.'), *base = dot ? dot + 1 : source;
	size_t n = strlen(base);

	if (n > 2 && base[0] == '"' && base[n - 1] == '"')
		base++, n -= 2;
	(void)snprintf(name, size, "%.*s", (int)n, base);
}

/* A name as YAML takes it: as it is, or in quotes. */
static enum sotto_status add_name(struct sotto_buffer *b, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./-";

	if (*name && !strchr("-.0123456789", *name) && name[strspn(name, plain)] == '\0')
		return sotto_buffer_append_text(b, name);
	SOTTO_TRY(sotto_buffer_append_text(b, "\""));
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			SOTTO_TRY(sotto_buffer_append_text(b, "\\"));
		SOTTO_TRY(sotto_buffer_append(b, *c == '\n' ? " " : c, 1));
	}
	return sotto_buffer_append_text(b, "\"");
}

static bool is_numeric(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_INTEGER || type == SOTTO_TYPE_NUMBER;
}

/* Of JSON the policy has to name every column; of others only what it says something about. */
static enum sotto_status
add_column(struct sotto_buffer *b, const struct sotto_schema_column *c, bool json)
{
	const char *hint = "{}";

	if (json || c->type == SOTTO_TYPE_LOOSE)
		hint = "{ type: text }         # or: { bounds: [0, 100] }, { keys: [one, "
		       "two] }";
	else if (is_numeric(c->type))
		hint = "{ bounds: [0, 100] }   # needed before it can be summed";
	else if (c->type == SOTTO_TYPE_TEXT)
		hint = "{ keys: [one, two] }   # public values, if they are known";
	ADD("      %s", json ? "" : "# ");
	SOTTO_TRY(add_name(b, c->name));
	ADD(":%*s%s\n", (int)(strlen(c->name) < 16 ? 17 - strlen(c->name) : 1), "", hint);
	return SOTTO_OK;
}

static enum sotto_status add_columns(struct sotto_buffer *b, const struct sotto_schema_table *t,
				     const char *unit, bool json)
{
	ADD(json ? "    columns:                    # a JSON file has no header: these are "
		   "all\n"
		 : "    columns:                    # say what may be asked about:\n");
	for (size_t i = 0; i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, unit) != 0)
			SOTTO_TRY(add_column(b, &t->columns[i], json));
	return SOTTO_OK;
}

static bool is_plain(const char *name)
{
	return name[strspn(
		       name,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
	       '\0';
}

/* Tables after the first that has the unit are about the same people, so they can be joined. */
static enum sotto_status
add_unit(struct sotto_buffer *b, const char *table, const char *unit, char *first)
{
	bool plain = is_plain(table) && is_plain(unit) && strcmp(unit, "row") != 0;

	if (plain && *first) {
		ADD("{ column: %s, via: %s.%s -> %s.%s }", unit, table, unit, first, unit);
		return SOTTO_OK;
	}
	if (plain)
		(void)snprintf(first, NAME_SIZE, "%s", table);
	return add_name(b, unit);
}

static enum sotto_status add_table(struct sotto_buffer *b, const struct sotto_schema_table *t,
				   const char *unit, char *first)
{
	const struct sotto_policy_table *table = t->policy;
	bool json = sotto_source_is_json(table->source);
	bool row = strcmp(unit, "row") == 0, has_unit = row;

	for (size_t i = 0; i < t->column_count; i++)
		has_unit = has_unit || strcasecmp(t->columns[i].name, unit) == 0;
	ADD("\n  ");
	SOTTO_TRY(add_name(b, table->name));
	ADD(":\n    source: ");
	SOTTO_TRY(add_name(b, table->source));
	if (table->table) {
		ADD("\n    table: ");
		SOTTO_TRY(add_name(b, table->table));
	}
	ADD("\n    unit: ");
	SOTTO_TRY(add_unit(b, table->name, has_unit ? unit : "row", first));
	if (!has_unit)
		ADD("                   # it has no column %s; write public: true instead if "
		    "nothing in it is private",
		    unit);
	if (has_unit && !row)
		ADD("\n    max_groups: 1               # one unit counts in at most this many "
		    "groups of a query\n"
		    "    max_rows: 1                 # and with at most this many rows in "
		    "each");
	ADD("\n");
	return has_unit || json ? add_columns(b, t, row || !has_unit ? "" : unit, json)
				: SOTTO_OK;
}

static enum sotto_status describe_table(struct sotto_session *s, struct sotto_buffer *b,
					struct sotto_policy_table *table, const char *unit,
					char *first, struct sotto_error *err)
{
	struct sotto_schema_table schema;

	s->policy.tables = table;
	s->policy.table_count = 1;
	SOTTO_TRY(sotto_source_open(s, table, &schema, err));
	s->policy.tables = NULL;
	s->policy.table_count = 0;
	return add_table(b, &schema, unit, first);
}

/* Every table of a database file. */
static enum sotto_status add_database(struct sotto_session *s, struct sotto_buffer *b,
				      const char *file, const char *unit, char *first,
				      struct sotto_error *err)
{
	struct sotto_policy_table table = {.source = file, .name = file, .line = 1};
	struct sotto_engine_result *names = NULL;
	enum sotto_status st;

	SOTTO_TRY(sotto_source_tables(s, &table, &names, err));
	st = sotto_engine_has_shape(names, 1, 0, 0) && sotto_engine_rows(names) > 0
		     ? SOTTO_OK
		     : sotto_fail(err, SOTTO_EREFUSED, "there is no table in %.200s", file);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(names); i++) {
		table.name = table.table = sotto_engine_cell(names, i, 0).text;
		st = describe_table(s, b, &table, unit, first, err);
	}
	sotto_engine_result_free(names);
	return st == SOTTO_OK ? sotto_source_forget(s) : st;
}

static enum sotto_status add_file(struct sotto_session *s, struct sotto_buffer *b,
				  const char *file, const char *unit, char *first,
				  struct sotto_error *err)
{
	char name[NAME_SIZE];
	struct sotto_policy_table table = {
		.source = file, .name = name, .line = 1, .is_public = true};

	table.in_postgres = s->policy.uses_postgres && !strchr(file, '/');
	if (!table.in_postgres && sotto_source_is_database(file))
		return add_database(s, b, file, unit, first, err);
	(table.in_postgres ? postgres_name : table_name)(file, name, sizeof name);
	return describe_table(s, b, &table, unit, first, err);
}

static enum sotto_status add_engine(struct sotto_buffer *b, const struct sotto_policy *p)
{
	ADD("engine: %s\n", p->uses_postgres ? "postgres" : "duckdb");
	if (!p->dsn)
		return SOTTO_OK;
	ADD("dsn: ");
	SOTTO_TRY(add_name(b, p->dsn));
	ADD("\n");
	return SOTTO_OK;
}

static enum sotto_status write_starter(struct sotto_session *s, struct sotto_buffer *b,
				       const char *const *files, size_t count, const char *unit,
				       struct sotto_error *err)
{
	char first[NAME_SIZE] = "";

	ADD("# A sotto policy: what is protected, what may be asked, how much may be spent.\n"
	    "# Made from names and types alone; go through every line before the first "
	    "query.\n\n");
	SOTTO_TRY(add_engine(b, &s->policy));
	ADD("ledger: sotto-ledger.db\n\n"
	    "# Everything that is ever answered from these tables, together.\n"
	    "budget: { epsilon: 1, delta: 1e-6 }\n\n"
	    "# What a query costs when the analyst does not say.\n"
	    "default: { epsilon: 0.1 }\n\n"
	    "tables:");
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(add_file(s, b, files[i], unit, first, err));
	return SOTTO_OK;
}

enum sotto_status sotto_policy_starter(const char *const *files, size_t count, const char *unit,
				       const char *dsn, char **text, struct sotto_error *err)
{
	if ((!files && count > 0) || !unit || !text)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_session *s = calloc(1, sizeof *s);
	struct sotto_buffer b;
	enum sotto_status st;

	if (!s)
		return SOTTO_ENOMEM;
	sotto_arena_init(&s->arena, (size_t)64 << 20);
	sotto_arena_init(&s->policy.arena, 1 << 20);
	s->policy.path = "sotto.yaml";
	s->policy.uses_postgres = dsn != NULL;
	s->policy.dsn = dsn && *dsn ? dsn : NULL;
	sotto_buffer_init(&b, 1 << 20);
	st = write_starter(s, &b, files, count, unit, err);
	if (st == SOTTO_OK)
		*text = b.bytes;
	else
		sotto_buffer_release(&b);
	s->policy.tables = NULL;
	sotto_session_close(s);
	return st;
}
