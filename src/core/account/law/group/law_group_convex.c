/*
 * A proof that the curve of a group is convex: the hazard rate of the inner loss is at least a bound that k gives, at every loss
 * (law_group.md).
 */
#include <math.h>

#include "core/account/law/group/law_group.h"

#define STEP 0.05
#define CELLS_MAX 1e5
/* For rounding. */
#define MARGIN 1.001

/* phi(u)/Phi(-u), at least */
static double hazard(double u)
{
	if (u > 5)
		return u;
	return exp(-u * u / 2) / (2.50662827463100051 * 0.5 * erfc(u * M_SQRT1_2));
}

/* 2 E[j] - (k-1) + k^2/4, j = 0 .. k-1 with weights e^(jx); it grows with x >= 0 */
static double needed(double x, double k)
{
	double sum = 0, mean = 0;

	for (double j = 0; j < k; j++) {
		double w = exp((j - k + 1) * x);

		sum += w;
		mean += w * j;
	}
	return (2 * mean / sum - (k - 1) + k * k / 4) * MARGIN;
}

bool sotto_group_is_convex(double mu, double rate, double k)
{
	double most = ((k - 1) + k * k / 4) * MARGIN, z = mu / 2;

	/* below 0 the hazard is least, and the bound largest, at the two ends */
	if (!(hazard(-mu / 2) / (mu * rate) >= needed(-log1p(-rate), k)))
		return false;
	for (int i = 0; i < CELLS_MAX; i++, z += STEP) {
		double v = mu * (z + STEP) - mu * mu / 2, odds = rate / (1 - rate) * exp(v);
		double share = isfinite(odds) ? odds / (1 + odds) : 1;

		if (hazard(z - mu) / mu >= most) /* and from here on */
			return true;
		if (!(hazard(z - mu) / (mu * share) >=
		      needed(v < 600 ? log1p(rate * expm1(v)) : v, k)))
			return false;
	}
	return false;
}
