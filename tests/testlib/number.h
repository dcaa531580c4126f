/*
 * number.h - exact numbers in tests, written as text
 */
#ifndef SOTTO_TESTS_NUMBER_H
#define SOTTO_TESTS_NUMBER_H

#include <stdbool.h>

#include "sotto/rational.h"

/* Text that is not a number ends the program.  The caller releases. */
struct sotto_rational rational_of(const char *text);

/* The nearest double. */
double rational_double(const struct sotto_rational *r);

/* q is exactly the number written there. */
bool rational_is(const mpq_t q, const char *text);

#endif
