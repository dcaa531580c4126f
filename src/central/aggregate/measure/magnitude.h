/*
 * magnitude.h - values by powers of two, both signs
 *
 * magnitude(x) is 0 for 0; for x > 0 it is k + 33, k = floor(log2 x) held to
 * -32 .. 63; for x < 0 it is minus that of -x.
 */
#ifndef SOTTO_MAGNITUDE_H
#define SOTTO_MAGNITUDE_H

#include <math.h>

enum { SOTTO_MAGNITUDE_MAX = 96 };

/* The values of a magnitude lie within [lo, hi]. */
static inline void sotto_magnitude_range(int magnitude, double *lo, double *hi)
{
	int k = (magnitude < 0 ? -magnitude : magnitude) - 33;

	*lo = magnitude == 0 ? 0 : ldexp(1, k);
	*hi = magnitude == 0 ? 0 : ldexp(1, k + 1);
	if (magnitude < 0) {
		double swap = *lo;

		*lo = -*hi;
		*hi = -swap;
	}
}

#endif
