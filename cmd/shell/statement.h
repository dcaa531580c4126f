/*
 * statement.h - finds where a statement ends while its lines are typed
 *
 * A statement ends with a semicolon outside quoted texts, quoted names, comments and dollar
 * quotes.  Nothing else of SQL is understood here.
 */
#ifndef SOTTO_STATEMENT_H
#define SOTTO_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

enum { STATEMENT_MAX = 1 << 20 }; /* bytes, as for sotto query */

struct statement {
	char *text; /* ends with a NUL; NULL before the first line */
	size_t length;
	size_t scanned; /* how far it was scanned */
	char quote; /* the open quote: ' " ` $ - (line comment) * (block comment); 0: none */
	unsigned depth; /* of block comments, which nest */
	char *tag; /* of the open dollar quote, "$body$" */
	bool too_long;
};

void statement_init(struct statement *s);
void statement_release(struct statement *s);

/* True if only blanks and comments were typed so far. */
bool statement_is_blank(const struct statement *s);

/* True inside quotes or an open comment. */
bool statement_is_quoting(const struct statement *s);

/* Adds a line, with or without its newline.  False if the statement is now too long. */
bool statement_add(struct statement *s, const char *line);

/*
 * Removes and returns the first whole statement, without its semicolon; the caller frees it.
 * NULL if there is none yet.  What follows it stays.
 */
char *statement_take(struct statement *s);

/* Removes and returns everything, as at the end of a file; NULL if it is blank. */
char *statement_take_rest(struct statement *s);

#endif
