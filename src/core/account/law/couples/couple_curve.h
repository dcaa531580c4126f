/*
 * couple_curve.h - the curve of one cell, or of two together, as a polygon above or below it (couples.md)
 */
#ifndef SOTTO_COUPLE_CURVE_H
#define SOTTO_COUPLE_CURVE_H

#include <stddef.h>

#include "sotto/status.h"

/* Corners of a curve from E = 1 on, 0 beyond the last; straight in E between them. */
struct sotto_couple_curve {
	double *place, *value; /* E, and the curve there; one allocation: free place */
	size_t n, next; /* the first corner beyond what was looked at */
};

/* masses: P-masses of all places from -top to top; places: E of those from 0 to top.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_couple_curve_above(const double *masses, size_t top,
							    const double *places,
							    struct sotto_couple_curve *c);

/*
 * masses: P-masses of the runs of so many cells, one or two, from -top to top - cells; run -cells - j has the Q-mass of run j.  Fails:
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_couple_curve_below(const double *masses, size_t top,
							    size_t cells,
							    struct sotto_couple_curve *c);

/* Moves the losses of all corners by so little. */
void sotto_couple_curve_move(struct sotto_couple_curve *c, double by);

/* The value at a place, which grows from call to call. */
double sotto_couple_curve_value(struct sotto_couple_curve *c, double place);

/* The next corner's place of any of the curves beyond what was looked at; INFINITY if there is none. */
double sotto_couple_curves_next(const struct sotto_couple_curve *c, size_t n);

/* Its values at n places, and from each to the next how far it is below the line between them, at most. */
void sotto_couple_curve_sample(struct sotto_couple_curve *c, const double *places, size_t n,
			       double *value, double *sag);

#endif
