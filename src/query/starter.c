/*
 * A policy to start from.  Only headers and catalogues are read: no value of
 * any row finds its way into the file.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "query/session.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(b, __VA_ARGS__))

/* The file's name without folder and ending: data/patients.csv is table patients. */
static void table_name(const char *file, char *name, size_t size)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t n = strcspn(base, ".");

	(void)snprintf(name, size, "%.*s", (int)n, base);
}

static bool is_numeric(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_INTEGER || type == SOTTO_TYPE_NUMBER;
}

static enum sotto_status add_column(struct sotto_buffer *b, const struct sotto_schema_column *c)
{
	if (c->type == SOTTO_TYPE_LOOSE)
		ADD("      # %s: { type: text }           # or: { bounds: [0, 100] }, "
		    "{ keys: [one, two] }\n",
		    c->name);
	else if (is_numeric(c->type))
		ADD("      # %s: { bounds: [0, 100] }     # %s: needed before it can be "
		    "summed\n",
		    c->name, sotto_sql_type_word(c->type));
	else if (c->type == SOTTO_TYPE_TEXT)
		ADD("      # %s: { keys: [one, two] }     # public values, if they are known\n",
		    c->name);
	else
		ADD("      # %s: {}                       # %s\n", c->name,
		    sotto_sql_type_word(c->type));
	return SOTTO_OK;
}

static enum sotto_status add_table(struct sotto_buffer *b, const struct sotto_schema_table *t,
				   const char *file, const char *name, const char *unit)
{
	bool row = strcmp(unit, "row") == 0, has_unit = row;

	for (size_t i = 0; i < t->column_count; i++)
		has_unit = has_unit || strcasecmp(t->columns[i].name, unit) == 0;
	ADD("\n  %s:\n    source: %s\n", name, file);
	if (!has_unit) {
		ADD("    unit: row                   # it has no column %s; write public: true "
		    "instead if "
		    "nothing in it is private\n",
		    unit);
		return SOTTO_OK;
	}
	ADD("    unit: %s\n", unit);
	if (!row)
		ADD("    max_groups: 1               # one unit counts in at most this many "
		    "groups of a "
		    "query\n    max_rows: 1                 # and with at most this many rows "
		    "in each\n");
	ADD("    columns: {}                 # replace {} by lines like these:\n");
	for (size_t i = 0; i < t->column_count; i++)
		if (row || strcasecmp(t->columns[i].name, unit) != 0)
			SOTTO_TRY(add_column(b, &t->columns[i]));
	return SOTTO_OK;
}

static enum sotto_status add_file(struct sotto_session *s, struct sotto_buffer *b,
				  const char *file, const char *unit, struct sotto_error *err)
{
	char name[128];
	struct sotto_policy_table table = {.source = file, .name = name, .line = 1};
	struct sotto_schema_table schema;

	table_name(file, name, sizeof name);
	s->policy.tables = &table;
	s->policy.table_count = 1;
	SOTTO_TRY(sotto_source_open(s, &table, &schema, err));
	s->policy.tables = NULL;
	s->policy.table_count = 0;
	return add_table(b, &schema, file, name, unit);
}

static enum sotto_status write_starter(struct sotto_session *s, struct sotto_buffer *b,
				       const char *const *files, size_t count, const char *unit,
				       struct sotto_error *err)
{
	ADD("# A sotto policy: what is protected, what may be asked, how much may be spent.\n"
	    "# Made from names and types alone; go through every line before the first "
	    "query.\n\n"
	    "engine: duckdb\n"
	    "ledger: sotto-ledger.db\n\n"
	    "# Everything that is ever answered from these tables, together.\n"
	    "budget: { epsilon: 1, delta: 1e-6 }\n\n"
	    "# What a query costs when the analyst does not say.\n"
	    "default: { epsilon: 0.1 }\n\n"
	    "tables:");
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(add_file(s, b, files[i], unit, err));
	return SOTTO_OK;
}

enum sotto_status sotto_policy_starter(const char *const *files, size_t count, const char *unit,
				       char **text, struct sotto_error *err)
{
	struct sotto_session *s = calloc(1, sizeof *s);
	struct sotto_buffer b;
	enum sotto_status st;

	if (!s)
		return SOTTO_ENOMEM;
	sotto_arena_init(&s->arena, (size_t)64 << 20);
	sotto_arena_init(&s->policy.arena, 1 << 20);
	s->policy.path = "sotto.yaml";
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
