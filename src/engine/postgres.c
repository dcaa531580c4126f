#include "engine/postgres.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "base/wipe.h"

enum { IDLE_MAX = 16, SNAPSHOT_MAX = 64 };

struct sotto_postgres {
	struct sotto_libpq api;
	char *dsn; /* may hold a password */
	PGconn *keeper; /* of the snapshot; also answers questions about the catalogue */
	char snapshot[SNAPSHOT_MAX];
	pthread_mutex_t lock;
	PGconn *idle[IDLE_MAX];
	size_t idle_count;
};

const struct sotto_libpq *sotto_postgres_api(const struct sotto_postgres *p)
{
	return &p->api;
}

/* ---- connections ------------------------------------------------------------- */

static bool execute(const struct sotto_postgres *p, PGconn *c, const char *sql)
{
	PGresult *r = p->api.PQexec(c, sql);
	bool ok = p->api.PQresultStatus(r) == PGRES_COMMAND_OK;

	p->api.PQclear(r);
	return ok;
}

/*
 * What the settings of a role or a database could change is set: texts of dates
 * and numbers, which functions a name means, how long a scan may take.
 */
static const char settings[] =
	"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
	"SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; "
	"SET LOCAL intervalstyle = 'postgres'; SET LOCAL bytea_output = 'hex'; "
	"SET LOCAL extra_float_digits = 1; SET LOCAL statement_timeout = 0; "
	"SET LOCAL idle_in_transaction_session_timeout = 0";

static PGconn *open_connection(const struct sotto_postgres *p)
{
	/* The waiting time stands before the string, which may say another. */
	const char *names[] = {"connect_timeout", "dbname", "client_encoding",
			       "fallback_application_name", NULL};
	const char *values[] = {"10", p->dsn, "UTF8", "sotto", NULL};

	return p->api.PQconnectdbParams(names, values, 1);
}

/* The first line of libpq's words: of servers, roles and passwords, never of rows. */
static enum sotto_status
unreachable(const struct sotto_postgres *p, PGconn *c, struct sotto_error *err)
{
	const char *words = c ? p->api.PQerrorMessage(c) : "out of memory";

	return sotto_fail(err, SOTTO_EIO,
			  "PostgreSQL could not be reached: %.*s; look at dsn in the policy, "
			  "or at PGHOST, PGDATABASE and PGUSER",
			  (int)strcspn(words, "\n"), words);
}

static bool answer(const struct sotto_postgres *p, const char *sql, char *out, size_t size)
{
	PGresult *r = p->api.PQexec(p->keeper, sql);
	bool ok = p->api.PQresultStatus(r) == PGRES_TUPLES_OK && p->api.PQntuples(r) == 1;

	if (ok)
		ok = snprintf(out, size, "%s", p->api.PQgetvalue(r, 0, 0)) < (int)size;
	p->api.PQclear(r);
	return ok;
}

/*
 * In UTF8 every text is one that the engine knows; of any other encoding a text
 * may have no translation, and the failure would tell about its row.
 */
static enum sotto_status start(struct sotto_postgres *p, struct sotto_error *err)
{
	char encoding[32];

	p->keeper = open_connection(p);
	if (!p->keeper || p->api.PQstatus(p->keeper) != CONNECTION_OK)
		return unreachable(p, p->keeper, err);
	if (!execute(p, p->keeper, settings) ||
	    !answer(p, "SHOW server_encoding", encoding, sizeof encoding) ||
	    !answer(p, "SELECT pg_catalog.pg_export_snapshot()", p->snapshot,
		    sizeof p->snapshot))
		return unreachable(p, p->keeper, err);
	if (strcmp(encoding, "UTF8") != 0)
		return sotto_fail(err, SOTTO_EIO,
				  "the PostgreSQL database is encoded in %s; only databases in "
				  "UTF8 can be asked",
				  encoding);
	return SOTTO_OK;
}

enum sotto_status
sotto_postgres_open(const char *dsn, struct sotto_postgres **out, struct sotto_error *err)
{
	struct sotto_postgres *p = calloc(1, sizeof *p);
	PGconn *first = NULL;
	enum sotto_status st;

	if (!p)
		return SOTTO_ENOMEM;
	if (pthread_mutex_init(&p->lock, NULL) != 0) {
		free(p);
		return SOTTO_ENOMEM;
	}
	st = sotto_libpq_load(&p->api, err);
	if (st == SOTTO_OK && dsn && !(p->dsn = strdup(dsn)))
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = start(p, err);
	/* Before anything is charged: a server may have no connection to spare. */
	if (st == SOTTO_OK && !(first = sotto_postgres_borrow(p)))
		st = sotto_fail(err, SOTTO_EIO,
				"PostgreSQL gave one connection; two are needed");
	if (st != SOTTO_OK) {
		sotto_postgres_close(p);
		return st;
	}
	sotto_postgres_give_back(p, first, true);
	*out = p;
	return SOTTO_OK;
}

void sotto_postgres_close(struct sotto_postgres *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->idle_count; i++)
		p->api.PQfinish(p->idle[i]);
	if (p->keeper)
		p->api.PQfinish(p->keeper);
	if (p->dsn)
		sotto_wipe(p->dsn, strlen(p->dsn));
	free(p->dsn);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}

static PGconn *open_another(const struct sotto_postgres *p)
{
	PGconn *c = open_connection(p);
	char sql[SNAPSHOT_MAX + 64];

	(void)snprintf(sql, sizeof sql, "SET TRANSACTION SNAPSHOT '%s'", p->snapshot);
	if (c && p->api.PQstatus(c) == CONNECTION_OK && execute(p, c, settings) &&
	    execute(p, c, sql) && execute(p, c, "SET LOCAL search_path = pg_catalog"))
		return c;
	if (c)
		p->api.PQfinish(c);
	return NULL;
}

PGconn *sotto_postgres_borrow(struct sotto_postgres *p)
{
	PGconn *c = NULL;

	(void)pthread_mutex_lock(&p->lock);
	if (p->idle_count > 0)
		c = p->idle[--p->idle_count];
	(void)pthread_mutex_unlock(&p->lock);
	return c ? c : open_another(p);
}

void sotto_postgres_give_back(struct sotto_postgres *p, PGconn *connection, bool is_idle)
{
	if (!connection)
		return;
	(void)pthread_mutex_lock(&p->lock);
	if (is_idle && p->idle_count < IDLE_MAX) {
		p->idle[p->idle_count++] = connection;
		connection = NULL;
	}
	(void)pthread_mutex_unlock(&p->lock);
	if (connection)
		p->api.PQfinish(connection);
}

/* ---- tables ------------------------------------------------------------------ */

/*
 * Rows can be read by their place (ctid) from a heap that has no children, which
 * have places of their own, and by who may read all of it.
 */
static const char find_table[] =
	"SELECT c.oid, pg_catalog.quote_ident(n.nspname) || '.' || "
	"pg_catalog.quote_ident(c.relname), "
	"GREATEST(c.reltuples, 0)::pg_catalog.int8, "
	"CASE WHEN c.relkind IN ('r', 'm') AND a.amname = 'heap' AND NOT EXISTS (SELECT 1 FROM "
	"pg_catalog.pg_inherits i WHERE i.inhparent = c.oid) AND "
	"pg_catalog.has_table_privilege(c.oid, 'SELECT') THEN "
	"pg_catalog.pg_relation_size(c.oid) / "
	"pg_catalog.current_setting('block_size')::pg_catalog.int8 ELSE 0 END "
	"FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
	"LEFT JOIN pg_catalog.pg_am a ON a.oid = c.relam "
	"WHERE c.oid = pg_catalog.to_regclass($1)::pg_catalog.oid AND c.relkind IN ('r', 'p', "
	"'v', 'm', 'f')";

/* A domain is sent as the type that it stands on. */
static const char find_columns[] =
	"WITH RECURSIVE b(number, name, type, modifier) AS (SELECT a.attnum, a.attname, "
	"a.atttypid, a.atttypmod FROM pg_catalog.pg_attribute a WHERE a.attrelid = $1 AND "
	"a.attnum > 0 AND NOT a.attisdropped AND pg_catalog.has_column_privilege(a.attrelid, "
	"a.attnum, 'SELECT') UNION ALL SELECT b.number, b.name, t.typbasetype, t.typtypmod "
	"FROM "
	"b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd') "
	"SELECT b.name, pg_catalog.quote_ident(b.name), b.type, b.modifier FROM b JOIN "
	"pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype <> 'd' ORDER BY b.number";

static PGresult *ask(const struct sotto_postgres *p, const char *sql, const char *parameter)
{
	return p->api.PQexecParams(p->keeper, sql, 1, NULL, &parameter, NULL, NULL, 0);
}

static enum sotto_status read_columns(const struct sotto_postgres *p, const PGresult *r,
				      struct sotto_arena *arena,
				      struct sotto_postgres_table *out)
{
	if (p->api.PQresultStatus(r) != PGRES_TUPLES_OK)
		return SOTTO_EIO;
	for (int i = 0; i < p->api.PQntuples(r); i++) {
		struct sotto_postgres_column *c =
			SOTTO_PUSH(arena, out->columns, out->column_count);
		uint32_t oid = (uint32_t)strtoul(p->api.PQgetvalue(r, i, 2), NULL, 10);

		if (!c)
			return SOTTO_ENOMEM;
		c->name = sotto_arena_text(arena, p->api.PQgetvalue(r, i, 0));
		c->type = sotto_postgres_type_of(
			oid, (int32_t)strtol(p->api.PQgetvalue(r, i, 3), NULL, 10));
		c->expression = sotto_postgres_expression(arena, oid, c->type,
							  p->api.PQgetvalue(r, i, 1));
		if (!c->name || !c->expression)
			return SOTTO_ENOMEM;
	}
	return out->column_count > 0 ? SOTTO_OK : SOTTO_EMISSING;
}

/* No row is read, but the server says now what it would refuse after the charge. */
static enum sotto_status
try_out(const struct sotto_postgres *p, const struct sotto_postgres_table *t)
{
	struct sotto_buffer b;
	enum sotto_status st;
	PGresult *r;

	sotto_buffer_init(&b, 1 << 24);
	st = sotto_buffer_append_text(&b, "SET LOCAL search_path = pg_catalog; SELECT ");
	for (size_t i = 0; st == SOTTO_OK && i < t->column_count; i++)
		st = sotto_buffer_appendf(&b, "%s%s", i ? ", " : "", t->columns[i].expression);
	if (st == SOTTO_OK)
		st = sotto_buffer_appendf(&b, " FROM %s LIMIT 0", t->relation);
	if (st == SOTTO_OK) {
		r = p->api.PQexec(p->keeper, sotto_buffer_text(&b));
		st = p->api.PQresultStatus(r) == PGRES_TUPLES_OK ? SOTTO_OK : SOTTO_EIO;
		p->api.PQclear(r);
	}
	sotto_buffer_release(&b);
	return st;
}

static enum sotto_status read_table(const struct sotto_postgres *p, const PGresult *r,
				    struct sotto_arena *arena, struct sotto_postgres_table *out)
{
	PGresult *columns;
	enum sotto_status st;

	if (p->api.PQresultStatus(r) != PGRES_TUPLES_OK)
		return SOTTO_EIO;
	if (p->api.PQntuples(r) != 1)
		return SOTTO_EMISSING;
	out->relation = sotto_arena_text(arena, p->api.PQgetvalue(r, 0, 1));
	out->rows = strtoull(p->api.PQgetvalue(r, 0, 2), NULL, 10);
	out->blocks = strtoull(p->api.PQgetvalue(r, 0, 3), NULL, 10);
	if (!out->relation)
		return SOTTO_ENOMEM;
	columns = ask(p, find_columns, p->api.PQgetvalue(r, 0, 0));
	st = read_columns(p, columns, arena, out);
	p->api.PQclear(columns);
	return st == SOTTO_OK ? try_out(p, out) : st;
}

enum sotto_status sotto_postgres_describe(struct sotto_postgres *p, const char *name,
					  struct sotto_arena *arena,
					  struct sotto_postgres_table *out)
{
	PGresult *r;
	enum sotto_status st;

	*out = (struct sotto_postgres_table){0};
	/* A name that is none is an error of the server, which would end the transaction. */
	if (!execute(p, p->keeper, "SAVEPOINT look"))
		return SOTTO_EIO;
	r = ask(p, find_table, name);
	st = read_table(p, r, arena, out);
	p->api.PQclear(r);
	if (!execute(p, p->keeper, "ROLLBACK TO look") ||
	    !execute(p, p->keeper, "RELEASE look"))
		return SOTTO_EIO;
	return st;
}
