/*
 * limits_print.h - prints the limits for one unit, and what they lose, with an answer
 */
#ifndef SOTTO_LIMITS_PRINT_H
#define SOTTO_LIMITS_PRINT_H

#include <stdio.h>

#include "sotto/query.h"

/* One sentence on a line, `before` before each; a sentence is said once. */
void limits_print(const struct sotto_answer *a, const char *before, FILE *out);

#endif
