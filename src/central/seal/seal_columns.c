/*
 * Queries read a text that is not of the type that the policy says as missing, and no answer shows
 * it: an average over a column of decimal commas would be an average of nothing.  So the owner
 * is told, with the number of such values, and of columns that are not there at all, or of fields
 * of JSON that no record has.
 */
#include "central/seal/seal_columns.h"

#include <string.h>
#include <strings.h>

#include "central/policy/schema.h"
#include "core/base/failure.h"

/* ---- are they there? -------------------------------------------------------------------------- */

static enum sotto_status check_names(const struct sotto_sealer *s)
{
	const struct sotto_policy_table *t = s->table;

	for (size_t i = 0; i < t->column_count; i++) {
		if (sotto_sealed_column_find(&s->entry, t->columns[i].name))
			continue;
		if (t->line == 0) /* of a policy that no file has */
			return sotto_fail(s->err, SOTTO_EPARSE, "%.200s has no column %.60s",
					  t->written, t->columns[i].name);
		return sotto_fail(s->err, SOTTO_EPARSE,
				  "%.160s:%zu: the source of table %.60s has no column %.60s",
				  s->policy->path, t->columns[i].line, t->name,
				  t->columns[i].name);
	}
	if (t->unit && !sotto_sealed_column_find(&s->entry, t->unit))
		return sotto_fail(s->err, SOTTO_EPARSE,
				  "%.160s:%zu: the source of table %.60s has no column %.60s, "
				  "which is its unit",
				  s->policy->path, t->line, t->name, t->unit);
	return SOTTO_OK;
}

/* ---- counting --------------------------------------------------------------------------------- */

static bool is_text(const struct sotto_sealed_column *sealed)
{
	struct sotto_schema_column source = {.type = SOTTO_TYPE_LOOSE};

	if (sealed->type)
		sotto_schema_column_type(&source, sealed->type);
	return (source.type == SOTTO_TYPE_LOOSE || source.type == SOTTO_TYPE_TEXT) &&
	       !source.as_text;
}

static bool is_private_json(const struct sotto_policy_table *t)
{
	enum sotto_source_kind kind = sotto_source_kind(t->source);

	return !t->is_public && (kind == SOTTO_SOURCE_JSON || kind == SOTTO_SOURCE_JSON_LINES);
}

/* The type that the policy gives a column. */
static enum sotto_sql_type
type_of(const struct sotto_sealer *s, const struct sotto_sealed_column *sealed)
{
	const struct sotto_policy_column *c = sotto_policy_column_find(s->table, sealed->name);

	return c ? c->type : SOTTO_TYPE_LOOSE;
}

/* No header says that the fields of JSON, which the policy names, are there. */
static bool
may_be_missing(const struct sotto_sealer *s, const struct sotto_sealed_column *sealed)
{
	return is_private_json(s->table) ||
	       (s->table->unit && strcasecmp(s->table->unit, sealed->name) == 0);
}

static bool is_wanted(const struct sotto_sealer *s, const struct sotto_sealed_column *sealed)
{
	enum sotto_sql_type type = type_of(s, sealed);

	return is_text(sealed) && (may_be_missing(s, sealed) ||
				   (type != SOTTO_TYPE_LOOSE && type != SOTTO_TYPE_TEXT));
}

static bool is_counted(const struct sotto_sealer *s, const struct sotto_sealed_column *sealed)
{
	return !is_wanted(s, sealed) ||
	       (sealed->tried_as &&
		strcmp(sealed->tried_as, sotto_sql_type_word(type_of(s, sealed))) == 0);
}

/* An empty text is not a value. */
static const char *counts_sql(struct sotto_sealer *s, const struct sotto_sealed_column *sealed)
{
	enum sotto_sql_type type = type_of(s, sealed);
	const char *name = sotto_sealed_column_sql(s->arena, &s->entry, sealed);
	const char *read = name;

	if (name && type != SOTTO_TYPE_LOOSE && type != SOTTO_TYPE_TEXT)
		read = sotto_schema_read_sql(s->arena, name, type);
	return read ? sotto_arena_textf(
			      s->arena,
			      "COUNT(*) FILTER (WHERE trim(%s) <> ''), COUNT(*) FILTER "
			      "(WHERE trim(%s) <> '' AND (%s) IS NULL)",
			      name, name, read)
		    : NULL;
}

static enum sotto_status count(struct sotto_sealer *s, struct sotto_database *d,
			       const char *relation, struct sotto_sealed_column *sealed)
{
	struct sotto_engine_result *r = NULL;
	const char *sql = counts_sql(s, sealed);

	sql = sql ? sotto_arena_textf(s->arena, "SELECT %s FROM %s", sql, relation) : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	sealed->values = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	sealed->unread = (uint64_t)sotto_engine_cell(r, 0, 1).integer;
	sealed->tried_as = sotto_sql_type_word(type_of(s, sealed));
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status count_all(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *relation = NULL;

	SOTTO_TRY(sotto_sealer_relation(s, d, &relation));
	for (size_t i = 0; i < s->entry.column_count; i++)
		if (!is_counted(s, &s->entry.columns[i]))
			SOTTO_TRY(count(s, d, relation, &s->entry.columns[i]));
	return SOTTO_OK;
}

static bool all_are_counted(const struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->entry.column_count; i++)
		if (!is_counted(s, &s->entry.columns[i]))
			return false;
	return true;
}

/* ---- telling ---------------------------------------------------------------------------------- */

static bool
is_worth_telling(const struct sotto_sealer *s, const struct sotto_sealed_column *sealed)
{
	return is_wanted(s, sealed) &&
	       (sealed->unread > 0 ||
		(sealed->values == 0 && s->entry.records > 0 && may_be_missing(s, sealed)));
}

static enum sotto_status tell(struct sotto_sealer *s, const struct sotto_sealed_column *sealed)
{
	struct sotto_seal_unread *slot =
		SOTTO_PUSH(s->arena, s->report->unread, s->report->unread_count);

	if (!slot)
		return SOTTO_ENOMEM;
	*slot = (struct sotto_seal_unread){.column = sotto_arena_text(s->arena, sealed->name),
					   .type = sotto_sql_type_word(type_of(s, sealed)),
					   .values = sealed->unread,
					   .of = sealed->values};
	return slot->column ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_seal_columns(struct sotto_sealer *s)
{
	struct sotto_database d;
	enum sotto_status st;

	SOTTO_TRY(check_names(s));
	if (!all_are_counted(s)) {
		SOTTO_TRY(sotto_database_open(&d, s->err));
		st = count_all(s, &d);
		sotto_database_close(&d);
		SOTTO_TRY(st);
	}
	for (size_t i = 0; i < s->entry.column_count; i++)
		if (is_worth_telling(s, &s->entry.columns[i]))
			SOTTO_TRY(tell(s, &s->entry.columns[i]));
	return SOTTO_OK;
}
