/*
 * mirrored.h - curves that exchanging P and Q leaves as they are, between a polygon below and one above (between.md)
 *
 * Outcomes at w = tanh(loss/2) and -w have the same mass b under (P + Q)/2; P has (1 + w) b and Q (1 - w) b there.
 */
#ifndef SOTTO_MIRRORED_H
#define SOTTO_MIRRORED_H

#include <stddef.h>

#include "core/account/law/gathered/law_rise.h"
#include "sotto/status.h"

/* Places w >= 0, growing, and the masses b there, of which that at 0 is a half. */
struct sotto_mirrored {
	double *w, *mass; /* one allocation: free w */
	size_t n;
};

/* Corners of a convex polygon from E = 1 on, E = e^loss: losses, growing, the curve there, and P-masses, of which that at 0 is a half. */
struct sotto_corners {
	double *loss, *value, *mass; /* one allocation: free loss */
	size_t n;
};

/* Corners of the curve of one person: losses x >= 0, growing, and values; the last is 0. */
struct sotto_points {
	double *x, *value; /* one allocation: free x */
	size_t n;
};

/* Those of such a list.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_mirrored_points(const struct sotto_mirrored *m, struct sotto_points *out);

/* The hull of the curve of a black-box group of so many.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_points_hull(const struct sotto_points *p, size_t people, struct sotto_corners *out);

/*
 * Adds to the areas of the rise what one polygon has above the other, on both sides of 0; and what values that are wrong by a part of themselves, and losses that
 * are wrong by so much, come to.
 */
void sotto_corners_add_rise(const struct sotto_corners *above,
			    const struct sotto_corners *below, double wrong, double moved,
			    struct sotto_rise *rise);

#endif
