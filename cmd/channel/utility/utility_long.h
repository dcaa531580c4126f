/*
 * utility_long.h - the geometric mechanism on a path that is too long for fractions
 */
#ifndef SOTTO_CMD_UTILITY_LONG_H
#define SOTTO_CMD_UTILITY_LONG_H

#include "channel/problem_options.h"

/* More answers than this are not computed in fractions. */
enum { UTILITY_EXACT_MAX = 200 };

/* True if there is no file and the options ask for the geometric mechanism on a longer path. */
bool utility_long_suits(const struct problem_settings *s, const char *mechanism,
			const struct invocation *call);

enum outcome utility_long(const struct problem_settings *s, const struct invocation *call,
			  struct sotto_error *err);

#endif
