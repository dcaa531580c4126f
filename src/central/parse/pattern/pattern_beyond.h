/*
 * pattern_beyond.h - how far a search reads beyond the match that it finds
 */
#ifndef SOTTO_PATTERN_BEYOND_H
#define SOTTO_PATTERN_BEYOND_H

#include "central/parse/pattern/pattern_machine.h"
#include "sotto/status.h"

/* A search that reads further is taken for one that reads to the end of the text. */
enum { SOTTO_SQL_BEYOND_MAX = 32 };

/*
 * Finds how many characters that are at most, of a machine whose text goes on to both sides
 * (is_inside); SOTTO_SQL_BEYOND_MAX + 1: perhaps all.  empty: the pattern matches nothing, too.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_pattern_beyond(const struct sotto_pattern_machine *m, bool empty, unsigned *out);

#endif
