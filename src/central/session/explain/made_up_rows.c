/*
 * Writes SQL that generates the rows in the engine: values come from a hash of the row's
 * number, within bounds and keys, and columns that link tables get numbers that meet.
 */
#include "central/session/explain/made_up_rows.h"

#include <stdlib.h>
#include <strings.h>

#include "core/base/buffer.h"
#include "core/base/sql_quote.h"

/* How many rows a unit has where several may count, and one value in how many is NULL. */
enum { ROWS_OF_A_UNIT = 3, NULLS = 50 };

/* Of a column without bounds or keys. */
enum { NUMBERS_TO = 100, TEXTS = 8, FIRST_DAY = 19723, DAYS = 365 };

/* Bytes of SQL for one table, or for the keys of one column. */
enum { LIST_MAX = 16 << 20 };

/* Returns how many rows are invented. */
static int64_t rows_to_make(const struct sotto_policy_table *t)
{
	return t->rows ? t->rows : SOTTO_ROWS_DEFAULT;
}

static bool is_name(const char *x, const char *y)
{
	return x && y && strcasecmp(x, y) == 0;
}

/* Other tables look their unit up in this column: its values must all differ. */
static bool is_looked_up(const struct sotto_policy *p, const struct sotto_policy_table *t,
			 const char *column)
{
	for (size_t i = 0; i < p->table_count; i++)
		if (p->tables[i].via == t && is_name(p->tables[i].via_key, column))
			return true;
	return false;
}

/*
 * A number that names a person or a thing, if the column does: rows of tables that are linked
 * must meet.  NULL: it does not.
 */
static const char *identity(struct sotto_arena *a, const struct sotto_policy *p,
			    const struct sotto_policy_table *t, const char *column,
			    const struct sotto_policy_column *c)
{
	int64_t count = rows_to_make(t);
	int64_t each = t->max_groups * t->max_rows > 1 ? ROWS_OF_A_UNIT : 1;

	if (is_looked_up(p, t, column) || (c && c->promises_unique))
		return "i + 1";
	if (t->via && is_name(t->via_column, column))
		return sotto_arena_textf(a, "hash(i, 1) %% %lld + 1",
					 (long long)rows_to_make(t->via));
	if (is_name(t->unit, column) && each == 1)
		return "i + 1";
	if (is_name(t->unit, column))
		return sotto_arena_textf(a, "hash(i, 1) %% %lld + 1",
					 (long long)(count > each ? count / each : 1));
	return NULL;
}

/* Evenly from [0, 1), for the column of that number. */
static const char *even(struct sotto_arena *a, size_t column, unsigned draw)
{
	return sotto_arena_textf(a, "(hash(i, %zu, %u) %% 1000003) / 1000003.0", column, draw);
}

/* Most in the middle of the bounds, few at their ends. */
static const char *between(struct sotto_arena *a, size_t column, const char *lo, const char *hi)
{
	const char *x = even(a, column, 1), *y = even(a, column, 2), *z = even(a, column, 3);

	if (!x || !y || !z)
		return NULL;
	return sotto_arena_textf(a, "%s + (%s - (%s)) * (%s + %s + %s) / 3", lo, hi, lo, x, y,
				 z);
}

static const char *
number(struct sotto_arena *a, size_t column, const struct sotto_policy_column *c)
{
	double lo = 0, hi = NUMBERS_TO;

	if (c && c->has_bounds) {
		lo = sotto_rational_double_up(c->lo);
		hi = sotto_rational_double_down(c->hi);
	}
	return between(a, column, sotto_arena_textf(a, "CAST(%.17g AS DOUBLE)", lo),
		       sotto_arena_textf(a, "CAST(%.17g AS DOUBLE)", hi));
}

/* The list moves into the arena; NULL: it is too long, or memory ran out. */
static const char *kept(struct sotto_arena *a, struct sotto_buffer *list, enum sotto_status st)
{
	const char *text = st == SOTTO_OK ? sotto_arena_text(a, sotto_buffer_text(list)) : NULL;

	sotto_buffer_release(list);
	return text;
}

static const char *key_list(struct sotto_arena *a, const struct sotto_policy_column *c)
{
	struct sotto_buffer list;
	enum sotto_status st = SOTTO_OK;

	sotto_buffer_init(&list, LIST_MAX);
	for (size_t i = 0; st == SOTTO_OK && i < c->key_count; i++) {
		const char *text = c->keys[i] ? sotto_sql_quote_text(a, c->keys[i]) : "NULL";

		st = text ? sotto_buffer_appendf(&list, "%s%s", i ? ", " : "", text)
			  : SOTTO_ENOMEM;
	}
	return kept(a, &list, st);
}

/* The first keys more often than the last. */
static const char *
key(struct sotto_arena *a, size_t column, const struct sotto_policy_column *c)
{
	const char *list = key_list(a, c), *at = even(a, column, 1);

	if (!list || !at)
		return NULL;
	return sotto_arena_textf(a, "[%s][1 + CAST(floor(%zu * pow(%s, 1.5)) AS BIGINT)]", list,
				 c->key_count, at);
}

/* A number of days after 1970-01-01: within the bounds, or in 2024. */
static const char *
day(struct sotto_arena *a, size_t column, const struct sotto_policy_column *c)
{
	const char *x;

	if (c && c->has_bounds && c->bounds_are_days)
		return number(a, column, c);
	x = even(a, column, 1);
	return x ? sotto_arena_textf(a, "%d + %d * %s", FIRST_DAY, DAYS, x) : NULL;
}

static const char *other(struct sotto_arena *a, size_t column, enum sotto_sql_type type,
			 const struct sotto_policy_column *c)
{
	const char *x = type == SOTTO_TYPE_DATE || type == SOTTO_TYPE_TIMESTAMP
				? day(a, column, c)
				: even(a, column, 1);

	if (!x)
		return NULL;
	switch (type) {
	case SOTTO_TYPE_BOOLEAN:
		return sotto_arena_textf(a, "%s < 0.5", x);
	case SOTTO_TYPE_INTEGER:
		x = number(a, column, c);
		return x ? sotto_arena_textf(a, "CAST(round(%s) AS BIGINT)", x) : NULL;
	case SOTTO_TYPE_NUMBER:
		return number(a, column, c);
	case SOTTO_TYPE_DATE:
		return sotto_arena_textf(a, "DATE '1970-01-01' + CAST(floor(%s) AS INTEGER)",
					 x);
	case SOTTO_TYPE_TIMESTAMP:
		return sotto_arena_textf(a,
					 "TIMESTAMP '1970-01-01' + to_seconds(CAST(floor(86400 "
					 "* (%s)) AS BIGINT))",
					 x);
	case SOTTO_TYPE_LOOSE:
		if (c && c->has_bounds)
			return number(a, column, c);
		break;
	case SOTTO_TYPE_TEXT:
	case SOTTO_TYPE_OTHER:
		break;
	}
	return sotto_arena_textf(a, "'value ' || (1 + CAST(floor(%d * %s) AS BIGINT))", TEXTS,
				 x);
}

/* What the engine has the column as, so that the query meets what it expects. */
static const char *native(struct sotto_arena *a, const struct sotto_schema_column *c)
{
	if (c->type == SOTTO_TYPE_NUMBER && c->digits)
		return sotto_arena_textf(a, "DECIMAL(%u,%u)", c->digits, c->scale);
	return sotto_sql_type_engine(c->type);
}

static const char *value(struct sotto_arena *a, const struct sotto_policy *p,
			 const struct sotto_policy_table *t,
			 const struct sotto_schema_column *s, size_t column)
{
	const struct sotto_policy_column *c = sotto_policy_column_find(t, s->name);
	const char *made = identity(a, p, t, s->name, c), *type = native(a, s);
	enum sotto_sql_type meant = c && c->has_type ? c->type : s->type;
	bool is_id = made != NULL;

	if (!made)
		made = c && c->has_keys && c->key_count ? key(a, column, c)
							: other(a, column, meant, c);
	if (!made || !type)
		return NULL;
	made = sotto_arena_textf(a, "TRY_CAST(%s AS %s)", made, type);
	if (!made || is_id || (c && (c->promises_filled || c->has_keys)))
		return made;
	return sotto_arena_textf(a, "CASE WHEN hash(i, %zu) %% %d <> 0 THEN %s END", column,
				 NULLS, made);
}

enum sotto_status sotto_made_up_rows(struct sotto_arena *a, const struct sotto_policy *p,
				     const struct sotto_policy_table *table,
				     struct sotto_schema_table *t)
{
	struct sotto_buffer list;
	enum sotto_status st = SOTTO_OK;
	const char *all;

	sotto_buffer_init(&list, LIST_MAX);
	for (size_t i = 0; st == SOTTO_OK && i < t->column_count; i++) {
		const char *name = sotto_sql_quote_name(a, t->columns[i].name);
		const char *made = value(a, p, table, &t->columns[i], i + 2);

		t->columns[i].field_sql = NULL; /* here it is a column like others */
		st = name && made ? sotto_buffer_appendf(&list, "%s%s AS %s", i ? ", " : "",
							 made, name)
				  : SOTTO_ENOMEM;
	}
	all = kept(a, &list, st);
	if (!all)
		return SOTTO_ENOMEM;
	t->definition = sotto_arena_textf(a, "(SELECT %s FROM range(%lld) invented(i))",
					  *all ? all : "i", (long long)rows_to_make(table));
	return t->definition ? SOTTO_OK : SOTTO_ENOMEM;
}
