/*
 * ledger_statement.h - one SQL statement of the store: prepare, bind, run, read
 */
#ifndef SOTTO_LEDGER_STATEMENT_H
#define SOTTO_LEDGER_STATEMENT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/ledger/ledger_chain.h"
#include "core/ledger/store/ledger_store.h"

SOTTO_MUST_CHECK enum sotto_status sotto_statement_prepare(struct sotto_store *s,
							   const char *sql, sqlite3_stmt **out,
							   struct sotto_error *err);

/* Runs a statement that gives no row, and ends it; not if binding its values `failed`. */
SOTTO_MUST_CHECK enum sotto_status sotto_statement_finish(struct sotto_store *s,
							  sqlite3_stmt *q, int failed,
							  struct sotto_error *err);

/* Prepares and runs it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_statement_run(struct sotto_store *s, const char *sql, struct sotto_error *err);

/* Values are copied.  SQLITE_OK, or what went wrong. */
int sotto_statement_bind_hash(sqlite3_stmt *q, int at, const uint8_t *hash);
int sotto_statement_bind_text(sqlite3_stmt *q, int at, const char *text);

/* The four values from `at` on. */
int sotto_statement_bind_cost(sqlite3_stmt *q, int at, const struct sotto_chain_cost *cost);

/* False if the value is not a hash. */
bool sotto_statement_hash(sqlite3_stmt *q, int column, uint8_t out[SOTTO_HASH_BYTES]);

/* NULL if the value is not a text.  Borrowed until the next step. */
const char *sotto_statement_text(sqlite3_stmt *q, int column);

/* The four values from `column` on; false if one is missing. */
bool sotto_statement_cost(sqlite3_stmt *q, int column, struct sotto_chain_cost *out);

#endif
