/*
 * curve_half.h - values of one direction's curve delta(epsilon), at points that lie where the curve bends most
 *
 * A law that is known by its curve is as sharp as its points are well placed: outcomes of noise are kinks, and smooth noise bends
 * a little everywhere (law_cells.md).
 */
#ifndef SOTTO_CURVE_HALF_H
#define SOTTO_CURVE_HALF_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/law/cells/curve_polygon.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/loss/loss_curve.h"

/* Points of curves of which a value takes a microsecond. */
enum { SOTTO_POINTS_QUICK = 1 << 15 };

/* What building a law from slopes can lose, relative to the curve. */
#define SOTTO_SLOPE_ERROR 0x1p-40

/* One direction: values at some epsilons, and the vertices of a side's curve. */
struct sotto_curve_half {
	struct sotto_curve *curve; /* owned */
	size_t n;
	double *at; /* the epsilons, from 0 on; one allocation for all arrays */
	double *low, *high; /* bounds of delta there */
	double floor; /* delta is at least this everywhere, as far as losses can matter */
	double least; /* and is known no better than to be less than this, out there */
	bool ends; /* it is 0 from the last point but one on, and not before */
	struct sotto_polygon side;
};

/* Frees what it holds. */
void sotto_half_close(struct sotto_curve_half *h);

/* Where two lines below the curve meet between two points, as E over that at the first less 1, their height there, and that of the second at the first point. */
struct sotto_meeting {
	double x, y, start;
};

/*
 * Between the points i and i + 1: the line of slope left through the first, times E there, and the one through the second and a point
 * after it.
 */
struct sotto_meeting
sotto_half_meeting(const struct sotto_curve_half *h, size_t i, double left);

/* The slope of a line through the point i and one before it, times E at i; at most 0. */
double sotto_half_left(const struct sotto_curve_half *h, size_t i);

/*
 * Values at about n points, or as many as the work allows, and of many laws at no more than are wanted.  Areas count e^(tilt epsilon) times.  Fails: as the
 * curve; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_half_sample(struct sotto_curve_half *h, size_t n,
						     const struct sotto_cutting *cutting,
						     double tilt);

/* The other direction of a symmetric event: the same values.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_half_copy(struct sotto_curve_half *h, const struct sotto_curve_half *from);

#endif
