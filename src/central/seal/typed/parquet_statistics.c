/*
 * The engine gives what a footer says as texts (parquet_metadata).  They are kept in a table; then each
 * part of a file is read by the numbers of its rows, which no statistics stand for, and its least and
 * greatest values and how many are NULL are compared with what is said of that part.  Bloom filters
 * cannot be compared at little cost: those of another writer than the engine's own are not trusted.
 */
#include "central/seal/typed/parquet_statistics.h"

#include <string.h>

#include "core/base/sql_quote.h"
#include "central/policy/schema.h"
#include "central/seal/manifest/sealed.h"
#include "central/seal/typed/typed_check.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

/* One file. */
struct looking {
	struct sotto_sealer one; /* with the columns of this file alone */
	struct sotto_database *database;
	const char *relation; /* with the numbers of rows */
	struct sotto_buffer values, conditions;
	size_t count; /* of the columns that are looked at */
};

/* Conditions on numbers with a floating point reach no file, so nothing that is said of them counts. */
static bool is_usable(const struct sotto_sealed_column *c)
{
	struct sotto_schema_column column = {.type = SOTTO_TYPE_LOOSE};

	sotto_schema_column_type(&column, c->type);
	return column.type != SOTTO_TYPE_OTHER && !sotto_schema_is_floating(c->type);
}

/*
 * An end that is not a text is told with \xFF for a byte, which stands elsewhere in the order than the
 * byte: it cannot be compared.  A text in which these letters stand passes for one.
 */
static const char *text_condition(const struct sotto_sealed_column *c)
{
	return strcmp(c->type, "VARCHAR") == 0
		       ? " AND NOT coalesce(contains(low, '\\x') OR contains(high, "
			 "'\\x'), false)"
		       : "";
}

/*
 * Names of a field and of the structures around it have a dot between them here, a comma there.  A part has
 * as many cells as rows, NULL or not: where it is said to have as many cells as NULLs, the engine skips it.
 */
static enum sotto_status add_column(struct looking *l, const struct sotto_sealed_column *c)
{
	struct sotto_arena *a = l->one.arena;
	const char *value = sotto_sealed_column_sql(a, &l->one.entry, c);
	const char *name = sotto_sql_quote_text(a, c->name);

	if (!(value && name))
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_buffer_appendf(&l->values,
				       "%1$smin(%2$s) AS l%3$zu, max(%2$s) AS h%3$zu, count(*) "
				       "- count(%2$s) AS e%3$zu",
				       l->count ? ", " : "", value, l->count));
	SOTTO_TRY(sotto_buffer_appendf(
		&l->conditions,
		"%s(path = replace(%s, ', ', '.') AND (low IS NULL OR l%zu IS NULL OR l%zu >= "
		"TRY_CAST(low AS %s)) "
		"AND (high IS NULL OR h%zu IS NULL OR h%zu <= TRY_CAST(high AS %s)) "
		"AND (empty IS NULL OR empty = e%zu) AND cells = n%s)",
		l->count ? " OR " : "", name, l->count, l->count, c->type, l->count, l->count,
		c->type, l->count, text_condition(c)));
	l->count++;
	return SOTTO_OK;
}

static enum sotto_status add_columns(struct looking *l)
{
	for (size_t i = 0; i < l->one.entry.column_count; i++)
		if (is_usable(&l->one.entry.columns[i]))
			SOTTO_TRY(add_column(l, &l->one.entry.columns[i]));
	return SOTTO_OK;
}

/* What is said of each part; the first row of each. */
static enum sotto_status keep_said(struct looking *l, const char *file)
{
	const char *sql = sotto_arena_textf(
		l->one.arena,
		"CREATE OR REPLACE TEMP TABLE said AS SELECT row_group_id AS part, "
		"row_group_num_rows AS n, replace(path_in_schema, ', ', '.') AS path, "
		"coalesce(stats_min_value, stats_min) AS low, coalesce(stats_max_value, "
		"stats_max) AS high, stats_null_count AS empty, num_values AS cells FROM "
		"parquet_metadata(%s)",
		file);

	if (!sql)
		return SOTTO_ENOMEM;
	return sotto_database_execute(l->database, sql) == SOTTO_OK
		       ? SOTTO_OK
		       : sotto_sealer_unreadable(&l->one);
}

static enum sotto_status
look_at_part(struct looking *l, int64_t part, int64_t first, int64_t n, bool *hold)
{
	const char *sql = sotto_arena_textf(
		l->one.arena,
		"SELECT least(count(*), count(DISTINCT path))::BIGINT FROM said, (SELECT %s "
		"FROM %s WHERE file_row_number "
		"BETWEEN %lld AND %lld) AS v WHERE part = %lld AND (%s)",
		sotto_buffer_text(&l->values), l->relation, (long long)first,
		(long long)(first + n - 1), (long long)part, sotto_buffer_text(&l->conditions));
	struct sotto_engine_result *r = NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	/* What cannot be compared is not known to hold; nor which of two columns of one name is meant. */
	*hold = sotto_database_run(l->database, sql, &r) == SOTTO_OK &&
		sotto_engine_cell(r, 0, 0).integer == (int64_t)l->count;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status look_at_parts(struct looking *l, bool *hold)
{
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = SOTTO_OK;

	if (sotto_database_run(l->database,
			       "SELECT part, (sum(n) OVER (ORDER BY part) - n)::BIGINT, n FROM "
			       "(SELECT DISTINCT part, n FROM said) WHERE n > 0 ORDER BY part",
			       &r) != SOTTO_OK)
		return sotto_sealer_unreadable(&l->one);
	for (size_t i = 0; st == SOTTO_OK && *hold && i < sotto_engine_rows(r); i++)
		st = look_at_part(l, sotto_engine_cell(r, i, 0).integer,
				  sotto_engine_cell(r, i, 1).integer,
				  sotto_engine_cell(r, i, 2).integer, hold);
	sotto_engine_result_free(r);
	return st;
}

/*
 * A filter that lacks a value which is there hides every row of its part that has it, until a record
 * with equal bits shows them all.
 */
static enum sotto_status look_for_filters(struct looking *l, const char *file, bool *hold)
{
	const char *sql = sotto_arena_textf(
		l->one.arena,
		"SELECT count(*)::BIGINT FROM parquet_metadata(%1$s) WHERE bloom_filter_offset "
		"IS "
		"NOT NULL AND NOT coalesce((SELECT starts_with(created_by, 'DuckDB version ') "
		"FROM parquet_file_metadata(%1$s)), false)",
		file);
	struct sotto_engine_result *r = NULL;

	if (!sql)
		return SOTTO_ENOMEM;
	*hold = sotto_database_run(l->database, sql, &r) == SOTTO_OK &&
		sotto_engine_cell(r, 0, 0).integer == 0;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status look_at_file(struct looking *l, const char *path, bool *hold)
{
	struct sotto_arena *a = l->one.arena;
	const char *file = sotto_sql_quote_text(a, path), *plain;

	if (!file)
		return SOTTO_ENOMEM;
	plain = sotto_arena_textf(a, "read_parquet(%s, hive_partitioning = false)", file);
	l->relation = sotto_arena_textf(
		a, "read_parquet(%s, hive_partitioning = false, file_row_number = true)", file);
	if (!(plain && l->relation))
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_typed_describe(&l->one, l->database, plain));
	SOTTO_TRY(add_columns(l));
	if (l->count == 0)
		return SOTTO_OK;
	SOTTO_TRY(look_for_filters(l, file, hold));
	SOTTO_TRY(keep_said(l, file));
	return look_at_parts(l, hold);
}

static enum sotto_status
look_at_files(struct sotto_sealer *s, struct sotto_database *d, bool *hold)
{
	*hold = true;
	for (size_t i = 0; *hold && i < s->files.count; i++) {
		struct looking l = {.one = *s, .database = d};
		enum sotto_status st;

		l.one.entry = (struct sotto_sealed){0};
		sotto_buffer_init(&l.values, (size_t)64 << 20);
		sotto_buffer_init(&l.conditions, (size_t)64 << 20);
		st = look_at_file(&l, s->files.paths[i], hold);
		sotto_buffer_release(&l.values);
		sotto_buffer_release(&l.conditions);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

/* Parts are found by the numbers of their rows: conditions have to reach the file. */
enum sotto_status
sotto_parquet_statistics_check(struct sotto_sealer *s, struct sotto_database *d, bool *hold)
{
	if (sotto_database_push_conditions(d, true) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	SOTTO_TRY(look_at_files(s, d, hold));
	return sotto_database_push_conditions(d, false) == SOTTO_OK
		       ? SOTTO_OK
		       : sotto_sealer_unreadable(s);
}
