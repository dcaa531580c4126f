/*
 * channel_user.h - gains by name, before they are written out as a table
 */
#ifndef SOTTO_INSIDE_CHANNEL_USER_H
#define SOTTO_INSIDE_CHANNEL_USER_H

#include <gmp.h>

#include "sotto/utility.h"

enum sotto_gain_kind {
	SOTTO_GAIN_IDENTITY,
	SOTTO_GAIN_DISTANCE,
	SOTTO_GAIN_SQUARED,
	SOTTO_GAIN_WEIGHTED,
	SOTTO_GAIN_WINDOW,
	SOTTO_GAIN_THRESHOLD,
	SOTTO_GAIN_PARITY
};

struct sotto_gain_rule {
	enum sotto_gain_kind kind;
	mpq_t number; /* of a window or threshold; the caller initializes and clears it */
};

/* Reads the name of a gain.  Fails: SOTTO_EPARSE with a list of the names. */
SOTTO_MUST_CHECK enum sotto_status
sotto_gain_rule_parse(const char *name, struct sotto_gain_rule *rule, struct sotto_error *err);

/*
 * Makes the table of a gain, a row for each guess: identity [w = y]; distance D - d(w,y); squared
 * D^2 - d(w,y)^2; weighted D^2 - (1+y) d(w,y); "window R" [d(w,y) <= R]; "threshold T" (two
 * guesses: is y >= T); parity (two guesses).  d is the graph's distance, D the largest.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_gain_named(const char *name, const struct sotto_graph *graph, struct sotto_matrix **out,
		 struct sotto_error *err);

#endif
