/*
 * Asks the engine for the hash of each row's unit and compares it with the number in the name
 * of the file's folder.
 */
#include "central/seal/layout/layout_verify.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "central/spread/bucket.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum { SQL_MAX = 1 << 20 };

enum sotto_status
sotto_layout_files(struct sotto_files *files, struct sotto_arena *a, const char *folder)
{
	const struct sotto_policy_table t = {.source = sotto_arena_textf(a, "%s/", folder),
					     .written = ""};

	return t.source ? sotto_files_find(files, a, &t) : SOTTO_ENOMEM;
}

enum sotto_status sotto_layout_check_files(const struct sotto_layout *l,
					   const struct sotto_files *files, const char *folder)
{
	size_t inside = strlen(folder) + 1;

	if (files->count != l->count)
		return SOTTO_ESTATE;
	for (size_t i = 0; i < l->count; i++) {
		struct sotto_identity id;

		if (strlen(files->paths[i]) <= inside ||
		    strcmp(files->paths[i] + inside, l->files[i].name) != 0)
			return SOTTO_ESTATE;
		SOTTO_TRY(sotto_identity_take(&id, files->paths[i], SOTTO_FILE_PARQUET));
		if (id.size != l->files[i].size || strcmp(id.digest, l->files[i].digest) != 0)
			return SOTTO_ESTATE;
	}
	return SOTTO_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static enum sotto_status check_hash(struct sotto_database *d)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, SQL_MAX);
	st = sotto_bucket_compose_check(&b);
	if (st == SOTTO_OK)
		st = sotto_database_run(d, sotto_buffer_text(&b), &r);
	if (st == SOTTO_OK && (sotto_engine_rows(r) != 1 ||
			       sotto_engine_cell(r, 0, 0).kind != SOTTO_ENGINE_BOOL ||
			       sotto_engine_cell(r, 0, 0).integer != 1))
		st = SOTTO_ESTATE;
	sotto_engine_result_free(r);
	sotto_buffer_release(&b);
	return st;
}

/* The column's own name and the engine's type for it. */
static enum sotto_status find_unit(struct sotto_database *d, struct sotto_arena *a,
				   const char *relation, const char *unit, const char **name,
				   const char **type)
{
	const char *sql = sotto_arena_textf(
		a, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM %s)",
		relation);
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = SOTTO_EMISSING;

	if (!sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_database_run(d, sql, &r));
	for (size_t i = 0; st == SOTTO_EMISSING && i < sotto_engine_rows(r); i++)
		if (strcasecmp(sotto_engine_cell(r, i, 0).text, unit) == 0) {
			*name = sotto_arena_text(a, sotto_engine_cell(r, i, 0).text);
			*type = sotto_arena_text(a, sotto_engine_cell(r, i, 1).text);
			st = *name && *type ? SOTTO_OK : SOTTO_ENOMEM;
		}
	sotto_engine_result_free(r);
	return st;
}

enum sotto_status sotto_layout_bucket_sql(struct sotto_database *d, struct sotto_arena *a,
					  const char *relation, const char *unit,
					  uint32_t buckets, const char **sql)
{
	const char *name, *type, *quoted;
	struct sotto_buffer b;
	enum sotto_status st;

	SOTTO_TRY(check_hash(d));
	SOTTO_TRY(find_unit(d, a, relation, unit, &name, &type));
	quoted = sotto_sql_quote_name(a, name);
	if (!quoted)
		return SOTTO_ENOMEM;
	sotto_buffer_init(&b, SQL_MAX);
	st = sotto_bucket_compose(&b, sotto_bucket_kind_of(type), quoted, buckets);
	if (st == SOTTO_OK && !(*sql = sotto_arena_text(a, sotto_buffer_text(&b))))
		st = SOTTO_ENOMEM;
	sotto_buffer_release(&b);
	return st;
}

/* A file that lies in no folder bucket=I has all its rows misplaced. */
enum sotto_status sotto_layout_count_rows(struct sotto_database *d, struct sotto_arena *a,
					  const char *const *paths, size_t count,
					  const char *unit, uint32_t buckets,
					  struct sotto_layout_count *out)
{
	static const char folder[] = "TRY_CAST(regexp_extract(\"sotto file name\", "
				     "'/bucket=(0|[1-9][0-9]*)/[^/]*$', 1) AS INTEGER)";
	const char *relation = sotto_parquet_relation(a, paths, NULL, count, "sotto file name");
	const char *plain = sotto_parquet_relation(a, paths, NULL, count, NULL), *bucket, *sql;
	struct sotto_engine_result *r = NULL;

	if (!relation || !plain)
		return SOTTO_ENOMEM;
	if (!unit)
		bucket = folder;
	else if (strcmp(unit, SOTTO_LAYOUT_BY_ROW) == 0)
		bucket = sotto_arena_textf(a, "CASE WHEN %s < %" PRIu32 " THEN %s ELSE -1 END",
					   folder, buckets, folder);
	else
		SOTTO_TRY(sotto_layout_bucket_sql(d, a, plain, unit, buckets, &bucket));
	if (!bucket)
		return SOTTO_ENOMEM;
	sql = sotto_arena_textf(
		a,
		"SELECT count(*)::BIGINT, count(*) FILTER (WHERE b IS DISTINCT FROM f)::BIGINT "
		"FROM (SELECT %s AS b, %s AS f FROM %s)",
		bucket, folder, relation);
	if (!sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_database_run(d, sql, &r));
	out->rows = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	out->misplaced = (uint64_t)sotto_engine_cell(r, 0, 1).integer;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}
