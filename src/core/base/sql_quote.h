/*
 * sql_quote.h - quotes names and texts for SQL
 *
 * A name stands between double quotes (or the server's own mark), a text between single quotes,
 * and each mark inside is doubled.  Every name and text that goes into SQL goes through here.
 */
#ifndef SOTTO_SQL_QUOTE_H
#define SOTTO_SQL_QUOTE_H

#include "core/base/arena.h"
#include "core/base/buffer.h"

/* Return the quoted name or text; NULL when the arena is full. */
const char *sotto_sql_quote_name(struct sotto_arena *a, const char *name);
const char *sotto_sql_quote_text(struct sotto_arena *a, const char *text);

/* Returns the text between two marks; NULL when the arena is full. */
const char *sotto_sql_quote(struct sotto_arena *a, const char *text, char mark);

/*
 * Appends the text between two marks to the buffer, or nothing at all if that fails.
 *
 * Fails:    SOTTO_ERANGE past the cap, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_append_quoted(struct sotto_buffer *b, const char *text, char mark);

#endif
