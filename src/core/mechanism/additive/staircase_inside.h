/*
 * staircase_inside.h - figures of the staircase law, for the library and its tests
 */
#ifndef SOTTO_STAIRCASE_INSIDE_H
#define SOTTO_STAIRCASE_INSIDE_H

#include "sotto/noise.h"

/* Return E|Z| in steps, which the best tread minimizes, and P[|Z| > error], to about 15 digits. */
double sotto_staircase_mean_error(const struct sotto_staircase *m);
double sotto_staircase_tail(const struct sotto_staircase *m, int64_t error);

#endif
