/*
 * census_totals.h - a parent's total shared among its children, in whole numbers
 */
#ifndef SOTTO_CENSUS_TOTALS_H
#define SOTTO_CENSUS_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_census_totals {
	size_t children;
	const int64_t *low, *high; /* bounds of each */
	const double *total, *variance; /* what is known of each */
	double *out; /* whole numbers */
};

/*
 * The nearest numbers that add up to `whole`, by (N - total)^2 / variance, then the nearest whole
 * ones.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_share_totals(const struct sotto_census_totals *f, double whole);

#endif
