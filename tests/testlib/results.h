/*
 * results.h - a result with every kind of value in it, and whether two are the same
 */
#ifndef SOTTO_TESTS_RESULTS_H
#define SOTTO_TESTS_RESULTS_H

#include <stdbool.h>

#include "engine/result.h"

/* Cells of all kinds, exact integers at both ends, lists of values and of keys; or NULL. */
struct sotto_engine_result *results_make(void);

bool results_are_same(const struct sotto_engine_result *x, const struct sotto_engine_result *y);

/* Reads every value, so that a sanitizer sees what is not there. */
unsigned long results_sum(const struct sotto_engine_result *r);

#endif
