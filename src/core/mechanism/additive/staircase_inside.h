/*
 * staircase_inside.h - the tail of the staircase law
 */
#ifndef SOTTO_STAIRCASE_INSIDE_H
#define SOTTO_STAIRCASE_INSIDE_H

#include "sotto/noise.h"

/* P[|Z| > error].  About 15 digits. */
double sotto_staircase_tail(const struct sotto_staircase *m, int64_t error);

#endif
