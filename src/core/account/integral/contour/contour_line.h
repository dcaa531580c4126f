/*
 * contour_line.h - where a contour goes, and how far apart its aliases must be (contour.md)
 */
#ifndef SOTTO_CONTOUR_LINE_H
#define SOTTO_CONTOUR_LINE_H

#include "core/account/loss/measure/loss_measure.h"

enum { SOTTO_CONTOUR_LINE_CANDIDATES = 6 };

struct sotto_contour_line {
	double c; /* Re s on the line */
	double curvature; /* of the integrand's logarithm there */
	double log_delta; /* rough, or the caller's if less */
	double period; /* of the aliases */
	double top; /* no alias lies above */
	double digits; /* aliases are below exp(-digits) of delta */
	double beyond[SOTTO_CONTOUR_LINE_CANDIDATES]; /* c' > c, and K(c') rounded up */
	double log_beyond[SOTTO_CONTOUR_LINE_CANDIDATES];
};

/*
 * For a measure with this largest loss (p->top) that steer dominates (or is).  Aliases will be below
 * exp(-p->digits) beside exp(log_delta), or beside delta if that is less.
 */
void sotto_contour_line_find(struct sotto_contour_line *p,
			     const struct sotto_loss_measure *steer, double epsilon,
			     double log_delta);

/* log of a bound of the sum of all aliases at epsilon. */
double
sotto_contour_line_log_alias(const struct sotto_contour_line *p, double epsilon, double period);

#endif
