/*
 * Names with dots that are not table.column: fields of a structure, or of a column that
 * holds JSON.
 */
#include "central/expression/bind.h"

#include <string.h>

#include "central/parse/value/json_path.h"
#include "core/base/failure.h"

enum { NAMES_MAX = 12 };

/* All names of a dotted column, the first one first. */
static size_t split(struct sotto_arena *a, const struct sotto_sql_expr *e, const char **names)
{
	const char *s = e->prefix ? e->prefix : "";
	size_t n = 0;

	while (*s && n + 2 < NAMES_MAX) {
		size_t length = strcspn(s, (const char[]){SOTTO_SQL_DOT, 0});

		names[n++] = sotto_arena_textf(a, "%.*s", (int)length, s);
		s += length + 1;
	}
	names[n++] = e->qualifier;
	names[n++] = e->text;
	return n;
}

static bool in_scope(const struct sotto_binder *b, const struct sotto_sql_expr *c)
{
	return sotto_scope_has(b->scope, c) ||
	       (b->correlated && sotto_scope_has(b->correlated, c));
}

/* The column that the first names mean, and how many of them. */
static struct sotto_sql_expr *column_of(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const char *const *names, size_t n, size_t *used)
{
	for (*used = n > 2 ? 2 : 1; *used > 0; --*used) {
		struct sotto_sql_expr *c =
			sotto_sql_expr_new(b->arena, SOTTO_SQL_COLUMN, e->at);

		if (!c)
			return NULL;
		c->qualifier = *used == 2 ? names[0] : NULL;
		c->text = names[*used - 1];
		if (in_scope(b, c))
			return c;
	}
	return NULL;
}

static const char *
joined(struct sotto_arena *a, const char *const *names, size_t from, size_t n)
{
	const char *all = names[from];

	for (size_t i = from + 1; all && i < n; i++)
		all = sotto_arena_textf(a, "%s.%s", all, names[i]);
	return all;
}

/* The field of a structure that is a column with dots in its name, of a table or of any. */
static struct sotto_sql_expr *structure_field(struct sotto_binder *b,
					      const struct sotto_sql_expr *e,
					      const char *const *names, size_t n)
{
	for (size_t from = 0; from < 2 && from + 1 < n; from++) {
		struct sotto_sql_expr *c =
			sotto_sql_expr_new(b->arena, SOTTO_SQL_COLUMN, e->at);

		if (!c)
			return NULL;
		c->qualifier = from ? names[0] : NULL;
		c->text = joined(b->arena, names, from, n);
		if (c->text && in_scope(b, c))
			return c;
	}
	return NULL;
}

enum sotto_status sotto_bind_field(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_bound *out, bool *found)
{
	const char *names[NAMES_MAX], *path = "$";
	struct sotto_sql_expr *column;
	size_t n, used;

	*found = false;
	if (!e->qualifier)
		return SOTTO_OK;
	n = split(b->arena, e, names);
	column = structure_field(b, e, names, n);
	if (column) {
		*found = true;
		return sotto_bind(b, column, out);
	}
	column = column_of(b, e, names, n, &used);
	if (!column)
		return SOTTO_OK;
	for (size_t i = used; i < n; i++) {
		path = names[i] ? sotto_json_path_field(b->arena, path, names[i]) : NULL;
		SOTTO_NEED(path);
	}
	if (!sotto_json_path_is_plain(path))
		return SOTTO_OK;
	column = sotto_json_value(b->arena, column, path);
	SOTTO_NEED(column);
	*found = true;
	return sotto_bind(b, column, out);
}
