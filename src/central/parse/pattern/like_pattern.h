/*
 * like_pattern.h - patterns of LIKE, as questions that take time in proportion to the text
 *
 * The engine's own LIKE tries all ways to divide the text where a pattern has several % (always
 * with a _, and without one over a column with a collation, as all texts have here), and one
 * text could keep it busy for ever.  So a pattern becomes the simplest question that says the
 * same, and never LIKE.
 */
#ifndef SOTTO_LIKE_PATTERN_H
#define SOTTO_LIKE_PATTERN_H

#include "core/base/arena.h"
#include "sotto/status.h"

enum sotto_sql_like_kind {
	SOTTO_SQL_LIKE_EXACT, /* text: the text itself */
	SOTTO_SQL_LIKE_BEGIN, /* 'a%' */
	SOTTO_SQL_LIKE_END, /* '%a' */
	SOTTO_SQL_LIKE_INSIDE, /* '%a%' */
	SOTTO_SQL_LIKE_BOTH, /* 'a%b': text and end */
	SOTTO_SQL_LIKE_REGEX, /* text: a regular expression for the whole text */
};

struct sotto_sql_like {
	enum sotto_sql_like_kind kind;
	const char *text, *end;
};

/*
 * A pattern whose escape is the backslash.
 *
 * Fails:    SOTTO_ERANGE if it ends in a lone backslash; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_like_read(struct sotto_arena *a, const char *pattern, struct sotto_sql_like *out);

#endif
