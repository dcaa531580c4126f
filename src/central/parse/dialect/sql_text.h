/*
 * sql_text.h - searching the text of a query outside quotes, and inserting into it
 */
#ifndef SOTTO_SQL_TEXT_H
#define SOTTO_SQL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"

/* The text of a query as it is being changed, and where pieces were put in. */
enum { SOTTO_SQL_EDITS_MAX = 64 };

struct sotto_sql_dialect {
	struct sotto_arena *arena;
	const char *text;
	struct {
		int at, length; /* of what was put in */
	} edits[SOTTO_SQL_EDITS_MAX];
	size_t count;
};

/* Past a comment, a quoted text or name, or one character. */
const char *sotto_sql_past(const char *s);
const char *sotto_sql_past_spaces(const char *s);

/* Past the bracket that closes the one at s; NULL: it is never closed. */
const char *sotto_sql_past_bracket(const char *s);

/* May c stand in a name? */
bool sotto_sql_is_name(char c);
bool sotto_sql_starts_word(const char *s, const char *word);

/* The first place, from `from` on, where the word stands in the text itself. */
const char *sotto_sql_find_word(const char *text, const char *from, const char *word);

/* The place after words that stand one after another at s; NULL if they do not. */
const char *sotto_sql_after(const char *s, const char *const *words);
#define SOTTO_SQL_AFTER(s, ...) sotto_sql_after(s, (const char *const[]){__VA_ARGS__, NULL})

/* Words one after another, with spaces in between; the place after them, or NULL. */
const char *sotto_sql_find_words(const char *text, const char *first, const char *second);

/* The first colon between two names, as in props:plan; NULL: none. */
const char *sotto_sql_find_colon(const char *text);

/*
 * What a call, whose name stands at byte `at`, has in its brackets, on one line and without
 * DISTINCT; "an expression" if that is longer than 60 bytes or no call is there.  NULL: no memory.
 */
const char *sotto_sql_arguments_of(struct sotto_arena *a, const char *text, int at);

/* The byte of the text that s points to. */
static inline size_t sotto_sql_place(const struct sotto_sql_dialect *d, const char *s)
{
	return (size_t)(s - d->text);
}

/* Makes comments spaces, so that nothing is put into one and places stay the same. */
void sotto_sql_blank_comments(struct sotto_sql_dialect *d);

/* Puts a piece in at byte `at`; false: too many changes, or no memory. */
bool sotto_sql_put_in(struct sotto_sql_dialect *d, size_t at, const char *piece);

/* Writes a piece over `length` bytes from `at` on, with spaces where it is shorter. */
bool sotto_sql_put_over(struct sotto_sql_dialect *d, size_t at, size_t length,
			const char *piece);

#endif
