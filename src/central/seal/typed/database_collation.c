/*
 * No view of the engine's catalogue has the collation of a column, and only tables have a text that does.
 * So an empty table is made of the columns, also of those that a view computes, and its text is read: every
 * name in it is ours.
 */
#include "central/seal/typed/database_collation.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PROBE "sotto collations"

/* c3 VARCHAR COLLATE NOCASE; names with other characters than these are quoted. */
static const char find_sql[] =
	"SELECT unnest(regexp_extract_all(sql, 'c[0-9]+ VARCHAR COLLATE [^,)]+')) FROM "
	"duckdb_tables() WHERE temporary AND table_name = '" PROBE "'";

/* The text columns, named after their place; "" if there is none, NULL without memory. */
static const char *text_columns(struct sotto_sealer *s)
{
	const char *list = "";

	for (size_t i = 0; list && i < s->entry.column_count; i++) {
		const struct sotto_sealed_column *c = &s->entry.columns[i];
		const char *value;

		if (!c->type || strcmp(c->type, "VARCHAR") != 0)
			continue;
		value = sotto_sealed_column_sql(s->arena, &s->entry, c);
		list = value ? sotto_arena_textf(s->arena, "%s%s%s AS c%zu", list,
						 *list ? ", " : "", value, i)
			     : NULL;
	}
	return list;
}

/* Those that the engine knows to compare bytes. */
static bool is_plain(const char *collation)
{
	return strcasecmp(collation, "binary") == 0 || strcasecmp(collation, "C") == 0 ||
	       strcasecmp(collation, "POSIX") == 0;
}

static enum sotto_status take(struct sotto_sealer *s, const char *found)
{
	size_t column;
	int name = 0;

	if (sscanf(found, "c%zu VARCHAR COLLATE %n", &column, &name) != 1 || name == 0 ||
	    column >= s->entry.column_count || is_plain(found + name))
		return SOTTO_OK;
	s->entry.columns[column].collation = sotto_arena_text(s->arena, found + name);
	return s->entry.columns[column].collation ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_database_collations(struct sotto_sealer *s, struct sotto_database *d,
					    const char *relation)
{
	struct sotto_engine_result *r = NULL;
	const char *list = text_columns(s), *sql;
	enum sotto_status st = SOTTO_OK;

	s->entry.has_collations = true;
	if (list && !*list)
		return SOTTO_OK;
	sql = list ? sotto_arena_textf(s->arena,
				       "CREATE TEMPORARY TABLE \"" PROBE
				       "\" AS SELECT %s FROM %s LIMIT 0",
				       list, relation)
		   : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_execute(d, sql) != SOTTO_OK ||
	    sotto_database_run(d, find_sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(r); i++)
		st = take(s, sotto_engine_cell(r, i, 0).text);
	sotto_engine_result_free(r);
	return st;
}
