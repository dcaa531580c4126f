/*
 * number_text.h - writes numbers as text, for every kind of output
 */
#ifndef SOTTO_NUMBER_TEXT_H
#define SOTTO_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/rational.h"

/* Each returns a new string, which the caller frees. */
char *number_text_integer(int64_t value);

/* Writes the shortest decimal that reads back as x; "nan", "inf" or "-inf". */
char *number_text_double(double x);

/*
 * Writes x to the given number of significant digits; with an exponent only below 1e-4 and from
 * 1e15 on.
 */
char *number_text_rounded(double x, int digits);

/* Writes x for a picture: whole numbers as they are, others to four digits or to the unit. */
char *number_text_brief(double x);

/*
 * Writes at least x, to the given number of significant digits: for costs, which must not look
 * smaller.
 */
char *number_text_rounded_up(double x, int digits);

/* Writes at most x, for lower bounds. */
char *number_text_rounded_down(double x, int digits);

/* Writes the exact value: a decimal, or a fraction if no decimal is exact. */
char *number_text_rational(const struct sotto_rational *r);

/* Does the same for epsilon, delta and the like: 5e-7, not 0.0000005. */
char *number_text_parameter(const struct sotto_rational *r);

/* Write an amount for people: exactly as a short decimal, or six digits rounded down, or up. */
char *number_text_amount_down(const struct sotto_rational *r);
char *number_text_amount_up(const struct sotto_rational *r);

/*
 * True if number is a JSON number that survives a double: an integer of at most 2^53, or at most
 * 15 significant digits.
 */
bool number_text_survives_double(const char *number);

#endif
