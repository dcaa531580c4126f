#include "engine/postgres_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/failure.h"

/* Under the search path of the role: the owner's name for it. */
static const char find_name[] = "SELECT pg_catalog.to_regclass($1)::pg_catalog.oid";

/*
 * Rows can be read by their place (ctid) from a heap that has no children, which
 * have places of their own, and by who may read all of it.  A foreign table is read
 * elsewhere, at another moment, by a reader that may fail on a row: it is none, and
 * no table has one among its children.
 */
static const char find_table[] =
	"WITH RECURSIVE family(id) AS (SELECT $1::oid UNION SELECT i.inhrelid FROM "
	"pg_inherits i JOIN family f ON i.inhparent = f.id) "
	"SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname), "
	"GREATEST(c.reltuples, 0)::int8, "
	"CASE WHEN c.relkind IN ('r', 'm') AND a.amname = 'heap' AND NOT EXISTS (SELECT 1 FROM "
	"pg_inherits i WHERE i.inhparent = c.oid) AND has_table_privilege(c.oid, 'SELECT') "
	"THEN pg_relation_size(c.oid) / current_setting('block_size')::int8 ELSE 0 END "
	"FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
	"LEFT JOIN pg_am a ON a.oid = c.relam "
	"WHERE c.oid = $1 AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT EXISTS (SELECT 1 FROM "
	"family f JOIN pg_class k ON k.oid = f.id WHERE k.relkind = 'f')";

/*
 * A domain is sent as the type that it stands on.  `inside` has all that a type is
 * made of: a column is left out if a type of somebody else's making, whose output
 * function may do anything, is in there, or if quotes within quotes could double its
 * text more than eight times.  So is a column that is computed when it is read.
 */
static const char find_columns[] =
	"WITH RECURSIVE b(number, name, type, modifier) AS (SELECT a.attnum, a.attname, "
	"a.atttypid, a.atttypmod FROM pg_attribute a WHERE a.attrelid = $1 AND a.attnum > 0 "
	"AND NOT a.attisdropped AND a.attgenerated <> 'v' AND "
	"has_column_privilege(a.attrelid, a.attnum, 'SELECT') "
	"UNION ALL SELECT b.number, b.name, t.typbasetype, t.typtypmod "
	"FROM b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd'), "
	"base AS (SELECT b.*, t.typlen, t.typoutput = 'array_out'::regproc AS is_list, "
	"t.oid IN ('text'::regtype, 'bpchar'::regtype, 'name'::regtype) OR EXISTS (SELECT 1 "
	"FROM pg_cast c WHERE c.castsource = t.oid AND c.casttarget = 'text'::regtype AND "
	"c.castmethod = 'b') AS is_text "
	"FROM b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd'), "
	"inside(number, type, level) AS (SELECT number, type, 0 FROM base WHERE NOT is_text "
	"UNION SELECT i.number, x.type, i.level + 1 FROM inside i JOIN pg_type t ON "
	"t.oid = i.type CROSS JOIN LATERAL (SELECT t.typbasetype WHERE t.typtype = 'd' "
	"UNION ALL SELECT t.typelem WHERE t.typoutput = 'array_out'::regproc "
	"UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE t.oid IN (r.rngtypid, "
	"r.rngmultitypid) UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE "
	"t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT "
	"a.attisdropped) AS x(type) WHERE i.level <= 8) "
	"SELECT name, quote_ident(name), type, modifier, CASE WHEN is_text THEN 't' WHEN "
	"typlen > 0 THEN 'f' ELSE (CASE WHEN EXISTS (SELECT 1 FROM inside i WHERE i.number = "
	"base.number AND (i.type = 'jsonpath'::regtype OR i.level > 0 AND i.type IN "
	"('numeric'::regtype, 'jsonb'::regtype))) THEN CASE WHEN is_list THEN 'L' ELSE 'O' END "
	"WHEN is_list THEN 'l' ELSE 'o' END) END FROM base "
	"WHERE NOT EXISTS (SELECT 1 FROM inside i JOIN pg_type t ON t.oid = i.type "
	"WHERE i.number = base.number AND (i.level > 8 OR t.typtype = 'p' OR t.typtype = 'b' "
	"AND t.oid >= 16384 AND t.typoutput <> 'array_out'::regproc)) ORDER BY number";

/* Of the server's words only the code of the error is looked at. */
static enum sotto_status
outcome(const struct sotto_libpq *api, const PGresult *r, ExecStatusType wanted)
{
	static const char lock_not_available[] = "55P03";
	const char *code;

	if (api->PQresultStatus(r) == wanted)
		return SOTTO_OK;
	code = api->PQresultErrorField(r, PG_DIAG_SQLSTATE);
	return code && strcmp(code, lock_not_available) == 0 ? SOTTO_ESTATE : SOTTO_EIO;
}

static enum sotto_status
run(const struct sotto_libpq *api, PGconn *c, const char *sql, ExecStatusType wanted)
{
	PGresult *r = api->PQexec(c, sql);
	enum sotto_status st = outcome(api, r, wanted);

	api->PQclear(r);
	return st;
}

/* *out is to be cleared only on success. */
static enum sotto_status ask(const struct sotto_libpq *api, PGconn *c, const char *sql,
			     const char *parameter, PGresult **out)
{
	PGresult *r = api->PQexecParams(c, sql, 1, NULL, &parameter, NULL, NULL, 0);
	enum sotto_status st = outcome(api, r, PGRES_TUPLES_OK);

	if (st == SOTTO_OK)
		*out = r;
	else
		api->PQclear(r);
	return st;
}

static enum sotto_status read_columns(const struct sotto_libpq *api, const PGresult *r,
				      struct sotto_arena *arena,
				      struct sotto_postgres_table *out)
{
	for (int i = 0; i < api->PQntuples(r); i++) {
		struct sotto_postgres_column *c =
			SOTTO_PUSH(arena, out->columns, out->column_count);
		const struct sotto_postgres_origin origin = {
			.oid = (uint32_t)strtoul(api->PQgetvalue(r, i, 2), NULL, 10),
			.modifier = (int32_t)strtol(api->PQgetvalue(r, i, 3), NULL, 10),
			.shape = (enum sotto_postgres_shape)api->PQgetvalue(r, i, 4)[0],
		};

		if (!c)
			return SOTTO_ENOMEM;
		c->name = sotto_arena_text(arena, api->PQgetvalue(r, i, 0));
		c->type = sotto_postgres_type_of(origin);
		c->expression =
			sotto_postgres_expression(arena, origin, api->PQgetvalue(r, i, 1));
		if (!c->name || !c->expression)
			return SOTTO_ENOMEM;
	}
	return out->column_count > 0 ? SOTTO_OK : SOTTO_EMISSING;
}

/*
 * No row is read, but the server says now what it would refuse after the charge,
 * and keeps the locks of all that the query reads.
 */
static enum sotto_status
try_out(const struct sotto_libpq *api, PGconn *connection, const struct sotto_postgres_table *t)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 24);
	st = sotto_buffer_append_text(&b, "SELECT ");
	for (size_t i = 0; st == SOTTO_OK && i < t->column_count; i++)
		st = sotto_buffer_appendf(&b, "%s%s", i ? ", " : "", t->columns[i].expression);
	if (st == SOTTO_OK)
		st = sotto_buffer_appendf(&b, " FROM %s LIMIT 0", t->relation);
	if (st == SOTTO_OK)
		st = run(api, connection, sotto_buffer_text(&b), PGRES_TUPLES_OK);
	sotto_buffer_release(&b);
	return st;
}

static enum sotto_status read_table(const struct sotto_libpq *api, PGconn *connection,
				    const PGresult *r, struct sotto_arena *arena,
				    struct sotto_postgres_table *out)
{
	PGresult *columns;
	enum sotto_status st;

	if (api->PQntuples(r) != 1)
		return SOTTO_EMISSING;
	out->relation = sotto_arena_text(arena, api->PQgetvalue(r, 0, 1));
	out->rows = strtoull(api->PQgetvalue(r, 0, 2), NULL, 10);
	out->blocks = strtoull(api->PQgetvalue(r, 0, 3), NULL, 10);
	if (!out->relation)
		return SOTTO_ENOMEM;
	/* First the lock, then the columns: they cannot change in between. */
	SOTTO_TRY(sotto_postgres_lock(api, connection, out));
	SOTTO_TRY(ask(api, connection, find_columns, api->PQgetvalue(r, 0, 0), &columns));
	st = read_columns(api, columns, arena, out);
	api->PQclear(columns);
	return st == SOTTO_OK ? try_out(api, connection, out) : st;
}

enum sotto_status sotto_postgres_look(const struct sotto_libpq *api, PGconn *connection,
				      const char *name, struct sotto_arena *arena,
				      struct sotto_postgres_table *out)
{
	struct sotto_postgres_table table = {0};
	PGresult *number, *r;
	enum sotto_status st;

	SOTTO_TRY(run(api, connection, "SET LOCAL search_path TO DEFAULT", PGRES_COMMAND_OK));
	SOTTO_TRY(ask(api, connection, find_name, name, &number));
	st = run(api, connection, "SET LOCAL search_path = pg_catalog", PGRES_COMMAND_OK);
	if (st == SOTTO_OK && api->PQgetisnull(number, 0, 0))
		st = SOTTO_EMISSING;
	if (st == SOTTO_OK)
		st = ask(api, connection, find_table, api->PQgetvalue(number, 0, 0), &r);
	api->PQclear(number);
	SOTTO_TRY(st);
	st = read_table(api, connection, r, arena, &table);
	api->PQclear(r);
	if (st == SOTTO_OK)
		*out = table;
	return st;
}

enum sotto_status sotto_postgres_lock(const struct sotto_libpq *api, PGconn *connection,
				      const struct sotto_postgres_table *table)
{
	struct sotto_buffer b;
	enum sotto_status st;

	/* LOCK would ask for more rights than reading some columns needs. */
	sotto_buffer_init(&b, 1 << 12);
	st = sotto_buffer_appendf(&b, "SELECT 1 FROM %s LIMIT 0", table->relation);
	if (st == SOTTO_OK)
		st = run(api, connection, sotto_buffer_text(&b), PGRES_TUPLES_OK);
	sotto_buffer_release(&b);
	return st;
}
