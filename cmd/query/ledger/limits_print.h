/*
 * limits_print.h - what limits one unit, and what that loses, beside an answer
 */
#ifndef SOTTO_LIMITS_PRINT_H
#define SOTTO_LIMITS_PRINT_H

#include <stdio.h>

#include "show/json.h"
#include "sotto/query.h"

/* "key": {...}, with "parts" if there are several; null if there is none. */
void limits_write(struct json_writer *w, const char *key, const struct sotto_limits *l,
		  size_t count);

/* One sentence on a line, `before` before each; a sentence is said once. */
void limits_print(const struct sotto_answer *a, const char *before, FILE *out);

#endif
