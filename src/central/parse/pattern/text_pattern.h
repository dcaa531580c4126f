/*
 * text_pattern.h - patterns of text
 *
 * Regular expressions are taken in the part of the language that PostgreSQL and
 * the engine understand alike: characters, ., [classes], (groups), |, ^, $, *, +,
 * ?, {n,m} up to 100, \d \w \s and escaped signs.  In that part the engine never
 * complains and takes time in proportion to the text.
 */
#ifndef SOTTO_TEXT_PATTERN_H
#define SOTTO_TEXT_PATTERN_H

#include <stdbool.h>

#include "core/base/arena.h"

enum { SOTTO_SQL_PATTERN_MAX = 200 };

/* True if the regular expression lies within that part. */
bool sotto_sql_pattern_is_plain(const char *pattern);

/* Groups of a pattern for which that is so: ( ), and not (?: ). */
unsigned sotto_sql_pattern_groups(const char *pattern);

/*
 * The pattern of SIMILAR TO as a regular expression, and that of LIKE ... ESCAPE as
 * one of LIKE, whose escape is the backslash.  escape is one character, or empty.
 * NULL without memory or if escape is something else.
 */
const char *sotto_sql_pattern_similar(struct sotto_arena *a, const char *pattern);
const char *
sotto_sql_pattern_like(struct sotto_arena *a, const char *pattern, const char *escape);

#endif
