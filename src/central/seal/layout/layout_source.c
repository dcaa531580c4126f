/*
 * Finds the files and their identities, counts rows from the footers, and checks at the end
 * that no file has changed meanwhile.
 */
#include "central/seal/layout/layout_source.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum sotto_status
sotto_layout_source_unreadable(const struct sotto_layout_source *s, struct sotto_error *err)
{
	return sotto_fail(
		err, SOTTO_EIO,
		"%.200s could not be read: it is not Parquet, its files have different "
		"columns, or a text in it is not UTF-8 (sotto seal says which)",
		s->given);
}

/* ---- finding ------------------------------------------------------------------------ */

/* The table of the policy that is read from there: it may say how. */
static const struct sotto_policy_table *
find_table(const struct sotto_policy *p, const char *source)
{
	for (size_t i = 0; p && i < p->table_count; i++)
		if (!p->tables[i].on_server && (strcmp(p->tables[i].source, source) == 0 ||
						strcmp(p->tables[i].written, source) == 0))
			return &p->tables[i];
	return NULL;
}

static enum sotto_status
check_kind(const struct sotto_layout_source *s, struct sotto_error *err)
{
	enum sotto_source_kind kind = sotto_source_kind(s->given);

	if (kind == SOTTO_SOURCE_PARQUET || kind == SOTTO_SOURCE_CSV)
		return SOTTO_OK;
	if (kind == SOTTO_SOURCE_JSON || kind == SOTTO_SOURCE_JSON_LINES)
		return s->table->column_count > 0 || s->table->name_count > 0
			       ? SOTTO_OK
			       : sotto_fail(err, SOTTO_EPARSE,
					    "nothing says which fields of %.200s are columns: "
					    "give --policy FILE, with a table that has this "
					    "source and names its columns",
					    s->given);
	return sotto_fail(
		err, SOTTO_EPARSE,
		"%.200s must be .parquet, .csv, .tsv, .json, .jsonl or .ndjson (texts "
		"also with .gz), a pattern of them, or a folder of Parquet files with "
		"a / at its end",
		s->given);
}

static enum sotto_status
take_identities(struct sotto_layout_source *s, struct sotto_arena *a, struct sotto_error *err)
{
	enum sotto_file_kind kind = sotto_source_file_kind(sotto_source_kind(s->table->source));

	s->ids = sotto_arena_alloc(a, (s->files.count + 1) * sizeof *s->ids);
	if (!s->ids)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < s->files.count; i++)
		if (sotto_identity_take(&s->ids[i], s->files.paths[i], kind) != SOTTO_OK)
			return sotto_layout_source_unreadable(s, err);
	return SOTTO_OK;
}

enum sotto_status sotto_layout_source_find(struct sotto_layout_source *s, struct sotto_arena *a,
					   const char *source,
					   const struct sotto_policy *policy,
					   struct sotto_error *err)
{
	*s = (struct sotto_layout_source){.given = source,
					  .plain = {.source = source, .written = ""}};
	s->table = find_table(policy, source);
	if (!s->table)
		s->table = &s->plain;
	SOTTO_TRY(check_kind(s, err));
	s->is_text = sotto_source_is_text(sotto_source_kind(source));
	SOTTO_TRY(sotto_files_find(&s->files, a, s->table));
	if (s->files.count == 0)
		return sotto_fail(err, SOTTO_EMISSING, "there is no %s at %.200s",
				  s->is_text ? "file" : "Parquet file", source);
	return take_identities(s, a, err);
}

/* ---- reading ------------------------------------------------------------------------ */

static const char *full_path(struct sotto_arena *a, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/')
		return sotto_arena_text(a, path);
	return getcwd(here, sizeof here) ? sotto_arena_textf(a, "%s/%s", here, path) : NULL;
}

/* What is read: the files themselves, or the copy of a text. */
static enum sotto_status
set_paths(struct sotto_layout_source *s, struct sotto_arena *a, const char *copy)
{
	s->count = copy ? 1 : s->files.count;
	s->paths = sotto_arena_alloc(a, (s->count + 1) * sizeof *s->paths);
	s->rows = sotto_arena_alloc(a, (s->count + 1) * sizeof *s->rows);
	s->read_ids = s->ids;
	if (copy)
		s->read_ids = sotto_arena_alloc(a, sizeof *s->read_ids);
	if (!s->paths || !s->rows || !s->read_ids)
		return SOTTO_ENOMEM;
	if (copy)
		SOTTO_TRY(sotto_identity_take(s->read_ids, copy, SOTTO_FILE_PARQUET));
	for (size_t i = 0; i < s->count; i++) {
		s->paths[i] = copy ? copy : full_path(a, s->files.paths[i]);
		if (!s->paths[i])
			return SOTTO_ENOMEM;
		s->bytes += s->read_ids[i].size;
	}
	return SOTTO_OK;
}

static enum sotto_status
check_folders(const struct sotto_layout_source *s, struct sotto_error *err)
{
	for (size_t i = 0; !s->is_text && i < s->count; i++)
		if (!sotto_folders_are_clear(s->paths[i], s->files.paths[i]))
			return sotto_fail(
				err, SOTTO_EPARSE,
				"folders of %.200s are columns, and a folder above it has = "
				"in its name as well, which would be one more column: rename "
				"that "
				"folder, or write the whole path",
				s->given);
	return SOTTO_OK;
}

/* From the footers. */
static enum sotto_status
count_rows(struct sotto_layout_source *s, struct sotto_arena *a, struct sotto_database *d)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *path = sotto_sql_quote_text(a, s->paths[i]), *sql;
		struct sotto_engine_result *r = NULL;

		sql = path ? sotto_arena_textf(a,
					       "SELECT count(*)::BIGINT FROM "
					       "read_parquet([%s], hive_partitioning = false)",
					       path)
			   : NULL;
		if (!sql)
			return SOTTO_ENOMEM;
		SOTTO_TRY(sotto_database_run(d, sql, &r));
		s->rows[i] = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
		s->total += s->rows[i];
		sotto_engine_result_free(r);
	}
	return SOTTO_OK;
}

/* The engine counts the rows of a file, unless a column has the name of that number. */
static enum sotto_status
look_at_columns(struct sotto_layout_source *s, struct sotto_arena *a, struct sotto_database *d)
{
	const char *sql = sotto_arena_textf(
		a, "SELECT column_name FROM (DESCRIBE SELECT * FROM %s)", s->relation);
	struct sotto_engine_result *r = NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_database_run(d, sql, &r));
	s->has_row_numbers = true;
	for (size_t i = 0; i < sotto_engine_rows(r); i++)
		if (strcasecmp(sotto_engine_cell(r, i, 0).text, "file_row_number") == 0)
			s->has_row_numbers = false;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

enum sotto_status sotto_layout_source_ready(struct sotto_layout_source *s,
					    struct sotto_arena *a, struct sotto_database *d,
					    const char *copy, struct sotto_error *err)
{
	enum sotto_status st;

	SOTTO_TRY(set_paths(s, a, copy));
	SOTTO_TRY(check_folders(s, err));
	s->relation = sotto_parquet_relation(a, s->paths, copy ? NULL : s->files.paths,
					     s->count, SOTTO_LAYOUT_FILE);
	if (!s->relation)
		return SOTTO_ENOMEM;
	st = count_rows(s, a, d);
	if (st == SOTTO_OK)
		st = look_at_columns(s, a, d);
	return st == SOTTO_EIO ? sotto_layout_source_unreadable(s, err) : st;
}

enum sotto_status
sotto_layout_source_check(const struct sotto_layout_source *s, struct sotto_error *err)
{
	enum sotto_file_kind kind = sotto_source_file_kind(sotto_source_kind(s->table->source));

	for (size_t i = 0; i < s->files.count; i++)
		if (sotto_identity_check(&s->ids[i], s->files.paths[i], kind) != SOTTO_OK)
			return sotto_fail(err, SOTTO_EIO,
					  "%.200s changed while it was read; run sotto layout "
					  "again when it is whole",
					  s->files.paths[i]);
	return SOTTO_OK;
}
