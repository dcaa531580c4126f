/*
 * postgres_transaction.h - one connection to PostgreSQL: statements, a read-only transaction,
 * and whether the server is one that can be read
 */
#ifndef SOTTO_POSTGRES_TRANSACTION_H
#define SOTTO_POSTGRES_TRANSACTION_H

#include <stdbool.h>
#include <stddef.h>

#include "central/engine/postgres/postgres_library.h"
#include "sotto/status.h"

enum { SOTTO_POSTGRES_IDENTITY = 64 };

/* False if the server refuses the statement, or is gone. */
bool sotto_postgres_execute(const struct sotto_libpq *api, PGconn *c, const char *sql);

/* The one value that a statement gives; false also if it does not fit. */
bool sotto_postgres_answer(const struct sotto_libpq *api, PGconn *c, const char *sql, char *out,
			   size_t size);

/* A read-only transaction with the settings of every read; no statement may take longer. */
bool sotto_postgres_begin_on(const struct sotto_libpq *api, PGconn *c, unsigned seconds);

/* The name of the server's process, SOTTO_POSTGRES_IDENTITY bytes: no other server has it. */
bool sotto_postgres_identify(const struct sotto_libpq *api, PGconn *c, char *identity);

/*
 * Whether tables of this server can be read; writes its identity.
 *
 * Fails: SOTTO_EIO, with a sentence that says what to change.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_postgres_check(const struct sotto_libpq *api,
							PGconn *c, char *identity,
							struct sotto_error *err);

#endif
