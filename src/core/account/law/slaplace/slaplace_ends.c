/* The density of the loss: (c+2) L - 3x/2 for "remove", (c-1) L + 3x/2 for "add", plus a constant, is its logarithm. */
#include "core/account/law/slaplace/slaplace_ends.h"

#include <math.h>

#include "core/account/law/slaplace/slaplace_list.h"

double sotto_slaplace_log_density(const struct sotto_law *law, double c, double x)
{
	double l = sotto_slaplace_loss(law, x), q = law->rate;

	if (law->direction == SOTTO_REMOVE)
		return (c + 2) * l - 1.5 * x - law->noise_epsilon / 2 - log(4 * q);
	return (c - 1) * l + 1.5 * x - law->noise_epsilon / 2 - log(4 * q);
}

/* The slope of log G by L: (c+2) - 3x'/2 for "remove", (c-1) + 3x'/2 for "add", x' = e^|L - x|/q. */
static double steepness(const struct sotto_law *law, double c, double x)
{
	double l = sotto_slaplace_loss(law, x), q = law->rate;

	if (law->direction == SOTTO_REMOVE)
		return c + 2 - 1.5 * exp(l - x) / q;
	return c - 1 + 1.5 * exp(x - l) / q;
}

void sotto_slaplace_ends_find(const struct sotto_law *law, double c, double log_m,
			      struct sotto_slaplace_ends *out)
{
	double a = law->noise_epsilon;

	out->low = exp(sotto_slaplace_log_density(law, c, -a) - log_m);
	out->high = exp(sotto_slaplace_log_density(law, c, a) - log_m);
	out->bend = 2.01 * (out->low * fabs(steepness(law, c, -a)) +
			    out->high * fabs(steepness(law, c, a)));
}

double sotto_slaplace_ends_error(const struct sotto_law *law, double c, double t)
{
	double size = 1 + law->top + law->noise_epsilon;

	return SOTTO_U * (256 + 8 * fabs(log(law->rate)) + 32 * (c + 2) * size + 32 * t * size);
}
