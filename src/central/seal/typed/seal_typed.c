/*
 * Sealing files that have types of their own: every value is looked at once.  Where
 * one cannot be read, the file is copied without the records that have one.
 */
#include "central/seal/typed/seal_typed.h"

#include <string.h>

#include "central/seal/manifest/sealed.h"
#include "central/seal/typed/database_collation.h"
#include "central/seal/typed/malformed_parquet.h"
#include "central/seal/typed/parquet_alike.h"
#include "central/seal/typed/parquet_statistics.h"
#include "central/seal/typed/typed_check.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* The identity of a database file that was sealed already for another of its tables; NULL: none. */
static const struct sotto_identity *known_identity(const struct sotto_sealer *s, size_t file)
{
	for (size_t i = 0; i < s->manifest.count; i++) {
		const struct sotto_sealed *e = &s->manifest.entries[i];

		if (e->kind == SOTTO_FILE_DATABASE && s->entry.kind == e->kind &&
		    strcmp(e->files[0].name, s->files.names[file]) == 0 &&
		    e->files[0].id.whole[0] &&
		    sotto_identity_is_untouched(&e->files[0].id, s->files.paths[file]))
			return &e->files[0].id;
	}
	return NULL;
}

static enum sotto_status take_identity(struct sotto_sealer *s, size_t file)
{
	const struct sotto_identity *known = known_identity(s, file);
	struct sotto_identity *id = &s->entry.files[file].id;

	if (!known ||
	    sotto_identity_check(known, s->files.paths[file], s->entry.kind) != SOTTO_OK)
		return sotto_identity_take_whole(id, s->files.paths[file], s->entry.kind);
	*id = *known;
	return SOTTO_OK;
}

static enum sotto_status take_identities(struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->files.count; i++)
		if (take_identity(s, i) != SOTTO_OK)
			return sotto_sealer_unreadable(s);
	return SOTTO_OK;
}

static enum sotto_status check_identities(struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->files.count; i++)
		if (sotto_identity_check(&s->entry.files[i].id, s->files.paths[i],
					 s->entry.kind) != SOTTO_OK)
			return sotto_fail(s->err, SOTTO_EIO,
					  "%.200s changed while it was read; run sotto seal "
					  "again when it is whole",
					  s->files.paths[i]);
	return SOTTO_OK;
}

/* ---- the kinds ------------------------------------------------------------------------------------ */

/* What folders say is read as text, and has the type that the policy or a question gives it. */
static void loosen_folders(struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->entry.column_count; i++)
		if (sotto_folder_is_column(s->files.names[0], s->entry.columns[i].name))
			s->entry.columns[i].type = NULL;
}

static enum sotto_status seal_parquet(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *relation = sotto_parquet_relation(s->arena, s->files.paths, s->files.names,
						      s->files.count, NULL);
	bool readable, hold = true;

	if (!relation)
		return SOTTO_ENOMEM;
	SOTTO_TRY(take_identities(s));
	if (sotto_database_push_conditions(d, false) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	SOTTO_TRY(sotto_parquet_check_alike(s, d));
	SOTTO_TRY(sotto_typed_describe(s, d, relation));
	SOTTO_TRY(sotto_typed_check(s, d, relation, &readable));
	if (readable)
		SOTTO_TRY(sotto_parquet_statistics_check(s, d, &hold));
	if (!readable)
		SOTTO_TRY(sotto_malformed_parquet_copy(s, d));
	else if (!hold)
		SOTTO_TRY(sotto_typed_copy(s, d, relation)); /* it says what is not so */
	loosen_folders(s);
	return check_identities(s);
}

/*
 * A view, or a table with a column that is computed from others whenever it is read: which are those
 * that are written GENERATED ALWAYS AS.  A default that has these words costs a copy.
 */
static enum sotto_status
is_computed(struct sotto_sealer *s, struct sotto_database *d, bool *computed)
{
	const struct sotto_policy_table *t = s->table;
	const char *name = sotto_sql_quote_text(s->arena, t->table ? t->table : t->name);
	const char *schema = sotto_sql_quote_text(s->arena, t->schema ? t->schema : "main"),
		   *sql;
	struct sotto_engine_result *r = NULL;

	sql = name && schema
		      ? sotto_arena_textf(
				s->arena,
				"SELECT 1::BIGINT FROM duckdb_views() WHERE database_name = "
				"'sealed_source' AND lower(schema_name) = lower(%1$s) AND "
				"lower(view_name) = lower(%2$s) UNION ALL SELECT 1 FROM "
				"duckdb_tables() WHERE database_name = 'sealed_source' AND "
				"lower(schema_name) = lower(%1$s) AND lower(table_name) = "
				"lower(%2$s) AND contains(sql, 'GENERATED ALWAYS AS')",
				schema, name)
		      : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	*computed = sotto_engine_rows(r) > 0;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

/* Records that cannot be read are left out; a view can fail for one of them as a whole. */
static enum sotto_status copy_readable(struct sotto_sealer *s, struct sotto_database *d,
				       const char *relation, bool computed)
{
	enum sotto_status st = sotto_malformed_database_copy(s, d, relation);

	if (!computed || st != SOTTO_EIO)
		return st;
	return sotto_fail(s->err, SOTTO_EIO,
			  "%.160s:%zu: the view or a generated column of table %.60s fails for "
			  "one of its records; "
			  "write it so that no record makes it fail, with TRY_CAST or nullif",
			  s->policy->path, s->table->line, s->table->name);
}

/*
 * A view may compute, or read other files: what it shows now is copied.  So is a table with generated
 * columns: no policy bounds what their expressions do with a record.
 */
static enum sotto_status seal_database(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *relation = sotto_database_relation(s->arena, "sealed_source", s->table);
	bool readable, computed = false;

	if (!relation)
		return SOTTO_ENOMEM;
	SOTTO_TRY(take_identities(s));
	SOTTO_TRY(sotto_sealer_attach(s, d));
	SOTTO_TRY(sotto_typed_describe(s, d, relation));
	SOTTO_TRY(sotto_database_collations(s, d, relation));
	SOTTO_TRY(sotto_sealed_check_spelling(s->policy, s->table, &s->entry, s->err));
	SOTTO_TRY(is_computed(s, d, &computed));
	SOTTO_TRY(sotto_typed_check(s, d, relation, &readable));
	if (!readable) {
		SOTTO_TRY(copy_readable(s, d, relation, computed));
		return check_identities(s);
	}
	if (computed)
		SOTTO_TRY(sotto_typed_copy(s, d, relation));
	return check_identities(s);
}

static enum sotto_status
with_database(struct sotto_sealer *s,
	      enum sotto_status (*step)(struct sotto_sealer *, struct sotto_database *))
{
	struct sotto_database d;
	enum sotto_status st;

	SOTTO_TRY(sotto_database_open(&d, s->err));
	st = step(s, &d);
	sotto_database_close(&d);
	return st;
}

enum sotto_status sotto_seal_parquet(struct sotto_sealer *s)
{
	return with_database(s, seal_parquet);
}

enum sotto_status sotto_seal_database(struct sotto_sealer *s)
{
	return with_database(s, seal_database);
}

/* Nothing in it is private, so the engine may find names and types in the values. */
static enum sotto_status seal_json(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *list = sotto_sealer_list(s, s->files.paths, s->files.count);
	const char *relation;

	relation = list ? sotto_arena_textf(s->arena, "read_json(%s)", list) : NULL;
	if (!relation)
		return SOTTO_ENOMEM;
	SOTTO_TRY(take_identities(s));
	SOTTO_TRY(sotto_typed_describe(s, d, relation));
	SOTTO_TRY(sotto_typed_copy(s, d, relation));
	return check_identities(s);
}

enum sotto_status sotto_seal_public_json(struct sotto_sealer *s)
{
	return with_database(s, seal_json);
}
