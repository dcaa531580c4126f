/*
 * The upper tail from erfc, which is accurate far out, and its inverse by bisection.
 */
#include "core/number/normal.h"

#include <math.h>

double sotto_normal_tail(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

double sotto_normal_upper(double tail)
{
	double low = -40, high = 40, z = 0;

	if (!(tail > 0) || tail >= 1)
		return tail >= 1 ? -INFINITY : INFINITY;
	for (int i = 0; i < 60; i++) {
		z = (low + high) / 2;
		if (sotto_normal_tail(z) > tail)
			low = z;
		else
			high = z;
	}
	return z;
}
