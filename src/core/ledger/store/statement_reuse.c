/*
 * Looks through the statements of the connection for an idle one with the same text; all are
 * finalized when it is closed.
 */
#include "core/ledger/store/statement_reuse.h"

#include <string.h>

int sotto_statement_reuse(sqlite3 *db, const char *sql, sqlite3_stmt **out)
{
	for (sqlite3_stmt *q = sqlite3_next_stmt(db, NULL); q; q = sqlite3_next_stmt(db, q)) {
		if (!sqlite3_stmt_busy(q) && strcmp(sqlite3_sql(q), sql) == 0) {
			*out = q;
			return SQLITE_OK;
		}
	}
	return sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
}

int sotto_statement_end(sqlite3_stmt *q)
{
	int code = sqlite3_reset(q);

	if (q)
		(void)sqlite3_clear_bindings(q);
	return code;
}

void sotto_statement_close(sqlite3 *db)
{
	sqlite3_stmt *q;

	while (db && (q = sqlite3_next_stmt(db, NULL)) != NULL)
		(void)sqlite3_finalize(q);
	(void)sqlite3_close(db);
}
