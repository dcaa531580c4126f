/*
 * utility_target.h - finds the smallest epsilon whose best mechanism has a given utility
 */
#ifndef SOTTO_CMD_UTILITY_TARGET_H
#define SOTTO_CMD_UTILITY_TARGET_H

#include <stdio.h>

#include "show/json.h"
#include "sotto/utility.h"

struct target {
	double epsilon; /* NAN: no epsilon is enough */
	bool has_ratio; /* there is a closed form: epsilon = ln(ratio), exactly */
	struct sotto_rational ratio;
};

/* Finds the epsilon.  Pair with _release. */
void utility_target_find(const struct sotto_user_case *p, const struct sotto_rational *u,
			 struct target *out);
void utility_target_release(struct target *t);
void utility_target_print(const struct target *t, const char *text, FILE *out);
void utility_target_write(struct json_writer *json, const struct target *t);

#endif
