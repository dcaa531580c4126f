/*
 * The view through which queries read a table: texts compared byte by byte, one zero, times in UTC,
 * and the fields of structures beside the columns.  Lists, maps and other values that no question
 * can name are not in it: nothing bounds how long they are, so nothing may ever read them.
 */
#include "central/session/session_source.h"

#include <string.h>
#include <strings.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/*
 * A column as queries read it; NULL without memory.
 *
 * Texts are equal only if they are the same: were 'Bob' equal to 'BOB', as the
 * collation of a column in a database may say, a group would show what one of its
 * rows wrote.  Times with a zone are those of UTC, whatever zone the machine is in.  AT TIME
 * ZONE would say the same, but fails at the ends of what the engine counts, so that one record
 * could make every question fail, and takes 30 times as long.
 *
 * Numbers with a floating point have one zero instead of two.  The function that sees to it also
 * keeps conditions on them away from what a file says about its parts: there NaN is above all
 * numbers for the engine and below none for others, and a filter that holds -0.0 does not find 0.
 * One record would decide whether the NaN, or the zeros, of all others in its part are seen; and a
 * dictionary keeps the zero that came first for all of them.
 */
static const char *
plain_form(struct sotto_arena *a, const struct sotto_schema_column *c, const char *value)
{
	const char *type = c->engine_type ? c->engine_type : "";

	value = sotto_schema_stored_sql(a, type, value);
	if (!value)
		return NULL;
	if (sotto_schema_is_floating(type))
		return sotto_arena_textf(a, "sotto_one_zero_%d(%s)",
					 strcmp(type, "FLOAT") == 0 ? 4 : 8, value);
	if (c->zoned)
		return sotto_arena_textf(
			a,
			"CASE WHEN isfinite(%1$s) THEN make_timestamp(epoch_us(%1$s)) WHEN "
			"%1$s > TIMESTAMPTZ '1970-01-01 00:00:00+00' THEN TIMESTAMP 'infinity' "
			"WHEN %1$s IS NOT NULL THEN TIMESTAMP '-infinity' END",
			value);
	return c->type == SOTTO_TYPE_TEXT && !c->as_text
		       ? sotto_arena_textf(a, "%s COLLATE \"binary\"", value)
		       : value;
}

/* The unit stays whatever its type is: rows are grouped by it. */
static bool is_left_out(const struct sotto_schema_table *t, const struct sotto_schema_column *c)
{
	return c->type == SOTTO_TYPE_OTHER &&
	       !(t->policy->unit && strcasecmp(t->policy->unit, c->name) == 0);
}

static const char *left_out(struct sotto_arena *a, const struct sotto_schema_table *t)
{
	const char *list = "";

	for (size_t i = 0; list && i < t->column_count; i++) {
		const char *name = sotto_sql_quote_name(a, t->columns[i].name);

		if (t->columns[i].field_sql || !is_left_out(t, &t->columns[i]))
			continue;
		list = name ? sotto_arena_textf(a, "%s%s%s", list, *list ? ", " : "", name)
			    : NULL;
	}
	return list && *list ? sotto_arena_textf(a, " EXCLUDE (%s)", list) : list;
}

static const char *plain_columns(struct sotto_arena *a, const struct sotto_schema_table *t)
{
	const char *list = "";

	for (size_t i = 0; list && i < t->column_count; i++) {
		const struct sotto_schema_column *c = &t->columns[i];
		const char *name = sotto_sql_quote_name(a, c->name);
		const char *form = name ? plain_form(a, c, name) : NULL;

		if (c->field_sql || (form && form == name) || is_left_out(t, c))
			continue;
		list = form ? sotto_arena_textf(a, "%s%s%s AS %s", list, *list ? ", " : "",
						form, name)
			    : NULL;
	}
	return list && *list ? sotto_arena_textf(a, " REPLACE (%s)", list) : list;
}

/* Fields of structures beside the columns, so that queries read both alike. */
static const char *fields(struct sotto_arena *a, const struct sotto_schema_table *t)
{
	const char *list = "";

	for (size_t i = 0; list && i < t->column_count; i++) {
		const struct sotto_schema_column *c = &t->columns[i];
		const char *name = sotto_sql_quote_name(a, c->name);
		const char *form = c->field_sql ? plain_form(a, c, c->field_sql) : NULL;

		if (c->field_sql && !is_left_out(t, c))
			list = name && form
				       ? sotto_arena_textf(a, "%s, %s AS %s", list, form, name)
				       : NULL;
	}
	return list;
}

/*
 * The same columns for questions that take long for each row (emit/emit.c).  A file says between
 * which values a column lies and whether some are NULL, and the engine computes what follows from
 * that once for all rows; and it computes once what rows have in common, by a dictionary or because
 * they are all alike.  One more value, which one row may have, ends both.  LEAST knows nothing of
 * what files say and computes with both its arguments, and COALESCE has a place for each row.
 */
static enum sotto_status append_row_by_row(struct sotto_arena *a,
					   const struct sotto_schema_table *t,
					   struct sotto_buffer *b)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const char *name = sotto_sql_quote_name(a, t->columns[i].name);

		SOTTO_NEED(name);
		if (t->columns[i].type == SOTTO_TYPE_OTHER)
			continue;
		SOTTO_TRY(sotto_buffer_appendf(b,
					       "%1$s coalesce(least(%2$s, %2$s), %2$s) AS %2$s",
					       b->length ? "," : " REPLACE (", name));
	}
	return b->length ? sotto_buffer_append_text(b, ")") : SOTTO_OK;
}

/* NULL without memory. */
static const char *row_by_row(struct sotto_arena *a, const struct sotto_schema_table *t)
{
	const char *list = NULL;
	struct sotto_buffer b;

	sotto_buffer_init(&b, 64 << 20);
	if (append_row_by_row(a, t, &b) == SOTTO_OK)
		list = sotto_arena_text(a, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return list;
}

static const char *
each_view_sql(struct sotto_arena *a, const struct sotto_schema_table *t, const char *view)
{
	const char *list = t->policy->is_public ? NULL : row_by_row(a, t);

	if (t->policy->is_public)
		return view;
	return view && list
		       ? sotto_arena_textf(a,
					   "%s; CREATE SCHEMA IF NOT EXISTS " SOTTO_SCHEMA_EACH
					   "; CREATE OR REPLACE VIEW " SOTTO_SCHEMA_EACH
					   "%s AS SELECT *%s FROM %s",
					   view, strchr(t->scan, '.'), list, t->scan)
		       : NULL;
}

const char *sotto_source_view_sql(struct sotto_arena *a, const struct sotto_schema_table *t,
				  const char *definition, const char *condition)
{
	const char *without = left_out(a, t), *texts = plain_columns(a, t),
		   *more = fields(a, t), *view;

	if (!without || !texts || !more)
		return NULL;
	view = sotto_arena_textf(a,
				 "CREATE SCHEMA IF NOT EXISTS " SOTTO_SCHEMA_VIEWS
				 "; CREATE OR REPLACE VIEW %s AS SELECT *%s%s%s FROM %s%s%s",
				 t->scan, without, texts, more, definition,
				 condition ? " WHERE " : "", condition ? condition : "");
	return each_view_sql(a, t, view);
}

/* The statement with the maps of the table; the engine opens a file when a query needs it. */
static const char *
add_owners(struct sotto_arena *a, const struct sotto_schema_table *t, const char *sql)
{
	for (size_t i = 0; sql && i < t->owners_count; i++) {
		const char *file = sotto_sql_quote_text(a, t->owners[i].file);

		sql = file ? sotto_arena_textf(
				     a, "%s; CREATE OR REPLACE MACRO %s AS sotto_stored(%s)",
				     sql, t->owners[i].map, file)
			   : NULL;
	}
	return sql;
}

static enum sotto_status define(struct sotto_session *s, struct sotto_schema_table *t)
{
	const char *sql = add_owners(&s->arena, t,
				     sotto_source_view_sql(&s->arena, t, t->definition, NULL));

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
