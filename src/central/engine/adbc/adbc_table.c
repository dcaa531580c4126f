/*
 * Any server is asked for no rows of the table, and the schema of that is taken; for PostgreSQL
 * the catalogue names the columns, each read by an expression that cannot fail.
 */
#include "central/engine/adbc/adbc_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/postgres/postgres_lookup.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"
#include "core/base/utf8_check.h"

enum { SQL_MAX = 16 << 20 };

/* ---- names ---------------------------------------------------------------------- */

/* The end of an identifier, quoted or not; NULL if none is here. */
static const char *skip_name(const char *s, char quote)
{
	const char *start = s;

	if (*s != quote) {
		while (isalnum((unsigned char)*s) || *s == '_' || *s == '-' || *s == '$' ||
		       (unsigned char)*s >= 0x80)
			s++;
		/* two hyphens would begin a comment */
		return s > start && !memmem(start, (size_t)(s - start), "--", 2) ? s : NULL;
	}
	for (s++; *s; s++)
		if (*s == quote && *++s != quote)
			return s;
	return NULL;
}

/* One to three identifiers with dots between: nothing else stands after FROM. */
static bool is_name(const char *s, char quote)
{
	for (int parts = 1; parts <= 3; parts++) {
		s = skip_name(s, quote);
		if (!s || *s == '\0')
			return s != NULL;
		if (*s++ != '.')
			return false;
	}
	return false;
}

/* ---- any server ------------------------------------------------------------------- */

static bool plain_equal(const struct sotto_arrow_plain *x, const struct sotto_arrow_plain *y)
{
	return x->layout == y->layout && x->meaning == y->meaning && x->width == y->width &&
	       x->per_second == y->per_second && x->digits == y->digits && x->scale == y->scale;
}

bool sotto_adbc_arrives(const struct sotto_adbc_column *column,
			const struct ArrowSchema *schema)
{
	struct sotto_arrow_column found;

	return sotto_arrow_column_read(schema, &found) &&
	       found.has_dictionary == column->arrives.has_dictionary &&
	       plain_equal(&found.values, &column->arrives.values) &&
	       plain_equal(&found.indices, &column->arrives.indices);
}

/* A column whose name is not a text cannot be asked for, and so is not there. */
static bool has_name(const struct ArrowSchema *s)
{
	return s->name && *s->name &&
	       sotto_utf8_is_valid((const uint8_t *)s->name, strlen(s->name));
}

static enum sotto_status take_schema(const struct ArrowSchema *schema, char quote,
				     struct sotto_arena *arena, struct sotto_adbc_table *out)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		const struct ArrowSchema *s = schema->children[i];
		struct sotto_arrow_column type;
		struct sotto_adbc_column *c;

		if (!has_name(s) || !sotto_arrow_column_read(s, &type))
			continue;
		c = SOTTO_PUSH(arena, out->columns, out->column_count);
		if (!c)
			return SOTTO_ENOMEM;
		c->name = sotto_arena_text(arena, s->name);
		c->expression = c->name ? sotto_sql_quote(arena, c->name, quote) : NULL;
		c->arrives = c->becomes = type;
		if (!c->expression)
			return SOTTO_ENOMEM;
	}
	return out->column_count > 0 ? SOTTO_OK : SOTTO_EMISSING;
}

static enum sotto_status look_anywhere(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				       char quote, const char *name, struct sotto_arena *arena,
				       struct sotto_adbc_table *out)
{
	const char *sql = sotto_arena_textf(arena, "SELECT * FROM %s WHERE 1 = 0", name);
	struct sotto_adbc_rows r;
	enum sotto_status st;

	out->relation = sotto_arena_text(arena, name);
	if (!sql || !out->relation)
		return SOTTO_ENOMEM;
	st = sotto_adbc_rows_open(d, c, sql, &r);
	if (st == SOTTO_OK)
		st = take_schema(&r.schema, quote, arena, out);
	sotto_adbc_rows_close(d, &r);
	return st;
}

/* ---- PostgreSQL --------------------------------------------------------------------- */

/* Texts of a query of the catalogue, whose one parameter is put into it. */
static enum sotto_status ask_catalogue(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				       const char *query, const char *parameter, size_t columns,
				       struct sotto_arena *arena, const char ***out,
				       size_t *rows)
{
	static const char *const heads[] = {
		[1] = "q(a) AS", [4] = "q(a, b, c, d) AS", [7] = "q(a, b, c, d, e, f, g) AS"};
	static const char *const texts[] = {
		[1] = "a::text",
		[4] = "a::text, b::text, c::text, d::text",
		[7] = "a::text, b::text, c::text, d::text, e::text, f::text, g::text"};
	const char *value = sotto_sql_quote_text(arena, parameter);
	struct sotto_buffer b;
	enum sotto_status st = value ? SOTTO_OK : SOTTO_ENOMEM;

	sotto_buffer_init(&b, SQL_MAX);
	if (st == SOTTO_OK)
		st = sotto_buffer_appendf(&b, "WITH %s (", heads[columns]);
	for (const char *s = query; st == SOTTO_OK && *s; s++)
		if (s[0] == '$' && s[1] == '1') {
			st = sotto_buffer_append_text(&b, value);
			s++;
		} else {
			st = sotto_buffer_append(&b, s, 1);
		}
	if (st == SOTTO_OK)
		st = sotto_buffer_appendf(&b, ") SELECT %s FROM q", texts[columns]);
	if (st == SOTTO_OK)
		st = sotto_adbc_ask(d, c, sotto_buffer_text(&b), columns, arena, out, rows);
	sotto_buffer_release(&b);
	return st;
}

static struct sotto_arrow_column
plain_column(enum sotto_arrow_layout layout, enum sotto_arrow_meaning meaning, unsigned width)
{
	return (struct sotto_arrow_column){
		.values = {.layout = layout, .meaning = meaning, .width = width}};
}

/* What the driver makes of the types that expressions have (postgres_type.h). */
static struct sotto_arrow_column arrives_as(enum sotto_postgres_carrier carrier)
{
	struct sotto_arrow_column c;

	switch (carrier) {
	case SOTTO_POSTGRES_BOOL:
		return plain_column(SOTTO_ARROW_BITS, SOTTO_ARROW_BOOL, 0);
	case SOTTO_POSTGRES_INT2:
		return plain_column(SOTTO_ARROW_FIXED, SOTTO_ARROW_SIGNED, 2);
	case SOTTO_POSTGRES_INT4:
		return plain_column(SOTTO_ARROW_FIXED, SOTTO_ARROW_SIGNED, 4);
	case SOTTO_POSTGRES_INT8:
	case SOTTO_POSTGRES_DECIMAL:
		return plain_column(SOTTO_ARROW_FIXED, SOTTO_ARROW_SIGNED, 8);
	case SOTTO_POSTGRES_FLOAT4:
		return plain_column(SOTTO_ARROW_FIXED, SOTTO_ARROW_FLOAT, 4);
	case SOTTO_POSTGRES_FLOAT8:
		return plain_column(SOTTO_ARROW_FIXED, SOTTO_ARROW_DOUBLE, 8);
	case SOTTO_POSTGRES_DATE:
		c = plain_column(SOTTO_ARROW_FIXED, SOTTO_ARROW_DATE, 4);
		c.values.per_second = 1;
		return c;
	case SOTTO_POSTGRES_TIMESTAMP:
		c = plain_column(SOTTO_ARROW_FIXED, SOTTO_ARROW_TIMESTAMP, 8);
		c.values.per_second = 1000000;
		return c;
	case SOTTO_POSTGRES_TEXT:
		break;
	}
	return plain_column(SOTTO_ARROW_OFFSETS32, SOTTO_ARROW_TEXT, 0);
}

/*
 * The driver counts dates and times from 1970, and where the sum is too large, as it is for
 * an infinity, it gives another time (1.13: one before all others) or may fail: NULL instead.
 */
static const char *
guarded(struct sotto_arena *a, enum sotto_postgres_carrier carrier, const char *expression)
{
	if (carrier != SOTTO_POSTGRES_DATE && carrier != SOTTO_POSTGRES_TIMESTAMP)
		return expression;
	return sotto_arena_textf(a,
				 "CASE WHEN %s BETWEEN '4713-01-01 BC' AND '294246-12-31' THEN "
				 "%s END",
				 expression, expression);
}

static enum sotto_status
take_column(const char *const *cells, struct sotto_arena *arena, struct sotto_adbc_table *out)
{
	const struct sotto_postgres_origin origin = sotto_postgres_origin(cells + 2);
	struct sotto_postgres_type type = sotto_postgres_type_of(origin);
	struct sotto_adbc_column *c = SOTTO_PUSH(arena, out->columns, out->column_count);
	const char *expression = sotto_postgres_expression(arena, origin, cells[1]);

	if (!c || !expression)
		return SOTTO_ENOMEM;
	c->name = sotto_arena_text(arena, cells[0]);
	c->expression = guarded(arena, type.carrier, expression);
	c->arrives = c->becomes = arrives_as(type.carrier);
	c->becomes.folds = type.folds;
	if (type.carrier == SOTTO_POSTGRES_DECIMAL) {
		c->becomes.values.meaning = SOTTO_ARROW_DECIMAL;
		c->becomes.values.digits = type.width;
		c->becomes.values.scale = type.scale;
	}
	return c->name && c->expression ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status look_in_postgres(struct sotto_adbc_driver *d, struct AdbcConnection *c,
					  const char *name, struct sotto_arena *arena,
					  struct sotto_adbc_table *out)
{
	const char **number, **table, **columns, *lock;
	size_t rows;

	SOTTO_TRY(sotto_adbc_execute(d, c, "SET LOCAL search_path TO DEFAULT"));
	SOTTO_TRY(
		ask_catalogue(d, c, sotto_postgres_find_name, name, 1, arena, &number, &rows));
	SOTTO_TRY(sotto_adbc_execute(d, c, "SET LOCAL search_path = pg_catalog"));
	if (rows != 1 || !*number[0])
		return SOTTO_EMISSING;
	SOTTO_TRY(ask_catalogue(d, c, sotto_postgres_find_table, number[0], 4, arena, &table,
				&rows));
	if (rows != 1)
		return SOTTO_EMISSING;
	out->relation = table[1];
	lock = sotto_arena_textf(arena, "SELECT 1 FROM %s LIMIT 0", out->relation);
	if (!lock)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_adbc_execute(d, c, lock));
	SOTTO_TRY(ask_catalogue(d, c, sotto_postgres_find_columns, number[0], 7, arena,
				&columns, &rows));
	for (size_t i = 0; i < rows; i++)
		SOTTO_TRY(take_column(columns + 7 * i, arena, out));
	return out->column_count > 0 ? SOTTO_OK : SOTTO_EMISSING;
}

/* ---- both ---------------------------------------------------------------------------- */

static enum sotto_status try_out_sql(struct sotto_buffer *b, const struct sotto_adbc_table *t)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "SELECT "));
	for (size_t i = 0; i < t->column_count; i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s%s", i ? ", " : "",
					       t->columns[i].expression));
	return sotto_buffer_appendf(b, " FROM %s WHERE 1 = 0", t->relation);
}

static bool all_arrive(const struct sotto_adbc_table *t, const struct ArrowSchema *schema)
{
	if (schema->n_children != (int64_t)t->column_count)
		return false;
	for (size_t i = 0; i < t->column_count; i++)
		if (!sotto_adbc_arrives(&t->columns[i], schema->children[i]))
			return false;
	return true;
}

enum sotto_status sotto_adbc_try_out(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				     const struct sotto_adbc_table *table)
{
	struct sotto_adbc_rows r = {0};
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, SQL_MAX);
	st = try_out_sql(&b, table);
	if (st == SOTTO_OK)
		st = sotto_adbc_rows_open(d, c, sotto_buffer_text(&b), &r);
	if (st == SOTTO_OK && !all_arrive(table, &r.schema))
		st = SOTTO_EPARSE;
	sotto_adbc_rows_close(d, &r);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_adbc_look(struct sotto_adbc_driver *d, struct AdbcConnection *c,
				  const struct sotto_adbc_dialect *dialect, const char *name,
				  struct sotto_arena *arena, struct sotto_adbc_table *out)
{
	struct sotto_adbc_table table = {0};

	if (!is_name(name, dialect->quote))
		return SOTTO_EMISSING;
	SOTTO_TRY(dialect->is_postgres
			  ? look_in_postgres(d, c, name, arena, &table)
			  : look_anywhere(d, c, dialect->quote, name, arena, &table));
	SOTTO_TRY(sotto_adbc_try_out(d, c, &table));
	*out = table;
	return SOTTO_OK;
}
