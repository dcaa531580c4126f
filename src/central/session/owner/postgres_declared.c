/*
 * One query of the catalogue for each table; a CHECK gives bounds only if what is left of it
 * without casts is exactly two comparisons.
 */
#include "central/session/owner/postgres_declared.h"

#include <string.h>

#include "central/engine/postgres/postgres_connect.h"
#include "core/base/failure.h"

static const char tables_sql[] =
	"SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM "
	"pg_catalog.pg_class c "
	"JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', "
	"'p') "
	"AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema') "
	"AND "
	"n.nspname NOT LIKE 'pg\\_%' ORDER BY n.nspname <> 'public', 1";

static const char table_sql[] =
	"SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
	"ON "
	"n.oid = c.relnamespace WHERE c.oid = pg_catalog.to_regclass($1)::oid";

/*
 * A CHECK gives bounds if it compares the column itself with two numbers and says nothing
 * else: what remains without casts, parentheses and quotes is then "x >= 0 AND x <= 110".
 */
#define NUMBER "-?[0-9]+(?:[.][0-9]+)?"
#define HELD "'^' || n || ' >=? (" NUMBER ") AND ' || n || ' <=? (" NUMBER ")$'"
static const char columns_sql[] =
	"WITH t AS (SELECT pg_catalog.to_regclass($1)::oid AS id), "
	"k AS (SELECT c.contype, a.attname AS n, fs.nspname AS fs, f.relname AS ft, fa.attname "
	"AS "
	"fc, regexp_replace(regexp_replace(coalesce(pg_get_expr(c.conbin, c.conrelid), ''), "
	"'::[a-z ]+([(][0-9, ]+[)])?', '', 'g'), '[()''\"]', '', 'g') AS e "
	"FROM pg_constraint c JOIN t ON c.conrelid = t.id JOIN pg_attribute a ON a.attrelid = "
	"t.id "
	"AND a.attnum = c.conkey[1] LEFT JOIN pg_class f ON f.oid = c.confrelid LEFT JOIN "
	"pg_namespace fs ON fs.oid = f.relnamespace LEFT JOIN pg_attribute fa ON fa.attrelid = "
	"f.oid "
	"AND fa.attnum = c.confkey[1] WHERE cardinality(c.conkey) = 1 AND c.contype IN ('c', "
	"'f') "
	"AND c.convalidated) "
	"SELECT a.attname, CASE WHEN a.attnotnull THEN 'y' ELSE '' END, CASE WHEN EXISTS "
	"(SELECT 1 "
	"FROM pg_index i WHERE i.indrelid = t.id AND i.indisunique AND i.indisvalid AND "
	"i.indnkeyatts = 1 AND i.indkey[0] = a.attnum AND i.indpred IS NULL AND i.indexprs IS "
	"NULL) "
	"THEN 'y' ELSE '' END, "
	"coalesce((SELECT (regexp_match(e, " HELD
	"))[1] FROM k WHERE n = a.attname AND contype = "
	"'c' AND e ~ (" HELD ") LIMIT 1), ''), "
	"coalesce((SELECT (regexp_match(e, " HELD
	"))[2] FROM k WHERE n = a.attname AND contype = "
	"'c' AND e ~ (" HELD ") LIMIT 1), ''), "
	"coalesce((SELECT fs FROM k WHERE n = a.attname AND contype = 'f' ORDER BY ft LIMIT "
	"1), ''), "
	"coalesce((SELECT ft FROM k WHERE n = a.attname AND contype = 'f' ORDER BY ft LIMIT "
	"1), ''), "
	"coalesce((SELECT fc FROM k WHERE n = a.attname AND contype = 'f' ORDER BY ft LIMIT "
	"1), '') "
	"FROM pg_attribute a JOIN t ON a.attrelid = t.id WHERE a.attnum > 0 AND NOT "
	"a.attisdropped "
	"AND a.attname ~ '^[A-Za-z_][A-Za-z_0-9]*$' ORDER BY a.attnum";

enum { NAME, FILLED, UNIQUE, LOW, HIGH, TO_SCHEMA, TO_TABLE, TO_COLUMN };

struct server {
	struct sotto_libpq api;
	PGconn *connection;
	struct sotto_arena *arena;
};

static const char *text_at(struct server *s, const PGresult *r, int row, int column)
{
	const char *text = s->api.PQgetvalue(r, row, column);

	return *text ? sotto_arena_text(s->arena, text) : NULL;
}

static PGresult *ask(struct server *s, const char *sql, const char *name)
{
	PGresult *r = s->api.PQexecParams(s->connection, sql, name ? 1 : 0, NULL, &name, NULL,
					  NULL, 0);

	if (r && s->api.PQresultStatus(r) == PGRES_TUPLES_OK)
		return r;
	s->api.PQclear(r);
	return NULL;
}

static enum sotto_status
add_column(struct server *s, const PGresult *r, int row, struct sotto_declared_table *t)
{
	struct sotto_declared_column *c = SOTTO_PUSH(s->arena, t->columns, t->column_count);

	if (!c)
		return SOTTO_ENOMEM;
	*c = (struct sotto_declared_column){.name = text_at(s, r, row, NAME),
					    .filled = text_at(s, r, row, FILLED) != NULL,
					    .unique = text_at(s, r, row, UNIQUE) != NULL,
					    .lo = text_at(s, r, row, LOW),
					    .hi = text_at(s, r, row, HIGH),
					    .to_schema = text_at(s, r, row, TO_SCHEMA),
					    .to_table = text_at(s, r, row, TO_TABLE),
					    .to_column = text_at(s, r, row, TO_COLUMN)};
	return c->name ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
look(struct server *s, const char *name, struct sotto_declared_table *t)
{
	enum sotto_status st = SOTTO_OK;
	PGresult *r = ask(s, table_sql, name);

	if (!r)
		return SOTTO_EIO;
	*t = (struct sotto_declared_table){.schema = "", .name = ""};
	if (s->api.PQntuples(r) == 1) {
		t->schema = text_at(s, r, 0, 0);
		t->name = text_at(s, r, 0, 1);
	}
	s->api.PQclear(r);
	if (!t->schema || !t->name)
		return SOTTO_ENOMEM;
	r = ask(s, columns_sql, name);
	if (!r)
		return SOTTO_EIO;
	for (int i = 0; st == SOTTO_OK && i < s->api.PQntuples(r); i++)
		st = add_column(s, r, i, t);
	s->api.PQclear(r);
	return st;
}

static enum sotto_status
connect_to(struct server *s, struct sotto_arena *a, const char *dsn, struct sotto_error *err)
{
	*s = (struct server){.arena = a};
	SOTTO_TRY(sotto_libpq_load(&s->api, err));
	s->connection = sotto_postgres_connect(&s->api, dsn, err);
	return s->connection ? SOTTO_OK : SOTTO_EIO;
}

static enum sotto_status list_tables(struct server *s, const char *const **names, size_t *count)
{
	PGresult *r = ask(s, tables_sql, NULL);
	const char **list;
	int n;

	if (!r)
		return SOTTO_EIO;
	n = s->api.PQntuples(r);
	list = sotto_arena_alloc(s->arena, ((size_t)n + 1) * sizeof *list);
	for (int i = 0; list && i < n; i++)
		list[i] = text_at(s, r, i, 0);
	s->api.PQclear(r);
	*names = list;
	*count = (size_t)n;
	return list ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_postgres_tables(struct sotto_arena *a, const char *dsn,
					const char *const **names, size_t *count,
					struct sotto_error *err)
{
	struct server s;
	enum sotto_status st;

	SOTTO_TRY(connect_to(&s, a, dsn, err));
	st = list_tables(&s, names, count);
	s.api.PQfinish(s.connection);
	return st == SOTTO_EIO ? sotto_fail(err, st,
					    "the catalogue of the database could not be "
					    "read")
			       : st;
}

enum sotto_status sotto_postgres_declared(struct sotto_arena *a, const char *dsn,
					  const char *const *names, size_t count,
					  struct sotto_declared_table **tables,
					  struct sotto_error *err)
{
	struct sotto_declared_table *list = sotto_arena_alloc(a, (count + 1) * sizeof *list);
	struct server s;
	enum sotto_status st = list ? SOTTO_OK : SOTTO_ENOMEM;

	SOTTO_TRY(st);
	SOTTO_TRY(connect_to(&s, a, dsn, err));
	for (size_t i = 0; st == SOTTO_OK && i < count; i++)
		st = look(&s, names[i], &list[i]);
	s.api.PQfinish(s.connection);
	*tables = list;
	return st == SOTTO_EIO ? sotto_fail(err, st,
					    "the catalogue of the database could not be "
					    "read")
			       : st;
}
