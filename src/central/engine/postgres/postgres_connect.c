/*
 * The encoding stands behind the connection string and overrides it; a failure becomes one of a
 * few fixed sentences, found by pinging the server.
 */
#include "central/engine/postgres/postgres_connect.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/failure.h"

enum { PARAMETERS = 6 };

struct parameters {
	const char *names[PARAMETERS], *values[PARAMETERS];
};

/* ---- the password file --------------------------------------------------------- */

/* Where libpq will look; false if there is no such place. */
static bool password_file(const struct sotto_libpq *api, const char *dsn, char *path, size_t n)
{
	PQconninfoOption *options = dsn ? api->PQconninfoParse(dsn, NULL) : NULL;
	const char *said = NULL, *home = getenv("HOME");
	int length;

	for (PQconninfoOption *o = options; o && o->keyword; o++)
		if (strcmp(o->keyword, "passfile") == 0)
			said = o->val;
	if (!said || !*said)
		said = getenv("PGPASSFILE");
	if (said && *said)
		length = snprintf(path, n, "%s", said);
	else
		length = snprintf(path, n, "%s/.pgpass", home ? home : "");
	if (options)
		api->PQconninfoFree(options);
	return length > 0 && (size_t)length < n;
}

/* libpq passes over a file that others can read, but prints its name first. */
static bool is_passed_over(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 &&
	       (!S_ISREG(s.st_mode) || (s.st_mode & (S_IRWXG | S_IRWXO)) != 0);
}

/* ---- connecting ------------------------------------------------------------------ */

/* What stands after the string overrides it; the waiting time stands before it. */
static struct parameters parameters_of(const struct sotto_libpq *api, const char *dsn)
{
	struct parameters p = {
		.names = {"connect_timeout", "dbname", "client_encoding",
			  "fallback_application_name"},
		.values = {"10", dsn, "UTF8", "sotto"},
	};
	char path[PATH_MAX];

	if (password_file(api, dsn, path, sizeof path) && is_passed_over(path)) {
		p.names[4] = "passfile";
		p.values[4] = "/nonexistent/pgpass";
	}
	return p;
}

/* Notices would be printed, and a view may say in them what is in a row. */
static void ignore_notice(void *context, const PGresult *notice)
{
	(void)context;
	(void)notice;
}

static const char *why_not(const struct sotto_libpq *api, const struct parameters *p, PGconn *c)
{
	switch (api->PQpingParams(p->names, p->values, 1)) {
	case PQPING_NO_ATTEMPT:
		return "the connection string is malformed, or has an option that libpq does "
		       "not know; write dsn like host=db.example dbname=clinic";
	case PQPING_NO_RESPONSE:
		return "no server answers there; check host and port in dsn, or PGHOST and "
		       "PGPORT";
	case PQPING_REJECT:
		return "the server accepts no connections now; ask again later";
	case PQPING_OK:
		break;
	}
	if (c && api->PQconnectionNeedsPassword(c))
		return "the server asks for a password; put it into ~/.pgpass, "
		       "which only you may read";
	return "the server refused the role, its password or the database, or has no "
	       "connection to spare; check user and dbname in dsn, or PGUSER and PGDATABASE";
}

PGconn *
sotto_postgres_connect(const struct sotto_libpq *api, const char *dsn, struct sotto_error *err)
{
	struct parameters p = parameters_of(api, dsn);
	PGconn *c = api->PQconnectdbParams(p.names, p.values, 1);

	if (c && api->PQstatus(c) == CONNECTION_OK) {
		(void)api->PQsetNoticeReceiver(c, ignore_notice, NULL);
		return c;
	}
	if (err)
		(void)sotto_fail(err, SOTTO_EIO, "PostgreSQL could not be reached: %s",
				 why_not(api, &p, c));
	if (c)
		api->PQfinish(c);
	return NULL;
}
