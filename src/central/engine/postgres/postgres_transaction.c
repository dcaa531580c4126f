/*
 * A transaction is begun and set up in one message; a server that is too old, not UTF-8, behind
 * a pooler or short of stack is refused.
 */
#include "central/engine/postgres/postgres_transaction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/postgres/postgres_lookup.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

enum { OLDEST = 15, LOCK_SECONDS = 5 };

bool sotto_postgres_execute(const struct sotto_libpq *api, PGconn *c, const char *sql)
{
	PGresult *r = api->PQexec(c, sql);
	ExecStatusType got = api->PQresultStatus(r);

	api->PQclear(r);
	return got == PGRES_COMMAND_OK || got == PGRES_TUPLES_OK;
}

bool sotto_postgres_answer(const struct sotto_libpq *api, PGconn *c, const char *sql, char *out,
			   size_t size)
{
	PGresult *r = api->PQexec(c, sql);
	bool ok = api->PQresultStatus(r) == PGRES_TUPLES_OK && api->PQntuples(r) == 1;

	if (ok)
		ok = snprintf(out, size, "%s", api->PQgetvalue(r, 0, 0)) < (int)size;
	api->PQclear(r);
	return ok;
}

/* How long anything may take; transaction_timeout is of later servers. */
static enum sotto_status write_begin(struct sotto_buffer *b, unsigned seconds, int version)
{
	SOTTO_TRY(
		sotto_buffer_append_text(b, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
	for (const char *const *s = sotto_postgres_settings; *s; s++)
		SOTTO_TRY(sotto_buffer_appendf(b, "; SET LOCAL %s", *s));
	return sotto_buffer_appendf(
		b,
		"; SET LOCAL lock_timeout = '%us'; SET LOCAL statement_timeout = '%us'; "
		"SET LOCAL idle_in_transaction_session_timeout = '%us'%s",
		(unsigned)LOCK_SECONDS, seconds, seconds,
		version >= 170000 ? "; SET LOCAL transaction_timeout = 0" : "");
}

bool sotto_postgres_begin_on(const struct sotto_libpq *api, PGconn *c, unsigned seconds)
{
	struct sotto_buffer b;
	bool ok;

	sotto_buffer_init(&b, 1 << 12);
	ok = write_begin(&b, seconds, api->PQserverVersion(c)) == SOTTO_OK &&
	     sotto_postgres_execute(api, c, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return ok;
}

/*
 * When the server was started, to the microsecond, is a name that no other has: as a numeric,
 * whose text no setting changes (a role with extra_float_digits = 0 would round a float).
 */
bool sotto_postgres_identify(const struct sotto_libpq *api, PGconn *c, char *identity)
{
	return sotto_postgres_answer(
		api, c, "SELECT EXTRACT(epoch FROM pg_catalog.pg_postmaster_start_time())",
		identity, SOTTO_POSTGRES_IDENTITY);
}

/* A pooler makes up the number of the process, since it has many. */
static bool has_pooler(const struct sotto_libpq *api, PGconn *c)
{
	char number[16];

	return sotto_postgres_answer(api, c, "SELECT pg_catalog.pg_backend_pid()", number,
				     sizeof number) &&
	       strtol(number, NULL, 10) != api->PQbackendPID(c);
}

/* Half of the default: no value that is sent nests deeper than a third of it needs. */
static const char stack_is_deep[] =
	"SELECT pg_catalog.pg_size_bytes(pg_catalog.current_setting('max_stack_depth')) >= "
	"1048576";

/*
 * In UTF8 every text is one that the engine knows; of any other encoding a text
 * may have no translation, and the failure would tell about its row.
 */
enum sotto_status sotto_postgres_check(const struct sotto_libpq *api, PGconn *c, char *identity,
				       struct sotto_error *err)
{
	int version = api->PQserverVersion(c) / 10000;
	char encoding[32], stack[8];

	if (version < OLDEST)
		return sotto_fail(err, SOTTO_EIO,
				  "the PostgreSQL server has version %d; %d or later is needed",
				  version, OLDEST);
	if (!sotto_postgres_answer(api, c, "SHOW server_encoding", encoding, sizeof encoding) ||
	    !sotto_postgres_identify(api, c, identity) ||
	    !sotto_postgres_answer(api, c, stack_is_deep, stack, sizeof stack))
		return sotto_fail(err, SOTTO_EIO,
				  "the server does not answer as PostgreSQL does");
	if (strcmp(encoding, "UTF8") != 0)
		return sotto_fail(err, SOTTO_EIO,
				  "the PostgreSQL database is encoded in %s; only databases in "
				  "UTF8 can be asked",
				  encoding);
	if (strcmp(stack, "t") != 0)
		return sotto_fail(
			err, SOTTO_EIO,
			"max_stack_depth of the PostgreSQL server is below 1MB; raise "
			"it");
	if (has_pooler(api, c))
		return sotto_fail(err, SOTTO_EIO,
				  "a connection pooler is in front of PostgreSQL, and one "
				  "snapshot cannot be shared through it; name the server "
				  "itself in dsn");
	return SOTTO_OK;
}
