/*
 * sensitivity_brute.h - finds the largest change over all small datasets by trying them
 */
#ifndef SOTTO_CMD_SENSITIVITY_BRUTE_H
#define SOTTO_CMD_SENSITIVITY_BRUTE_H

#include "sotto/accuracy.h"

enum { BRUTE_MINIMUM_MAX = 6, BRUTE_MORE = 3 };

/*
 * Tries records with one of three values: A, the middle, B (cells 0, 1, 2 of a histogram; B
 * satisfies every predicate), in datasets of minimum to minimum + BRUTE_MORE records.  name says
 * which order statistic.  False if this is not possible: a larger minimum, or units with several
 * records.
 */
bool sensitivity_brute(const struct sotto_sensitivity_options *o, const char *name,
		       struct sotto_rational *largest);

#endif
