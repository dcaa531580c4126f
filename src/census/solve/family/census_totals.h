/*
 * census_totals.h - divides a parent's total among its children, in whole numbers
 */
#ifndef SOTTO_CENSUS_TOTALS_H
#define SOTTO_CENSUS_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/rng.h"
#include "sotto/status.h"

struct sotto_census_totals {
	size_t children;
	const int64_t *low, *high; /* bounds of each child */
	const double *total, *variance; /* the estimate of each child */
	double *out; /* whole numbers */
};

/*
 * Finds the whole numbers that add up to `whole` within their bounds with the least sum of (N -
 * total)^2 / variance.  Ties are broken at random: where all measurements are equally good all
 * fractions are equal, and the first child must not always be the one that is rounded up.
 *
 * Fails:    SOTTO_ENOMEM, SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_share_totals(const struct sotto_census_totals *f, double whole,
			  struct sotto_rng *rng);

#endif
