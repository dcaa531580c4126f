/*
 * limits_print.h - prints the limits for one unit, and what they lose, with an answer
 */
#ifndef SOTTO_LIMITS_PRINT_H
#define SOTTO_LIMITS_PRINT_H

#include <stdio.h>

#include "sotto/query.h"

/* Prints one sentence on a line, each after `before`; repeated sentences are printed once. */
void limits_print(const struct sotto_answer *a, const char *before, FILE *out);

#endif
