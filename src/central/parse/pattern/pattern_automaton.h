/*
 * pattern_automaton.h - how much work a regular expression can cause in the engine
 *
 * The engine turns a pattern into a deterministic automaton while it reads: one
 * step for each byte if that has few states, and if it has too many, a slow
 * simulation whose step takes time in proportion to the pattern.  Which of the two
 * it will be is found out here by making the automaton.
 */
#ifndef SOTTO_PATTERN_AUTOMATON_H
#define SOTTO_PATTERN_AUTOMATON_H

#include <stdbool.h>

#include "sotto/status.h"

/* An automaton with more states is not made any further. */
enum { SOTTO_SQL_AUTOMATON_MAX = 500 };

struct sotto_sql_automaton {
	unsigned positions; /* places in the pattern, repeated ones each time */
	unsigned states; /* at most; SOTTO_SQL_AUTOMATON_MAX + 1: too many */
	unsigned ahead; /* places that one character of a match is compared with, at most */

	/*
	 * Characters that a search reads beyond the end of the match it finds, at most, because
	 * a longer one might be there (pattern_beyond.h).  Whoever looks for the next match reads
	 * them again: a.*z|a takes the square of its text.
	 */
	unsigned beyond;
};

/*
 * Of a pattern within the part of the language that text_pattern.h takes; fold: upper and
 * lower case are the same.
 *
 * Fails:    SOTTO_ERANGE if it is not; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_automaton_make(const char *pattern, bool fold, struct sotto_sql_automaton *out);

#endif
