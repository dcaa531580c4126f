/*
 * contour_place.h - chooses the line of a contour and the distance of its aliases (contour.md)
 */
#ifndef SOTTO_CONTOUR_PLACE_H
#define SOTTO_CONTOUR_PLACE_H

#include "core/account/loss/measure/loss_measure.h"

enum { SOTTO_PLACE_CANDIDATES = 6 };

struct sotto_place {
	double c; /* Re s on the line */
	double curvature; /* of the integrand's logarithm there */
	double log_delta; /* rough, or the caller's if that is less */
	double period; /* of the aliases */
	double top; /* no alias lies above this */
	double digits; /* aliases are below exp(-digits) of delta */
	double beyond[SOTTO_PLACE_CANDIDATES]; /* c' > c, and K(c') rounded up */
	double log_beyond[SOTTO_PLACE_CANDIDATES];
};

/*
 * Places a contour for a measure with this largest loss (p->top) that steer dominates (or is).
 * Aliases will be below exp(-p->digits) relative to exp(log_delta), or to delta if that is less.
 */
void sotto_place_find(struct sotto_place *p, const struct sotto_loss_measure *steer,
		      double epsilon, double log_delta);

/* Returns log of a bound on the sum of all aliases at epsilon. */
double sotto_place_log_alias(const struct sotto_place *p, double epsilon, double period);

#endif
