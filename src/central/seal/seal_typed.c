#include "central/seal/seal_typed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "central/parse/sql_print.h"
#include "central/policy/schema_field.h"
#include "central/seal/parquet_texts.h"
#include "central/seal/sealed.h"
#include "central/seal/sealer.h"
#include "core/base/failure.h"

static bool has_column(const struct sotto_sealed *e, const char *name)
{
	for (size_t i = 0; i < e->column_count; i++)
		if (strcasecmp(e->columns[i].name, name) == 0)
			return true;
	return false;
}

/* Fields of structures as columns of their own, after all others; a column's name goes first. */
static enum sotto_status add_fields(struct sotto_sealer *s)
{
	for (size_t i = 0, whole = s->entry.column_count; i < whole; i++) {
		const char *column = s->entry.columns[i].name;
		struct sotto_schema_field *fields;
		size_t count;

		SOTTO_TRY(sotto_schema_fields(s->arena, column, s->entry.columns[i].type,
					      &fields, &count));
		for (size_t k = 0; k < count; k++) {
			if (has_column(&s->entry, fields[k].name))
				continue;
			SOTTO_TRY(sotto_sealer_add_column(s, fields[k].name, fields[k].type));
			s->entry.columns[s->entry.column_count - 1].of = column;
		}
	}
	return SOTTO_OK;
}

/* Names and types of a relation into the entry. */
static enum sotto_status
describe(struct sotto_sealer *s, struct sotto_database *d, const char *relation)
{
	struct sotto_engine_result *r = NULL;
	const char *sql = sotto_arena_textf(
		s->arena, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM %s)",
		relation);
	enum sotto_status st = SOTTO_OK;

	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(r); i++)
		st = sotto_sealer_add_column(s, sotto_engine_cell(r, i, 0).text,
					     sotto_engine_cell(r, i, 1).text);
	sotto_engine_result_free(r);
	return st == SOTTO_OK ? add_fields(s) : st;
}

/* Reads every value of every column; false if one cannot be read. */
static enum sotto_status check_values(struct sotto_sealer *s, struct sotto_database *d,
				      const char *relation, bool *readable)
{
	struct sotto_engine_result *r = NULL;
	const char *sql = sotto_arena_textf(
		s->arena, "SELECT bit_xor(hash(COLUMNS(*))) FROM %s", relation);
	const char *count =
		sotto_arena_textf(s->arena, "SELECT COUNT(*)::BIGINT FROM %s", relation);

	if (!sql || !count)
		return SOTTO_ENOMEM;
	*readable = sotto_database_execute(d, sql) == SOTTO_OK;
	if (!*readable)
		return SOTTO_OK;
	if (sotto_database_run(d, count, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	s->entry.records = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

/* ---- times that are none --------------------------------------------------------------------- */

/*
 * A file can hold any number as a time.  The engine reads it, and fails where it is written.
 * What a time is, by its type; NULL without memory, "" for another type.
 */
static const char *
time_condition(struct sotto_arena *a, const struct sotto_sealed_column *c, const char *value)
{
	static const char *const firsts[][2] = {
		{"DATE", "DATE '5877642-06-25 (BC)'"},
		{"TIMESTAMP", "TIMESTAMP '290309-12-22 (BC) 00:00:00'"},
		{"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ '290309-12-22 (BC) 00:00:00+00'"}};

	if (strcmp(c->type, "TIME") == 0)
		return sotto_arena_textf(a,
					 " AND (%1$s IS NULL OR %1$s BETWEEN TIME '00:00:00' "
					 "AND TIME '24:00:00')",
					 value);
	for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++)
		if (strcmp(c->type, firsts[i][0]) == 0)
			return sotto_arena_textf(a,
						 " AND (%1$s IS NULL OR NOT isfinite(%1$s) OR "
						 "%1$s >= %2$s)",
						 value, firsts[i][1]);
	return "";
}

/* Of all columns; NULL without memory. */
static const char *times_condition(struct sotto_sealer *s)
{
	const char *all = "";

	for (size_t i = 0; all && i < s->entry.column_count; i++) {
		const struct sotto_sealed_column *c = &s->entry.columns[i];
		const char *value = sotto_sealed_column_sql(s->arena, &s->entry, c);
		const char *one = value ? time_condition(s->arena, c, value) : NULL;

		all = one ? sotto_arena_textf(s->arena, "%s%s", all, one) : NULL;
	}
	return all;
}

static enum sotto_status check_times(struct sotto_sealer *s, struct sotto_database *d,
				     const char *relation, bool *readable)
{
	const char *times = times_condition(s), *sql;
	struct sotto_engine_result *r = NULL;

	if (!times)
		return SOTTO_ENOMEM;
	if (!*times)
		return SOTTO_OK;
	sql = sotto_arena_textf(s->arena, "SELECT 1::BIGINT FROM %s WHERE NOT (true%s) LIMIT 1",
				relation, times);
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	*readable = sotto_engine_rows(r) == 0;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

/* ---- files that must stay as they are --------------------------------------------------------- */

static enum sotto_status take_identities(struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->files.count; i++)
		if (sotto_identity_take(&s->entry.files[i].id, s->files.paths[i],
					s->entry.kind) != SOTTO_OK)
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

/* ---- Parquet with texts that are no texts, or times that are none ------------------------------------------------------ */

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

/*
 * The values as they were, and the condition that all texts of the row are texts, and all times
 * are times.
 * Of structures the fields are copied, as columns; lists and maps stay behind, because no
 * query can use them.
 */
static enum sotto_status
write_selection(struct sotto_sealer *s, const char **list, const char **condition)
{
	struct sotto_sealed_column *columns = s->entry.columns;
	struct sotto_sealed_column *kept_columns =
		sotto_arena_alloc(s->arena, (s->entry.column_count + 1) * sizeof *kept_columns);
	size_t kept = 0;

	if (!kept_columns)
		return SOTTO_ENOMEM;
	*list = "";
	*condition = times_condition(s);
	*condition = *condition ? sotto_arena_textf(s->arena, "true%s", *condition) : NULL;
	if (!*condition)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < s->entry.column_count; i++) {
		const char *name = sotto_sql_print_name(s->arena, columns[i].name);
		const char *value = sotto_sealed_column_sql(s->arena, &s->entry, &columns[i]);
		const char *item;

		if (!name || !value)
			return SOTTO_ENOMEM;
		if (is_nested(columns[i].type))
			continue;
		item = sotto_arena_textf(s->arena, "%s AS %s", value, name);
		if (was_text(columns[i].type)) {
			item = sotto_arena_textf(s->arena, "TRY(decode(%s)) AS %s", value,
						 name);
			*condition = sotto_arena_textf(
				s->arena, "%s AND (%s IS NULL OR TRY(decode(%s)) IS NOT NULL)",
				*condition, value, value);
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
		.reason = "texts with bytes that are no UTF-8, or times that "
			  "are none"};

	s->report->malformed = s->entry.dropped;
	return s->entry.dropped ? sotto_sealer_add_flaw(s, &flaw) : SOTTO_OK;
}

static enum sotto_status
copy_loose(struct sotto_sealer *s, struct sotto_database *d, const char **paths)
{
	const char *list, *condition, *files, *relation, *sql;

	SOTTO_TRY(loosen_files(s, paths));
	SOTTO_TRY(write_selection(s, &list, &condition));
	files = sotto_sealer_list(s, paths, s->files.count);
	relation =
		files ? sotto_arena_textf(s->arena,
					  "read_parquet(%s, hive_partitioning = false)", files)
		      : NULL;
	if (!relation)
		return SOTTO_ENOMEM;
	SOTTO_TRY(count_rows(s, d, relation, condition));
	SOTTO_TRY(tell_dropped(s));
	if (s->entry.dropped == 0)
		return sotto_sealer_unreadable(s);
	if (sotto_sealer_refuses(s))
		return SOTTO_OK;
	sql = sotto_arena_textf(s->arena, "SELECT %s FROM %s WHERE %s", list, relation,
				condition);
	return sql ? sotto_sealer_write_copy(s, d, sql) : SOTTO_ENOMEM;
}

static enum sotto_status drop_malformed(struct sotto_sealer *s, struct sotto_database *d)
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

/* ---- the kinds ------------------------------------------------------------------------------------ */

static enum sotto_status seal_parquet(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *relation = sotto_parquet_relation(s->arena, s->files.paths, s->files.names,
						      s->files.count, NULL);
	bool readable;

	if (!relation)
		return SOTTO_ENOMEM;
	SOTTO_TRY(take_identities(s));
	SOTTO_TRY(describe(s, d, relation));
	SOTTO_TRY(check_values(s, d, relation, &readable));
	if (readable)
		SOTTO_TRY(check_times(s, d, relation, &readable));
	if (!readable)
		SOTTO_TRY(drop_malformed(s, d));
	return check_identities(s);
}

static enum sotto_status is_view(struct sotto_sealer *s, struct sotto_database *d, bool *view)
{
	const struct sotto_policy_table *t = s->table;
	const char *name = sotto_sql_print_text(s->arena, t->table ? t->table : t->name);
	const char *schema = sotto_sql_print_text(s->arena, t->schema ? t->schema : "main"),
		   *sql;
	struct sotto_engine_result *r = NULL;

	sql = name && schema
		      ? sotto_arena_textf(
				s->arena,
				"SELECT table_type FROM information_schema.tables WHERE "
				"table_catalog = 'sealed_source' AND lower(table_schema) = "
				"lower(%s) AND lower(table_name) = lower(%s)",
				schema, name)
		      : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	*view = sotto_engine_rows(r) > 0 &&
		strcmp(sotto_engine_cell(r, 0, 0).text, "VIEW") == 0;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

/* A view may compute, or read other files: what it shows now is copied. */
static enum sotto_status seal_database(struct sotto_sealer *s, struct sotto_database *d)
{
	const char *file = sotto_sql_print_text(s->arena, s->table->source), *sql;
	const char *relation = sotto_database_relation(s->arena, "sealed_source", s->table);
	bool readable, view = false;

	sql = file ? sotto_arena_textf(s->arena, "ATTACH %s AS sealed_source (READ_ONLY)", file)
		   : NULL;
	if (!sql || !relation)
		return SOTTO_ENOMEM;
	SOTTO_TRY(take_identities(s));
	if (sotto_database_execute(d, sql) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	SOTTO_TRY(describe(s, d, relation));
	SOTTO_TRY(is_view(s, d, &view));
	SOTTO_TRY(check_values(s, d, relation, &readable));
	if (readable)
		SOTTO_TRY(check_times(s, d, relation, &readable));
	if (!readable)
		return sotto_fail(s->err, SOTTO_EIO,
				  "%.160s:%zu: table %.60s has a value that cannot be read",
				  s->policy->path, s->table->line, s->table->name);
	sql = sotto_arena_textf(s->arena, "SELECT * FROM %s", relation);
	if (!sql)
		return SOTTO_ENOMEM;
	if (view)
		SOTTO_TRY(sotto_sealer_write_copy(s, d, sql));
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
	const char *list = sotto_sealer_list(s, s->files.paths, s->files.count), *sql;
	const char *relation;

	relation = list ? sotto_arena_textf(s->arena, "read_json(%s)", list) : NULL;
	sql = relation ? sotto_arena_textf(s->arena, "SELECT * FROM %s", relation) : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	SOTTO_TRY(take_identities(s));
	SOTTO_TRY(describe(s, d, relation));
	SOTTO_TRY(sotto_sealer_write_copy(s, d, sql));
	return check_identities(s);
}

enum sotto_status sotto_seal_public_json(struct sotto_sealer *s)
{
	return with_database(s, seal_json);
}
