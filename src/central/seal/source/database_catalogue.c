/*
 * Asks the engine's catalogue for keys and constraints; a CHECK gives bounds only if it is
 * exactly two comparisons with numbers.
 */
#include "central/seal/source/database_catalogue.h"

#include <string.h>
#include <strings.h>

#include "central/seal/seal_database.h"
#include "core/base/failure.h"

static const char tables_sql[] = "SELECT table_schema, table_name, table_type FROM "
				 "information_schema.tables WHERE table_catalog = "
				 "'sealed_source' ORDER BY table_schema <> 'main', 1, 2";

/*
 * A CHECK gives bounds if it compares the column itself with two numbers and says nothing
 * else: what remains when the column's name and all parentheses are taken away is then
 * ">= 0 AND <= 110" or "BETWEEN 0 AND 110".
 */
#define NUMBER "-?[0-9]+(?:[.][0-9]+)?"
static const char constraints_sql[] =
	"WITH c AS (SELECT schema_name s, table_name t, constraint_index i, constraint_type k, "
	"constraint_column_names[1] n, len(list_distinct(constraint_column_names)) many, "
	"referenced_table rt, referenced_column_names[1] rc, "
	"regexp_replace(coalesce(expression, ''), '[()\"]', '', 'g') e "
	"FROM duckdb_constraints() WHERE database_name = 'sealed_source'), "
	"d AS (SELECT *, replace(e, n || ' ', '') r FROM c WHERE many = 1) "
	"SELECT s, t, n, k, coalesce(rt, ''), coalesce(rc, ''), "
	"CASE WHEN regexp_full_match(r, 'BETWEEN " NUMBER " AND " NUMBER "') THEN "
	"regexp_extract(r, 'BETWEEN (" NUMBER ")', 1) "
	"WHEN regexp_full_match(r, '(?:[<>]=? " NUMBER ")(?: AND [<>]=? " NUMBER ")') THEN "
	"regexp_extract(r, '>=? (" NUMBER ")', 1) ELSE '' END, "
	"CASE WHEN regexp_full_match(r, 'BETWEEN " NUMBER " AND " NUMBER "') THEN "
	"regexp_extract(r, 'AND (" NUMBER ")', 1) "
	"WHEN regexp_full_match(r, '(?:[<>]=? " NUMBER ")(?: AND [<>]=? " NUMBER ")') THEN "
	"regexp_extract(r, '<=? (" NUMBER ")', 1) ELSE '' END "
	"FROM d ORDER BY s, t, i";

enum { SCHEMA, TABLE, TYPE };
enum { COLUMN = TABLE + 1, KIND, TO_TABLE, TO_COLUMN, LOW, HIGH };

static const char *text_at(const struct sotto_engine_result *r, size_t row, size_t column)
{
	struct sotto_engine_cell cell = sotto_engine_cell(r, row, column);

	return cell.kind == SOTTO_ENGINE_TEXT ? cell.text : "";
}

static struct sotto_declared_table *find_table(struct sotto_declared_table *tables,
					       size_t count, const char *schema,
					       const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(tables[i].schema, schema) == 0 && strcmp(tables[i].name, name) == 0)
			return &tables[i];
	return NULL;
}

const struct sotto_declared_column *
sotto_declared_find(const struct sotto_declared_table *t, const char *column)
{
	for (size_t i = 0; t && i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, column) == 0)
			return &t->columns[i];
	return NULL;
}

static struct sotto_declared_column *
column_of(struct sotto_arena *a, struct sotto_declared_table *t, const char *name)
{
	struct sotto_declared_column *c;

	for (size_t i = 0; i < t->column_count; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return &t->columns[i];
	c = SOTTO_PUSH(a, t->columns, t->column_count);
	if (c)
		c->name = sotto_arena_text(a, name);
	return c && c->name ? c : NULL;
}

static enum sotto_status add_constraint(struct sotto_arena *a, struct sotto_declared_table *t,
					const struct sotto_engine_result *r, size_t row)
{
	const char *kind = text_at(r, row, KIND), *low = text_at(r, row, LOW);
	const char *high = text_at(r, row, HIGH);
	struct sotto_declared_column *c = column_of(a, t, text_at(r, row, COLUMN));
	bool key = strcmp(kind, "PRIMARY KEY") == 0;

	if (!c)
		return SOTTO_ENOMEM;
	c->filled = c->filled || key || strcmp(kind, "NOT NULL") == 0;
	c->unique = c->unique || key || strcmp(kind, "UNIQUE") == 0;
	if (strcmp(kind, "FOREIGN KEY") == 0) {
		c->to_table = sotto_arena_text(a, text_at(r, row, TO_TABLE));
		c->to_column = sotto_arena_text(a, text_at(r, row, TO_COLUMN));
	} else if (strcmp(kind, "CHECK") == 0 && *low && *high) {
		c->lo = sotto_arena_text(a, low);
		c->hi = sotto_arena_text(a, high);
	}
	return SOTTO_OK;
}

static enum sotto_status list_tables(struct sotto_database *d, struct sotto_arena *a,
				     struct sotto_declared_table **tables, size_t *count)
{
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(sotto_database_run(d, tables_sql, &r));
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(r); i++) {
		struct sotto_declared_table *t = SOTTO_PUSH(a, *tables, *count);

		if (t) {
			t->schema = sotto_arena_text(a, text_at(r, i, SCHEMA));
			t->name = sotto_arena_text(a, text_at(r, i, TABLE));
			t->is_view = strcmp(text_at(r, i, TYPE), "VIEW") == 0;
		}
		st = t && t->schema && t->name ? SOTTO_OK : SOTTO_ENOMEM;
	}
	sotto_engine_result_free(r);
	return st;
}

static enum sotto_status list_constraints(struct sotto_database *d, struct sotto_arena *a,
					  struct sotto_declared_table *tables, size_t count)
{
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(sotto_database_run(d, constraints_sql, &r));
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(r); i++) {
		struct sotto_declared_table *t =
			find_table(tables, count, text_at(r, i, SCHEMA), text_at(r, i, TABLE));

		if (t)
			st = add_constraint(a, t, r, i);
	}
	sotto_engine_result_free(r);
	return st;
}

enum sotto_status sotto_database_catalogue(struct sotto_arena *a, const char *path,
					   struct sotto_declared_table **tables, size_t *count,
					   struct sotto_error *err)
{
	const char *advice = NULL;
	struct sotto_database d;
	enum sotto_status st;

	*tables = NULL;
	*count = 0;
	SOTTO_TRY(sotto_database_open(&d, err));
	st = sotto_database_attach(&d, a, path, &advice);
	if (st == SOTTO_EIO)
		st = sotto_fail(err, st, "%.200s could not be read; %s", path, advice);
	if (st == SOTTO_OK)
		st = list_tables(&d, a, tables, count);
	if (st == SOTTO_OK)
		st = list_constraints(&d, a, *tables, *count);
	if (st == SOTTO_EIO && !advice)
		st = sotto_fail(err, st, "the tables of %.200s could not be listed", path);
	sotto_database_close(&d);
	return st;
}
