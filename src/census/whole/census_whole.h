/*
 * census_whole.h - from the real optimum of one parent's children to whole numbers
 *
 * First row totals and groups together, by one flow within all bounds; then the cells of each
 * group, attribute by attribute, each step a table with given row and column sums.  So
 * children add up to their parent in every cell, and every bound holds (rounding.md).
 */
#ifndef SOTTO_CENSUS_WHOLE_H
#define SOTTO_CENSUS_WHOLE_H

#include "census/whole/census_fractions.h"

/*
 * Groups alone, near the wanted ones (children x groups), within all bounds and near the targets
 * of totals; x and out are not used.  Fails as below.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_settle_groups(const struct sotto_census_fractions *f, const double *want,
			   struct sotto_transport_work *work, int64_t *groups);

/* Fails: SOTTO_EINFEASIBLE (then the bounds were), SOTTO_ENOMEM, SOTTO_EENTROPY. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_make_whole(const struct sotto_census_fractions *f,
			struct sotto_transport_work *work);

#endif
