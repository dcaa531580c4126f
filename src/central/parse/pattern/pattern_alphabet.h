/*
 * pattern_alphabet.h - the characters that a regular expression tells apart
 *
 * Each character of ASCII is a kind of its own, and so is each other one that stands in the
 * pattern; all the rest are one kind.
 */
#ifndef SOTTO_PATTERN_ALPHABET_H
#define SOTTO_PATTERN_ALPHABET_H

#include <stdbool.h>

#include "central/parse/pattern/text_pattern.h"

enum { SOTTO_ALPHABET_MAX = 128 + SOTTO_SQL_PATTERN_MAX + 1 };

struct sotto_pattern_alphabet {
	char others[SOTTO_SQL_PATTERN_MAX + 1][5]; /* characters beyond ASCII in the pattern */
	unsigned other_count;
};

/* Kinds of characters that a position takes, each exactly: one too many could hide states. */
struct sotto_character_kinds {
	bool has[SOTTO_ALPHABET_MAX];
};

/* The alphabet of a pattern that text_pattern.h takes; a starts zeroed. */
void sotto_alphabet_collect(struct sotto_pattern_alphabet *a, const char *pattern);

/* How many kinds there are. */
unsigned sotto_alphabet_size(const struct sotto_pattern_alphabet *a);

/* Adds to k what one character, escape or class at *at stands for; *at goes behind it. */
void sotto_alphabet_read(const struct sotto_pattern_alphabet *a, const char **at,
			 struct sotto_character_kinds *k);

#endif
