/*
 * statement_reuse.h - prepares each SQL text once for a connection
 *
 * Parsing a statement costs more than running most of ours.  SQLite knows the statements of a
 * connection: one that has ended waits there for the next use of the same text.
 */
#ifndef SOTTO_STATEMENT_REUSE_H
#define SOTTO_STATEMENT_REUSE_H

#include <sqlite3.h>

/*
 * A statement of that text, with no value bound.  SQLite's code.  One that is between its first
 * step and its end is never given out again; between preparing and the first step nobody may
 * ask for the same text.
 */
int sotto_statement_reuse(sqlite3 *db, const char *sql, sqlite3_stmt **out);

/* Ends a use; nothing for NULL.  What its last step said: SQLITE_OK, or what went wrong. */
int sotto_statement_end(sqlite3_stmt *q);

/* Closes a connection and all its statements; nothing for NULL. */
void sotto_statement_close(sqlite3 *db);

#endif
