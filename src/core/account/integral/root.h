/*
 * root.h - finds where a falling function crosses a level, with a proof
 */
#ifndef SOTTO_ROOT_H
#define SOTTO_ROOT_H

#include <stdbool.h>

#include "sotto/status.h"

/* Computes a value at x >= 0, not increasing in x up to rounding. */
typedef enum sotto_status sotto_root_value(void *context, double x, double *out);

struct sotto_root {
	sotto_root_value *value;
	void *context;
	double level;
	double guess; /* where to start */
	double slope; /* < 0, rough slope of the value there; a search updates it */
	double most; /* the value is known to be at or below the level here; or INFINITY */
	double tolerance; /* of the value, at which the search stops */
};

/* Finds an *x >= 0 with value(*x) <= level, as small as it can; INFINITY if there is none. */
SOTTO_MUST_CHECK enum sotto_status sotto_root_above(struct sotto_root *r, double *x);

/*
 * Finds an *x with value(*x) >= level, as large as it can; 0 if there is none (then not checked).
 */
SOTTO_MUST_CHECK enum sotto_status sotto_root_below(struct sotto_root *r, double *x);

/*
 * Finds both sides of one crossing: *upper with high(*upper) <= down, *lower with low(*lower) >=
 * up.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_root_both(struct sotto_root *r, sotto_root_value *low,
						   sotto_root_value *high, double down,
						   double up, double *lower, double *upper);

#endif
