/*
 * ledger_statement.h - prepares, binds, runs and reads one SQL statement of the store
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

/* Runs a statement that returns no row, unless binding its values `failed`, and ends it. */
SOTTO_MUST_CHECK enum sotto_status sotto_statement_finish(struct sotto_store *s,
							  sqlite3_stmt *q, int failed,
							  struct sotto_error *err);

/* Prepares and runs a statement. */
SOTTO_MUST_CHECK enum sotto_status
sotto_statement_run(struct sotto_store *s, const char *sql, struct sotto_error *err);

/* Copy their values.  Return SQLITE_OK or SQLite's error. */
int sotto_statement_bind_hash(sqlite3_stmt *q, int at, const uint8_t *hash);
int sotto_statement_bind_text(sqlite3_stmt *q, int at, const char *text);

/* Binds the four values from `at` on. */
int sotto_statement_bind_cost(sqlite3_stmt *q, int at, const struct sotto_chain_cost *cost);

/* Reads a hash; false if the value is not one. */
bool sotto_statement_hash(sqlite3_stmt *q, int column, uint8_t out[SOTTO_HASH_BYTES]);

/* Returns a text, borrowed until the next step; NULL if the value is not a text. */
const char *sotto_statement_text(sqlite3_stmt *q, int column);

/* Reads the four values from `column` on; false if one is missing. */
bool sotto_statement_cost(sqlite3_stmt *q, int column, struct sotto_chain_cost *out);

#endif
