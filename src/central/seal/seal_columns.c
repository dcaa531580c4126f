/*
 * Queries read a text that is not of the type that the policy says as missing, and no answer shows
 * it: an average over a column of decimal commas would be an average of nothing.  So the owner
 * is told, with the number of such values, and of columns that are not there at all.
 */
#include "central/seal/seal_columns.h"

#include <string.h>

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

/* The sealed column, if its texts are read as another type. */
static struct sotto_sealed_column *
find_read(const struct sotto_sealer *s, const struct sotto_policy_column *c)
{
	struct sotto_sealed_column *sealed = sotto_sealed_column_find(&s->entry, c->name);

	return sealed && c->type != SOTTO_TYPE_LOOSE && c->type != SOTTO_TYPE_TEXT &&
			       is_text(sealed)
		       ? sealed
		       : NULL;
}

static bool
is_counted(const struct sotto_policy_column *c, const struct sotto_sealed_column *sealed)
{
	return sealed->tried_as && strcmp(sealed->tried_as, sotto_sql_type_word(c->type)) == 0;
}

/* An empty text is no value. */
static const char *counts_sql(struct sotto_sealer *s, const struct sotto_policy_column *c,
			      const struct sotto_sealed_column *sealed)
{
	const char *name = sotto_sealed_column_sql(s->arena, &s->entry, sealed);
	const char *read = name ? sotto_schema_read_sql(s->arena, name, c->type) : NULL;

	return read ? sotto_arena_textf(
			      s->arena,
			      "COUNT(*) FILTER (WHERE trim(%s) <> ''), COUNT(*) FILTER "
			      "(WHERE trim(%s) <> '' AND (%s) IS NULL)",
			      name, name, read)
		    : NULL;
}

static enum sotto_status count(struct sotto_sealer *s, struct sotto_database *d,
			       const char *relation, const struct sotto_policy_column *c,
			       struct sotto_sealed_column *sealed)
{
	struct sotto_engine_result *r = NULL;
	const char *sql = counts_sql(s, c, sealed);

	sql = sql ? sotto_arena_textf(s->arena, "SELECT %s FROM %s", sql, relation) : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	sealed->values = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	sealed->unread = (uint64_t)sotto_engine_cell(r, 0, 1).integer;
	sealed->tried_as = sotto_sql_type_word(c->type);
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status count_all(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *relation = NULL;

	SOTTO_TRY(sotto_sealer_relation(s, d, &relation));
	for (size_t i = 0; i < s->table->column_count; i++) {
		const struct sotto_policy_column *c = &s->table->columns[i];
		struct sotto_sealed_column *sealed = find_read(s, c);

		if (sealed && !is_counted(c, sealed))
			SOTTO_TRY(count(s, d, relation, c, sealed));
	}
	return SOTTO_OK;
}

static bool all_are_counted(const struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->table->column_count; i++) {
		const struct sotto_sealed_column *sealed = find_read(s, &s->table->columns[i]);

		if (sealed && !is_counted(&s->table->columns[i], sealed))
			return false;
	}
	return true;
}

/* ---- telling ---------------------------------------------------------------------------------- */

static enum sotto_status tell(struct sotto_sealer *s, const struct sotto_policy_column *c,
			      const struct sotto_sealed_column *sealed)
{
	struct sotto_seal_unread *slot =
		SOTTO_PUSH(s->arena, s->report->unread, s->report->unread_count);

	if (!slot)
		return SOTTO_ENOMEM;
	*slot = (struct sotto_seal_unread){.column = sotto_arena_text(s->arena, sealed->name),
					   .type = sotto_sql_type_word(c->type),
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
	for (size_t i = 0; i < s->table->column_count; i++) {
		const struct sotto_sealed_column *sealed = find_read(s, &s->table->columns[i]);

		if (sealed && sealed->unread > 0)
			SOTTO_TRY(tell(s, &s->table->columns[i], sealed));
	}
	return SOTTO_OK;
}
