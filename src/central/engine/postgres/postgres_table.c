/*
 * Finds the name under the role's search path, then works under pg_catalog alone; locks the
 * table before it reads the columns, and tries every expression out on no rows.
 */
#include "central/engine/postgres/postgres_table.h"

#include <stdlib.h>
#include <string.h>

#include "central/engine/postgres/postgres_lookup.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

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
		const char *const cells[] = {api->PQgetvalue(r, i, 2), api->PQgetvalue(r, i, 3),
					     api->PQgetvalue(r, i, 4), api->PQgetvalue(r, i, 5),
					     api->PQgetvalue(r, i, 6)};
		const struct sotto_postgres_origin origin = sotto_postgres_origin(cells);

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
	SOTTO_TRY(ask(api, connection, sotto_postgres_find_columns, api->PQgetvalue(r, 0, 0),
		      &columns));
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
	SOTTO_TRY(ask(api, connection, sotto_postgres_find_name, name, &number));
	st = run(api, connection, "SET LOCAL search_path = pg_catalog", PGRES_COMMAND_OK);
	if (st == SOTTO_OK && api->PQgetisnull(number, 0, 0))
		st = SOTTO_EMISSING;
	if (st == SOTTO_OK)
		st = ask(api, connection, sotto_postgres_find_table,
			 api->PQgetvalue(number, 0, 0), &r);
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
