/*
 * law_rise.h - how far a curve may lie above that of a law whose M(s) is known
 *
 * The area is the integral of e^(c epsilon) times that distance: M(s) is then at most |s(s+1)| times the area farther than that of the law.
 */
#ifndef SOTTO_LAW_RISE_H
#define SOTTO_LAW_RISE_H

#include <math.h>
#include <stdbool.h>

enum { SOTTO_RISE_ORDERS = 8 };

struct sotto_rise {
	double order[SOTTO_RISE_ORDERS]; /* growing, above 0 */
	double area[SOTTO_RISE_ORDERS]; /* a bound at each; 0 everywhere if there is no rise */
};

/* Orders up to the highest; no rise. */
static inline struct sotto_rise sotto_rise_none(double highest)
{
	struct sotto_rise r;

	for (int i = SOTTO_RISE_ORDERS; i-- > 0; highest /= 2) {
		r.order[i] = highest;
		r.area[i] = 0;
	}
	return r;
}

static inline bool sotto_rise_is(const struct sotto_rise *r)
{
	return r->area[SOTTO_RISE_ORDERS - 1] != 0; /* also if it is not a number */
}

/* The area grows with c, and its logarithm is convex: so what lies between two orders is below their chord.  Beyond the last nothing is known. */
static inline double rise_area(const struct sotto_rise *r, double c)
{
	double part, area;
	int i = 0;

	if (r->area[SOTTO_RISE_ORDERS - 1] == 0 || c <= r->order[0])
		return r->area[0] >= 0 ? r->area[0] : INFINITY;
	while (i < SOTTO_RISE_ORDERS && c > r->order[i])
		i++;
	if (i == SOTTO_RISE_ORDERS)
		return INFINITY;
	if (r->area[i - 1] == 0)
		return r->area[i] >= 0 ? r->area[i] : INFINITY;
	part = (c - r->order[i - 1]) / (r->order[i] - r->order[i - 1]);
	area = r->area[i - 1] * pow(r->area[i] / r->area[i - 1], part) * (1 + 0x1p-40);
	return area >= 0 ? area : INFINITY; /* nothing is known where it overflowed */
}

/* What M(c+it) may be wrong by, if it is taken for that of the law. */
static inline double sotto_rise_error(const struct sotto_rise *r, double c, double t)
{
	double area = rise_area(r, c);

	return area > 0 ? area * hypot(c, t) * hypot(c + 1, t) * (1 + 0x1p-40) : 0;
}

#endif
