/*
 * Copies the files with their texts declared as bytes, and times in milliseconds as numbers, so that
 * the engine can test each one, and keeps the rows in which all texts and times are valid.  In a
 * database file all texts are texts.
 */
#include "central/seal/typed/malformed_parquet.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

static bool is_nested(const char *type)
{
	return strchr(type, '[') || strncmp(type, "STRUCT", 6) == 0 ||
	       strncmp(type, "MAP", 3) == 0 || strncmp(type, "UNION", 5) == 0;
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

/*
 * The values as they were, and the condition that all texts of the row are texts, and all times
 * are times.  In loose files texts are bytes.
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
		const char *name = sotto_sql_quote_name(s->arena, columns[i].name);
		const char *value = sotto_sealed_column_sql(s->arena, &s->entry, &columns[i]);
		const char *item;

		if (!name || !value)
			return SOTTO_ENOMEM;
		if (is_nested(columns[i].type))
			continue;
		item = sotto_arena_textf(s->arena, "%s AS %s", value, name);
		if (loose && was_text(columns[i].type)) {
			item = sotto_arena_textf(s->arena, "TRY(decode(%s)) AS %s", value,
						 name);
			value = text_condition(s->arena, &columns[i], value);
			*condition =
				value ? sotto_arena_textf(s->arena, "%s%s", *condition, value)
				      : NULL;
		}
		*list = sotto_arena_textf(s->arena, "%s%s%s", *list, *list[0] ? ", " : "",
					  item ? item : "");
		if (!item || !*list || !*condition)
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

static enum sotto_status
copy_loose(struct sotto_sealer *s, struct sotto_database *d, const char **paths)
{
	const char *files, *relation;

	SOTTO_TRY(loosen_files(s, paths));
	files = sotto_sealer_list(s, paths, s->files.count);
	relation =
		files ? sotto_arena_textf(s->arena,
					  "read_parquet(%s, hive_partitioning = false)", files)
		      : NULL;
	if (!relation)
		return SOTTO_ENOMEM;
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
sotto_parquet_copy(struct sotto_sealer *s, struct sotto_database *d, const char *relation)
{
	const char *list, *condition, *sql;

	SOTTO_TRY(write_selection(s, false, &list, &condition));
	sql = sotto_arena_textf(s->arena, "SELECT %s FROM %s", list, relation);
	return sql ? sotto_sealer_write_copy(s, d, sql) : SOTTO_ENOMEM;
}
