/*
 * JSON sources.  A JSON file has no header: which names occur, and of which type
 * the values are, depends on its rows.  So a private table has the columns that
 * the policy names, read as text; what a row does not have is NULL.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/failure.h"
#include "query/session.h"
#include "query/source.h"
#include "sql/print.h"

/* An array of objects, or objects one after another, as the first character tells. */
static enum sotto_status find_layout(const char *path, const char **layout)
{
	FILE *f = fopen(path, "re");
	int c;

	if (!f)
		return SOTTO_EIO;
	do
		c = getc(f);
	while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
	(void)fclose(f);
	*layout =
		c == '[' ? "format = 'array', ignore_errors = true" : "format = 'unstructured'";
	return SOTTO_OK;
}

bool sotto_source_is_json(const char *path)
{
	return sotto_source_ends(path, ".json") || sotto_source_ends(path, ".ndjson") ||
	       sotto_source_ends(path, ".jsonl");
}

static bool is_lines(const char *path)
{
	return sotto_source_ends(path, ".ndjson") || sotto_source_ends(path, ".jsonl");
}

static enum sotto_status
add_column(struct sotto_session *s, struct sotto_schema_table *out, const char *name)
{
	struct sotto_schema_column *c;

	for (size_t i = 0; i < out->column_count; i++)
		if (strcasecmp(out->columns[i].name, name) == 0)
			return SOTTO_OK;
	c = SOTTO_PUSH(&s->arena, out->columns, out->column_count);
	if (!c)
		return SOTTO_ENOMEM;
	*c = (struct sotto_schema_column){.name = name, .type = SOTTO_TYPE_LOOSE};
	return SOTTO_OK;
}

static const char *list_columns(struct sotto_session *s, const struct sotto_schema_table *t)
{
	const char *list = "", *name;

	for (size_t i = 0; list && i < t->column_count; i++) {
		name = sotto_sql_print_text(&s->arena, t->columns[i].name);
		list = name ? sotto_arena_textf(&s->arena, "%s%s%s: 'VARCHAR'", list,
						i ? ", " : "", name)
			    : NULL;
	}
	return list;
}

static enum sotto_status open_private(struct sotto_session *s,
				      const struct sotto_policy_table *table, const char *file,
				      const char *layout, struct sotto_schema_table *out)
{
	const char *list;

	if (table->unit)
		SOTTO_TRY(add_column(s, out, table->unit));
	for (size_t i = 0; i < table->column_count; i++)
		SOTTO_TRY(add_column(s, out, table->columns[i].name));
	list = list_columns(s, out);
	if (!list)
		return SOTTO_ENOMEM;
	out->definition = sotto_arena_textf(
		&s->arena, "read_json(%s, auto_detect = false, %s, columns = {%s})", file,
		layout, list);
	return out->definition ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_source_open_json(struct sotto_session *s, const struct sotto_policy_table *table,
		       struct sotto_schema_table *out, struct sotto_error *err)
{
	const char *file = sotto_sql_print_text(&s->arena, table->source);
	const char *layout = "format = 'newline_delimited', ignore_errors = true";

	if (!file)
		return SOTTO_ENOMEM;
	if (!is_lines(table->source) && find_layout(table->source, &layout) != SOTTO_OK)
		return sotto_source_unreadable(s, table, err);
	if (!table->is_public && !table->unit && table->column_count == 0)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"%.160s:%zu: a JSON file has no header, so table %.60s has the "
			"columns that the policy names: write columns: {NAME: {}, ...}",
			s->policy.path, table->line, table->name);
	if (!table->is_public)
		return open_private(s, table, file, layout, out);
	out->definition = sotto_arena_textf(&s->arena, "read_json(%s, %s)", file, layout);
	return sotto_source_describe(s, table, out, err);
}
