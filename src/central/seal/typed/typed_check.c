/*
 * Reads every value by hashing all columns; times are compared with the ends of the engine's
 * calendar, because it reads any number as one and fails only later, and texts have a length above
 * which one of them would take the memory of a question; decimals have no more digits than their type.
 */
#include "central/seal/typed/typed_check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "central/policy/schema.h"
#include "central/policy/schema_field.h"
#include "central/seal/manifest/sealed.h"
#include "central/seal/text/record_machine.h"
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

/*
 * Decimals with more places than digits, or without digits, which have no brackets: also in lists and
 * structures.
 */
static bool has_broken_decimal(const char *type)
{
	static const char word[] = "DECIMAL";
	int width, scale;

	for (const char *at = type; (at = strstr(at, word)); at++) {
		const char *end = at + strlen(word);

		if (*end == '(' ? sscanf(end, "(%d,%d)", &width, &scale) == 2 && scale > width
				: strchr(",)[", *end) != NULL)
			return true;
	}
	return false;
}

/*
 * A Parquet file may say so.  The engine believes it, and computes with what lies beside its tables:
 * the same file could be read or not, and its values be others, by chance.
 */
static enum sotto_status check_decimals(const struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->entry.column_count; i++)
		if (has_broken_decimal(s->entry.columns[i].type))
			return sotto_fail(
				s->err, SOTTO_EREFUSED,
				"%.160s:%zu: column %.60s of table %.60s is a decimal with "
				"fewer digits than places behind its point; write the file "
				"again",
				s->policy->path, s->table->line, s->entry.columns[i].name,
				s->table->name);
	return SOTTO_OK;
}

enum sotto_status
sotto_typed_describe(struct sotto_sealer *s, struct sotto_database *d, const char *relation)
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
	if (st == SOTTO_OK)
		st = check_decimals(s);
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

static bool is_odd(const struct sotto_sealed_column *c)
{
	struct sotto_schema_column column = {.type = SOTTO_TYPE_LOOSE};

	sotto_schema_column_type(&column, c->type);
	return column.type == SOTTO_TYPE_OTHER;
}

static bool is_unit(const struct sotto_policy_table *t, const struct sotto_sealed_column *c)
{
	return t->unit && strcasecmp(t->unit, c->name) == 0;
}

bool sotto_typed_is_used(const struct sotto_policy_table *t,
			 const struct sotto_sealed_column *c)
{
	return !is_odd(c) || is_unit(t, c);
}

/*
 * A unit of a type that no question can read: rows are grouped by it all the same, so it is as long
 * as a text may be, whatever it holds.
 */
static bool is_odd_unit(const struct sotto_policy_table *t, const struct sotto_sealed_column *c)
{
	return is_odd(c) && is_unit(t, c);
}

/* As long as a value of a text file; is_bytes: texts are declared to be bytes. */
static const char *length_condition(const struct sotto_sealer *s,
				    const struct sotto_sealed_column *c, const char *value,
				    bool is_bytes)
{
	bool is_text = strcmp(c->type, "VARCHAR") == 0;
	bool has_bytes = strcmp(c->type, "BLOB") == 0 || strcmp(c->type, "BIT") == 0 ||
			 (is_bytes && (is_text || strcmp(c->type, "JSON") == 0));

	if (!is_text && !is_odd_unit(s->table, c))
		return "";
	return sotto_arena_textf(s->arena,
				 has_bytes ? " AND (%1$s IS NULL OR octet_length(%1$s) <= %2$d)"
				 : is_text ? " AND (%1$s IS NULL OR strlen(%1$s) <= %2$d)"
					   : " AND (%1$s IS NULL OR coalesce(TRY(strlen(CAST("
					     "%1$s AS VARCHAR))) <= %2$d, false))",
				 value, (int)SOTTO_CELL_MAX);
}

/* A file can hold more digits than a DECIMAL has; the engine fails where it needs one more place. */
static const char *
digits_condition(struct sotto_arena *a, const struct sotto_sealed_column *c, const char *value)
{
	static const char nines[] = "99999999999999999999999999999999999999";
	int width, scale;

	if (sscanf(c->type, "DECIMAL(%d,%d)", &width, &scale) != 2 || width > 38 ||
	    scale > width || strchr(c->type, '['))
		return "";
	return sotto_arena_textf(a,
				 " AND (%1$s IS NULL OR %1$s BETWEEN CAST('-%2$.*3$s.%2$.*4$s' "
				 "AS %5$s) AND CAST('%2$.*3$s.%2$.*4$s' AS %5$s))",
				 value, nines, width - scale, scale, c->type);
}

const char *sotto_typed_valid(struct sotto_sealer *s, bool is_bytes)
{
	const char *all = "";

	for (size_t i = 0; all && i < s->entry.column_count; i++) {
		const struct sotto_sealed_column *c = &s->entry.columns[i];
		const char *value = sotto_sealed_column_sql(s->arena, &s->entry, c);
		const char *time = value ? time_condition(s->arena, c, value) : NULL;
		const char *length = value ? length_condition(s, c, value, is_bytes) : NULL;
		const char *digits = value ? digits_condition(s->arena, c, value) : NULL;

		all = time && length && digits ? sotto_arena_textf(s->arena, "%s%s%s%s", all,
								   time, length, digits)
					       : NULL;
	}
	return all;
}

static enum sotto_status check_valid(struct sotto_sealer *s, struct sotto_database *d,
				     const char *relation, bool *readable)
{
	const char *valid = sotto_typed_valid(s, false), *sql;
	struct sotto_engine_result *r = NULL;

	if (!valid)
		return SOTTO_ENOMEM;
	if (!*valid)
		return SOTTO_OK;
	sql = sotto_arena_textf(s->arena, "SELECT 1::BIGINT FROM %s WHERE NOT (true%s) LIMIT 1",
				relation, valid);
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	*readable = sotto_engine_rows(r) == 0;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

enum sotto_status sotto_typed_check(struct sotto_sealer *s, struct sotto_database *d,
				    const char *relation, bool *readable)
{
	SOTTO_TRY(check_values(s, d, relation, readable));
	return *readable ? check_valid(s, d, relation, readable) : SOTTO_OK;
}
