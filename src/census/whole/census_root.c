/* Whole numbers for the root, which has no parent to add up to. */
#include <math.h>
#include <stdlib.h>

#include "census/solve/census_feasible.h"
#include "census/whole/census_table.h"

/* Whole numbers nearest to n wanted ones that add up to sum, within bounds. */
static bool round_list(const double *want, size_t n, int64_t sum, const int64_t *low,
		       const int64_t *high, int64_t *out)
{
	int64_t lack = sum;

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)floor(want[i] > 0 ? want[i] : 0);

		if (low && x < low[i])
			x = low[i];
		if (high && x > high[i])
			x = high[i];
		out[i] = x;
		lack -= x;
	}
	while (lack != 0) {
		int step = lack > 0 ? 1 : -1;
		size_t best = n;
		double gain = -INFINITY;

		for (size_t i = 0; i < n; i++) {
			double value = step * (want[i] - (double)out[i]);

			if (step > 0 ? high && out[i] >= high[i] : out[i] <= (low ? low[i] : 0))
				continue;
			if (value > gain) {
				gain = value;
				best = i;
			}
		}
		if (best == n)
			return false;
		if (gain > 2 && llabs(lack) > 2) { /* far away: go most of the way at once */
			int64_t leap =
				(int64_t)gain < llabs(lack) ? (int64_t)gain : llabs(lack);

			if (step > 0 && high && leap > high[best] - out[best])
				leap = high[best] - out[best];
			if (step < 0 && leap > out[best] - (low ? low[best] : 0))
				leap = out[best] - (low ? low[best] : 0);
			out[best] += step * leap;
			lack -= step * leap;
		} else {
			out[best] += step;
			lack -= step;
		}
	}
	return true;
}

enum sotto_status sotto_whole_root(const struct sotto_census_fractions *f)
{
	size_t g = f->schema->groups;
	double groups[SOTTO_CENSUS_GROUPS_MAX] = {0}, total = 0;
	int64_t counts[SOTTO_CENSUS_GROUPS_MAX] = {0}, sum;

	for (size_t k = 0; k < f->cells; k++) {
		groups[sotto_whole_group(f, k)] += f->x[k];
		total += f->x[k];
	}
	sum = llrint(f->targets ? f->targets[0] : total);
	if (sum < f->total_low[0])
		sum = f->total_low[0];
	if (sum > f->total_high[0])
		sum = f->total_high[0];
	if (sotto_whole_has_sets(f)) {
		if (!sotto_census_nearest_groups(f->sets[0], g, sum, groups, counts))
			return SOTTO_EINFEASIBLE;
	} else if (!round_list(groups, g, sum, f->low, f->high, counts)) {
		return SOTTO_EINFEASIBLE;
	}
	for (size_t first = 0, end; first < f->cells; first = end) {
		size_t at = sotto_whole_group(f, first);

		for (end = first; end < f->cells && sotto_whole_group(f, end) == at;)
			end++;
		if (!round_list(f->x + first, end - first, counts[at], NULL, NULL,
				f->out + first))
			return SOTTO_EINFEASIBLE;
	}
	return SOTTO_OK;
}
