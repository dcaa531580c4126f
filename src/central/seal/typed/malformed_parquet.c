/*
 * Copies the files with their texts declared as bytes, and times in milliseconds as numbers, so that
 * the engine can test each one, and keeps the rows in which all texts and times are valid.  In a
 * database file all texts are texts.
 */
#include "central/seal/typed/malformed_parquet.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "central/policy/schema.h"
#include "central/seal/manifest/sealed.h"
#include "central/seal/typed/parquet_texts.h"
#include "central/seal/typed/typed_check.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* Copies of the files whose texts are declared to be bytes; *list names them. */
static enum sotto_status loosen_files(struct sotto_sealer *s, const char **paths)
{
	for (size_t i = 0; i < s->files.count; i++) {
		paths[i] = sotto_arena_textf(s->arena, "%s/loose-%zu.parquet.new",
					     s->policy->sealed, i);
		if (!paths[i])
			return SOTTO_ENOMEM;
		if (sotto_parquet_loosen(s->files.paths[i], paths[i]) != SOTTO_OK)
			return sotto_sealer_unreadable(s);
	}
	return SOTTO_OK;
}

static bool was_text(const char *type)
{
	return strcmp(type, "VARCHAR") == 0 || strcmp(type, "JSON") == 0;
}

/* In a loose file: that the bytes are a text, or JSON, which the engine tests as it reads them. */
static const char *
text_condition(struct sotto_arena *a, const struct sotto_sealed_column *c, const char *value)
{
	return sotto_arena_textf(a,
				 strcmp(c->type, "JSON") == 0
					 ? " AND (%1$s IS NULL OR "
					   "coalesce(json_valid(TRY(decode(%1$s))), false))"
					 : " AND (%1$s IS NULL OR TRY(decode(%1$s)) IS NOT "
					   "NULL)",
				 value);
}

/* A column in the copy, which has the values as they were; NULL without memory. */
static const char *copied(struct sotto_arena *a, const struct sotto_sealed_column *c,
			  const char *value, bool loose)
{
	const char *name = sotto_sql_quote_name(a, c->name);

	if (!name)
		return NULL;
	if (loose && was_text(c->type))
		return sotto_arena_textf(a, "TRY(decode(%s)) AS %s", value, name);
	return sotto_arena_textf(a,
				 sotto_schema_is_copied_as_text(c->type)
					 ? "CAST(%s AS VARCHAR) AS %s"
					 : "%s AS %s",
				 value, name);
}

/*
 * The values as they were, and the condition that all texts of the row are texts, and all times
 * are times.  In loose files texts are bytes.  What no question can read stays behind: some of it has
 * no place in a Parquet file, as an interval below 0, so that one record would end the copy of all.
 */
static enum sotto_status
write_selection(struct sotto_sealer *s, bool loose, const char **list, const char **condition)
{
	struct sotto_sealed_column *columns = s->entry.columns;
	struct sotto_sealed_column *kept_columns =
		sotto_arena_alloc(s->arena, (s->entry.column_count + 1) * sizeof *kept_columns);
	size_t kept = 0;

	if (!kept_columns)
		return SOTTO_ENOMEM;
	*list = "";
	*condition = sotto_typed_valid(s, loose);
	*condition = *condition ? sotto_arena_textf(s->arena, "%s%s",
						    loose ? "NOT \"sotto lost\"" : "true",
						    *condition)
				: NULL;
	if (!*condition)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < s->entry.column_count; i++) {
		const char *value = sotto_sealed_column_sql(s->arena, &s->entry, &columns[i]);
		const char *item, *text;

		if (!value)
			return SOTTO_ENOMEM;
		if (loose && was_text(columns[i].type)) {
			text = text_condition(s->arena, &columns[i], value);
			*condition =
				text ? sotto_arena_textf(s->arena, "%s%s", *condition, text)
				     : NULL;
			if (!*condition)
				return SOTTO_ENOMEM;
		}
		if (!sotto_typed_is_used(s->table, &columns[i]))
			continue;
		item = copied(s->arena, &columns[i], value, loose);
		*list = sotto_arena_textf(s->arena, "%s%s%s", *list, *list[0] ? ", " : "",
					  item ? item : "");
		if (!item || !*list)
			return SOTTO_ENOMEM;
		kept_columns[kept] = columns[i];
		kept_columns[kept++].of = NULL;
	}
	s->entry.columns = kept_columns;
	s->entry.column_count = kept;
	return SOTTO_OK;
}

static enum sotto_status count_rows(struct sotto_sealer *s, struct sotto_database *d,
				    const char *relation, const char *condition)
{
	const char *sql = sotto_arena_textf(
		s->arena, "SELECT COUNT(*)::BIGINT, COUNT(*) FILTER (WHERE %s)::BIGINT FROM %s",
		condition, relation);
	struct sotto_engine_result *r = NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	s->entry.records = (uint64_t)sotto_engine_cell(r, 0, 1).integer;
	s->entry.dropped = (uint64_t)sotto_engine_cell(r, 0, 0).integer - s->entry.records;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status tell_dropped(struct sotto_sealer *s)
{
	struct sotto_seal_flaw flaw = {
		.file = s->table->written,
		.reason =
			"texts that are not UTF-8 or longer than 1 MiB, or values that are not "
			"valid times, decimals or JSON"};

	s->report->malformed = s->entry.dropped;
	return s->entry.dropped ? sotto_sealer_add_flaw(s, &flaw) : SOTTO_OK;
}

/*
 * Nothing is dropped where all that cannot be read is in a list or a map: these stay behind.  If
 * something else cannot be read, counting or copying fails.
 */
static enum sotto_status
copy_valid(struct sotto_sealer *s, struct sotto_database *d, const char *relation, bool loose)
{
	const char *list, *condition, *sql;

	SOTTO_TRY(write_selection(s, loose, &list, &condition));
	SOTTO_TRY(count_rows(s, d, relation, condition));
	SOTTO_TRY(tell_dropped(s));
	if (sotto_sealer_refuses(s))
		return SOTTO_OK;
	sql = sotto_arena_textf(s->arena, "SELECT %s FROM %s WHERE %s", list, relation,
				condition);
	return sql ? sotto_sealer_write_copy(s, d, sql) : SOTTO_ENOMEM;
}

/*
 * Numbers of milliseconds as the times that they were, which have to fit into microseconds; "sotto
 * lost" says that one does not.
 */
static enum sotto_status
read_times(struct sotto_sealer *s, struct sotto_engine_result *r, const char **relation)
{
	static const char kept[] = "%s BETWEEN -9223372022400000 AND 9223372036854774";
	const char *lost = "false", *times = "";

	for (size_t i = 0; i < sotto_engine_rows(r); i++) {
		const char *column = sotto_engine_cell(r, i, 0).text, *type = "", *name, *fits;

		for (size_t k = 0; k < s->entry.column_count; k++)
			if (strcmp(s->entry.columns[k].name, column) == 0)
				type = s->entry.columns[k].type;
		if (strncmp(type, "TIMESTAMP", 9) != 0)
			continue;
		name = sotto_sql_quote_name(s->arena, column);
		fits = name ? sotto_arena_textf(s->arena, kept, name) : NULL;
		if (!fits)
			return SOTTO_ENOMEM;
		lost = sotto_arena_textf(s->arena, "%s OR NOT (%s)", lost, fits);
		times = sotto_arena_textf(
			s->arena, "%s%smake_timestamp%s(CASE WHEN %s THEN %s * 1000 END) AS %s",
			times, *times ? ", " : "", strcmp(type, "TIMESTAMP") == 0 ? "" : "tz",
			fits, name, name);
		if (!lost || !times)
			return SOTTO_ENOMEM;
	}
	*relation = sotto_arena_textf(s->arena,
				      "(SELECT *%s%s%s, coalesce(%s, false) AS \"sotto lost\" "
				      "FROM %s)",
				      *times ? " REPLACE (" : "", times, *times ? ")" : "",
				      lost, *relation);
	return *relation ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
find_times(struct sotto_sealer *s, struct sotto_database *d, const char **relation)
{
	const char *sql = sotto_arena_textf(s->arena,
					    "SELECT column_name FROM (DESCRIBE SELECT * FROM "
					    "%s) WHERE column_type = 'BIGINT'",
					    *relation);
	struct sotto_engine_result *r = NULL;
	enum sotto_status st;

	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	st = read_times(s, r, relation);
	sotto_engine_result_free(r);
	return st;
}

/* What the folders of each file say: a row for each loose file, found by its path. */
static enum sotto_status note_folders(struct sotto_sealer *s, struct sotto_database *d,
				      const char *const *paths, const char *columns)
{
	for (size_t i = 0; i < s->files.count; i++) {
		const char *loose = sotto_sql_quote_text(s->arena, paths[i]);
		const char *relation = sotto_parquet_relation(s->arena, &s->files.paths[i],
							      &s->files.names[i], 1, NULL);
		const char *sql =
			loose && relation
				? sotto_arena_textf(
					  s->arena,
					  "%s SELECT %s AS \"sotto file\"%s FROM %s LIMIT 1",
					  i ? "INSERT INTO folders"
					    : "CREATE OR REPLACE TEMP TABLE folders AS",
					  loose, columns, relation)
				: NULL;

		if (!sql)
			return SOTTO_ENOMEM;
		if (sotto_database_execute(d, sql) != SOTTO_OK)
			return sotto_sealer_unreadable(s);
	}
	return SOTTO_OK;
}

/*
 * The columns that folders are, as bytes like all other texts, and their names as texts to compare
 * with; both begin with a comma, or are empty if no folder is a column.
 */
static enum sotto_status
list_folders(struct sotto_sealer *s, const char **columns, const char **names)
{
	*columns = *names = "";
	for (size_t i = 0; i < s->entry.column_count; i++) {
		const char *column = s->entry.columns[i].name;
		const char *name = sotto_sql_quote_name(s->arena, column);
		const char *text = sotto_sql_quote_text(s->arena, column);

		if (!name || !text)
			return SOTTO_ENOMEM;
		if (!sotto_folder_is_column(s->files.names[0], column))
			continue;
		*columns = sotto_arena_textf(s->arena, "%s, encode(%s) AS %s", *columns, name,
					     name);
		*names = sotto_arena_textf(s->arena, "%s, lower(%s)", *names, text);
		if (!*columns || !*names)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

/* The loose files as one table, with what their folders say, which stand around the originals. */
static enum sotto_status find_loose(struct sotto_sealer *s, struct sotto_database *d,
				    const char *const *paths, const char **relation)
{
	const char *files = sotto_sealer_list(s, paths, s->files.count), *columns, *names;

	if (!files)
		return SOTTO_ENOMEM;
	SOTTO_TRY(list_folders(s, &columns, &names));
	if (*columns)
		SOTTO_TRY(note_folders(s, d, paths, columns));
	*relation =
		*columns
			? sotto_arena_textf(
				  s->arena,
				  "(SELECT loose.*, folders.* EXCLUDE (\"sotto file\") FROM "
				  "(SELECT COLUMNS(c -> lower(c) NOT IN ('sotto none'%s)) FROM "
				  "read_parquet(%s, hive_partitioning = false, filename = "
				  "'sotto file')) AS loose JOIN folders USING (\"sotto "
				  "file\"))",
				  names, files)
			: sotto_arena_textf(s->arena,
					    "read_parquet(%s, hive_partitioning = false)",
					    files);
	return *relation ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
copy_loose(struct sotto_sealer *s, struct sotto_database *d, const char **paths)
{
	const char *relation;

	SOTTO_TRY(loosen_files(s, paths));
	SOTTO_TRY(find_loose(s, d, paths, &relation));
	SOTTO_TRY(find_times(s, d, &relation));
	return copy_valid(s, d, relation, true);
}

enum sotto_status sotto_malformed_database_copy(struct sotto_sealer *s,
						struct sotto_database *d, const char *relation)
{
	return copy_valid(s, d, relation, false);
}

enum sotto_status sotto_malformed_parquet_copy(struct sotto_sealer *s, struct sotto_database *d)
{
	const char **paths = sotto_arena_alloc(s->arena, s->files.count * sizeof *paths);
	enum sotto_status st;

	if (!paths)
		return SOTTO_ENOMEM;
	st = copy_loose(s, d, paths);
	for (size_t i = 0; i < s->files.count; i++)
		if (paths[i])
			(void)unlink(paths[i]);
	return st;
}

enum sotto_status
sotto_typed_copy(struct sotto_sealer *s, struct sotto_database *d, const char *relation)
{
	const char *list, *condition, *sql;

	SOTTO_TRY(write_selection(s, false, &list, &condition));
	sql = sotto_arena_textf(s->arena, "SELECT %s FROM %s", list, relation);
	return sql ? sotto_sealer_write_copy(s, d, sql) : SOTTO_ENOMEM;
}
