/*
 * optimal_long.h - the certificate of the geometric mechanism on a long path
 */
#ifndef SOTTO_CMD_OPTIMAL_LONG_H
#define SOTTO_CMD_OPTIMAL_LONG_H

#include "channel/problem_options.h"

/* With more answers than this there is no matrix of fractions. */
enum { OPTIMAL_MATRIX_MAX = 400 };

/* Writes no mechanism: only its utility, and that the geometric mechanism is the best. */
enum outcome optimal_long(const struct problem_settings *s, const struct invocation *call,
			  struct sotto_error *err);

#endif
