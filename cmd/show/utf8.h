/*
 * utf8.h - reads text that may or may not be UTF-8
 */
#ifndef SOTTO_UTF8_H
#define SOTTO_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One step through a text. */
struct utf8_rune {
	uint32_t code;
	size_t length; /* in bytes, 1 to 4; 0 at the end of the text */
	bool valid; /* false: one byte that is not UTF-8; code is U+FFFD */
};

/* Reads the next character.  Overlong forms, surrogates and codes past U+10FFFF are not valid. */
struct utf8_rune utf8_next(const char *text);

/* Returns the columns that the code takes on a terminal: 0, 1 or 2. */
size_t utf8_rune_width(uint32_t code);

/* True for the control characters, which a terminal would obey. */
bool utf8_is_control(uint32_t code);

#endif
