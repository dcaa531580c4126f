/*
 * optimal_long.h - the certificate of the geometric mechanism on a long path
 */
#ifndef SOTTO_CMD_OPTIMAL_LONG_H
#define SOTTO_CMD_OPTIMAL_LONG_H

#include "channel/problem_options.h"

/* More answers than this have no matrix of fractions. */
enum { OPTIMAL_MATRIX_MAX = 400 };

/* No mechanism is written: only what the best is worth, and that it is the geometric one. */
enum outcome optimal_long(const struct problem_settings *s, const struct invocation *call,
			  struct sotto_error *err);

#endif
