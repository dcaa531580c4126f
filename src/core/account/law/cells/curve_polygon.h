/*
 * curve_polygon.h - a convex polygon in E = e^epsilon that stands for the curve of a law
 *
 * One half for E >= 1, one, of the other direction, for E <= 1.  A point (x, y) of one half is the point
 * (-x, 1 - e^-x + e^-x y) of the other.  Points are kept by epsilon, and slopes are taken times E at the point where they
 * are compared, so that nothing overflows.
 */
#ifndef SOTTO_CURVE_POLYGON_H
#define SOTTO_CURVE_POLYGON_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Vertices from left to right; the arrays are borrowed, with room for two more. */
struct sotto_polygon {
	double *x, *y;
	size_t n;
};

/* The slope from one point to another, times E at the first (right) or at the second (left). */
static inline double sotto_slope_right(double gap, double fall)
{
	return fall / expm1(gap);
}

static inline double sotto_slope_left(double gap, double fall)
{
	return fall / -expm1(-gap);
}

/* A vertex to the right of all others, or at the place of the last, of which the lower one stays; those that it makes concave go. */
void sotto_polygon_add(struct sotto_polygon *p, double x, double y);

/*
 * Makes the two halves one convex polygon that has the value y at E = 1, or less: the hull of all their vertices.  The
 * first point of each half is then that at E = 1, or else the other half's first vertex.
 */
void sotto_polygon_join(struct sotto_polygon *f, struct sotto_polygon *b, double y);

/* P-mass at vertex i, past the first point: E times the change of slope; mirrored, that of Q. */
double sotto_polygon_mass(const struct sotto_polygon *p, size_t i, bool mirrored);

#endif
