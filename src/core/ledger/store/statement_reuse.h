/*
 * statement_reuse.h - prepares each SQL text once for a connection
 *
 * Parsing a statement costs more than running most of ours.  SQLite keeps the statements of a
 * connection: one that has ended waits there for the next use of the same text.
 */
#ifndef SOTTO_STATEMENT_REUSE_H
#define SOTTO_STATEMENT_REUSE_H

#include <sqlite3.h>

/*
 * Returns a statement with that text and no bound values, and SQLite's code.  A statement between
 * its first step and its end is never handed out again; between preparing and the first step
 * nobody may ask for the same text.
 */
int sotto_statement_reuse(sqlite3 *db, const char *sql, sqlite3_stmt **out);

/*
 * Ends a use; does nothing for NULL.  Returns the result of the last step: SQLITE_OK or an error.
 */
int sotto_statement_end(sqlite3_stmt *q);

/* Closes a connection and all its statements; does nothing for NULL. */
void sotto_statement_close(sqlite3 *db);

#endif
