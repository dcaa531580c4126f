/*
 * The mean of 1BitMean reports.  The ones are a sum of unequal coins, of which few show the rare
 * side if epsilon is large or reports are few: a normal interval would then be too short, and
 * would have no length where all reports agree.
 */
#include <math.h>

#include "local/decode/special.h"
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
	double n = (double)c.reports, m = c.params->size, rate, held;

	if (c.params->protocol != SOTTO_CLIENT_ONE_BIT_MEAN || c.reports == 0 || !(alpha > 0) ||
	    alpha >= 1)
		return SOTTO_EINVAL;
	rate = (double)c.cells[0] / n;
	out->mean = m * (rate - flip) / gap;
	/* p(1-p) is concave: the mean rate as plug-in is never too small; it is flip at least */
	held = fmin(fmax(rate, flip), 1 - flip);
	out->sd = m / gap * sqrt(held * (1 - held) / n);
	/* unequal coins have no larger tails than equal ones of the same mean (Hoeffding 1956) */
	out->low = m * (sotto_binomial_low(c.reports, c.cells[0], alpha / 2) - flip) / gap;
	out->high = m * (sotto_binomial_high(c.reports, c.cells[0], alpha / 2) - flip) / gap;
	out->bound = m / sqrt(2 * n) / gap * sqrt(log(2 / alpha));
	return SOTTO_OK;
}
