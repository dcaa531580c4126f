/* The mean of 1BitMean reports. */
#include <math.h>

#include "core/number/normal.h"
#include "sotto/decode.h"
#include "sotto/local.h"

enum sotto_status sotto_local_decode_mean(struct sotto_local_aggregate *a, double alpha,
					  struct sotto_local_mean *out)
{
	if (!a || !out)
		return SOTTO_EINVAL;

	struct sotto_local_counts c = sotto_local_aggregate_counts(a);
	double f = sotto_local_chance(c.params->flip), g = sotto_local_chance(c.params->flip2);
	double flip = f + g - 2 * f * g, gap = 1 - 2 * flip;
	double n = (double)c.reports, m = c.params->size, rate, half;

	if (c.params->protocol != SOTTO_CLIENT_ONE_BIT_MEAN || c.reports == 0 || !(alpha > 0) ||
	    alpha >= 1)
		return SOTTO_EINVAL;
	rate = (double)c.cells[0] / n;
	out->mean = m * (rate - flip) / gap;
	/* p(1-p) is concave: the mean rate as plug-in is never too small */
	out->sd = m / gap * sqrt(rate * (1 - rate) / n);
	half = sotto_normal_upper(alpha / 2) * out->sd;
	out->low = out->mean - half;
	out->high = out->mean + half;
	out->bound = m / sqrt(2 * n) / gap * sqrt(log(2 / alpha));
	return SOTTO_OK;
}
