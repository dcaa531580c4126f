/*
 * postgres_connect.h - one connection to a PostgreSQL server, or why there is none
 *
 * No word of libpq or of the server is passed on: they quote connection strings,
 * with passwords in them, and rows.
 */
#ifndef SOTTO_ENGINE_POSTGRES_CONNECT_H
#define SOTTO_ENGINE_POSTGRES_CONNECT_H

#include "engine/postgres_library.h"

/*
 * dsn is a connection string; what it does not say is taken from the PG*
 * environment.  NULL: all of it.  NULL if there is no connection; *err, which may be
 * NULL, then says what to look at.
 */
PGconn *
sotto_postgres_connect(const struct sotto_libpq *api, const char *dsn, struct sotto_error *err);

#endif
