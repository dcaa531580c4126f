/*
 * The interval of what is left to chance without collisions, and that of collisions alone, each
 * from its own law, are added as squares (local.md says why that holds); "nobody" is summed over
 * the rows in which the single value may meet the candidate.
 */
#include "local/decode/collide.h"

#include <math.h>

#include "core/number/beta.h"
#include "core/number/normal.h"
#include "local/decode/estimate.h"

/* The chance of z rows at least, for real z between 0 and all of them. */
static double meets_in(const struct sotto_collisions *x, double z)
{
	if (z <= 0 || z > x->rows)
		return z <= 0 ? 1 : 0;
	return sotto_beta_regularized(z, x->rows - z + 1, 1 / x->columns);
}

static double most_meetings(const struct sotto_collisions *x, double chance)
{
	double low = 0, high = x->rows;

	if (meets_in(x, high) > chance)
		return high;
	for (int i = 0; i < 100; i++) {
		double z = (low + high) / 2;

		if (z <= low || z >= high)
			break;
		if (meets_in(x, z) > chance)
			low = z;
		else
			high = z;
	}
	return high;
}

struct sotto_meetings sotto_meetings_of(const struct sotto_collisions *x, double alpha)
{
	double mean = x->rows / x->columns, spread = sqrt(mean);
	double first = floor(fmax(mean - 8 * spread, 0));
	double last = fmin(ceil(mean + 10 * spread + 20), x->rows), width;
	struct sotto_meetings m = {.reach = most_meetings(x, alpha / 2) - mean,
				   .usual = sotto_normal_upper(alpha / 2) * spread *
					    sqrt(1 - 1 / x->columns),
				   .beyond = meets_in(x, last + 1)};

	width = ceil((last - first + 1) / SOTTO_MEETINGS);
	for (double z = first, left = 1; z <= last; z += width) {
		double more = meets_in(x, fmin(z + width, last + 1));

		m.excess[m.count] = z + (width - 1) / 2 - mean;
		m.chance[m.count++] = left - more;
		left = more;
	}
	return m;
}

/*
 * The pairs of all values but the one with this estimate: its square is n_v (n_v - 1) on average,
 * and its variance without collisions and with those of the others.
 */
static double pairs_of_others(const struct sotto_collisions *x, double count, double variance)
{
	double share = 1 / x->rows / (x->columns - 1), own = count * (count - 1) - variance;

	own = share < 1 && count > 0 ? (own - x->pairs * share) / (1 - share) : 0;
	return x->pairs - fmin(fmax(own, 0), x->pairs);
}

/*
 * The single value's users have other rates than the rest; with their mean rate for all, the chance
 * of more supports than the mean is no smaller (Hoeffding 1956).
 */
static double chance_of_nobody(const struct sotto_meetings *m, double step, uint64_t n,
			       uint64_t supports, double q)
{
	double sum = m->beyond;

	for (int i = 0; i < m->count; i++) {
		double rate = q + step * m->excess[i] / (double)n;

		if (m->chance[i] > 0)
			sum += m->chance[i] *
			       sotto_local_chance_of_nobody((double)supports, (double)n, rate);
	}
	return fmin(sum, 1);
}

void sotto_local_estimate_collide(struct sotto_local_estimate *e,
				  const struct sotto_collisions *x,
				  const struct sotto_meetings *m, uint64_t n, uint64_t supports,
				  double p, double q)
{
	double one = 1 / x->rows / (1 - 1 / x->columns); /* of a user of the single value */
	double share = 1 / x->rows / (x->columns - 1);
	double pairs = pairs_of_others(
		x, e->count,
		sotto_local_variance((double)n, e->count, p, q, SOTTO_LOCAL_SAMPLE));

	if (!(pairs > 0) && !(x->pairs > 0))
		return;
	e->sd = sqrt(e->sd * e->sd + pairs * share);
	if (e->low < e->count)
		e->low = e->count - hypot(e->count - e->low, sqrt(pairs) * one * m->reach);
	if (e->high > e->count)
		e->high = e->count + hypot(e->high - e->count, sqrt(pairs) * one * m->usual);
	e->null_sd = sqrt(e->null_sd * e->null_sd + x->pairs * share);
	e->z = e->count / e->null_sd;
	e->p_value = chance_of_nobody(m, sqrt(x->pairs) * one * fabs(p - q), n,
				      p < q ? n - supports : supports, p < q ? 1 - q : q);
}
