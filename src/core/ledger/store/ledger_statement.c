/*
 * Binds copies of every text and blob; what is read back is checked for being there, and hashes
 * for their length, since the file may be damaged.
 */
#include "core/ledger/store/ledger_statement.h"

#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/statement_reuse.h"

enum sotto_status sotto_statement_prepare(struct sotto_store *s, const char *sql,
					  sqlite3_stmt **out, struct sotto_error *err)
{
	if (sotto_statement_reuse(s->db, sql, out) == SQLITE_OK)
		return SOTTO_OK;
	return sotto_store_failure(s, err);
}

enum sotto_status sotto_statement_finish(struct sotto_store *s, sqlite3_stmt *q, int failed,
					 struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	if (failed || sqlite3_step(q) != SQLITE_DONE)
		st = sotto_store_failure(s, err);
	(void)sotto_statement_end(q);
	return st;
}

enum sotto_status
sotto_statement_run(struct sotto_store *s, const char *sql, struct sotto_error *err)
{
	sqlite3_stmt *q;

	SOTTO_TRY(sotto_statement_prepare(s, sql, &q, err));
	return sotto_statement_finish(s, q, SQLITE_OK, err);
}

int sotto_statement_bind_hash(sqlite3_stmt *q, int at, const uint8_t *hash)
{
	return sqlite3_bind_blob(q, at, hash, SOTTO_HASH_BYTES, SQLITE_TRANSIENT);
}

int sotto_statement_bind_text(sqlite3_stmt *q, int at, const char *text)
{
	return sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
}

int sotto_statement_bind_cost(sqlite3_stmt *q, int at, const struct sotto_chain_cost *cost)
{
	return sqlite3_bind_int(q, at, cost->bounded) |
	       sotto_statement_bind_text(q, at + 1, cost->epsilon) |
	       sotto_statement_bind_text(q, at + 2, cost->delta) |
	       sotto_statement_bind_text(q, at + 3, cost->rho);
}

bool sotto_statement_hash(sqlite3_stmt *q, int column, uint8_t out[SOTTO_HASH_BYTES])
{
	const void *bytes = sqlite3_column_blob(q, column);

	if (!bytes || sqlite3_column_bytes(q, column) != SOTTO_HASH_BYTES)
		return false;
	memcpy(out, bytes, SOTTO_HASH_BYTES);
	return true;
}

const char *sotto_statement_text(sqlite3_stmt *q, int column)
{
	return (const char *)sqlite3_column_text(q, column);
}

bool sotto_statement_cost(sqlite3_stmt *q, int column, struct sotto_chain_cost *out)
{
	*out = (struct sotto_chain_cost){
		.bounded = sqlite3_column_int(q, column) != 0,
		.epsilon = sotto_statement_text(q, column + 1),
		.delta = sotto_statement_text(q, column + 2),
		.rho = sotto_statement_text(q, column + 3),
	};
	return out->epsilon && out->delta && out->rho;
}
