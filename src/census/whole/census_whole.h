/*
 * census_whole.h - turns the real optimum of one parent's children into whole numbers
 *
 * First row totals and groups together, by one flow within all bounds; then the cells of each
 * group, attribute by attribute, each step a table with given row and column sums.  So children
 * add up to their parent in every cell, and every bound holds (rounding.md).
 */
#ifndef SOTTO_CENSUS_WHOLE_H
#define SOTTO_CENSUS_WHOLE_H

#include "census/whole/census_fractions.h"

/*
 * Chooses only the groups, near the wanted ones (children x groups), within all bounds and near
 * the targets of totals; does not use x and out.  Fails as below.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_settle_groups(const struct sotto_census_fractions *f, const double *want,
			   struct sotto_transport_work *work, int64_t *groups);

/*
 * Computes the whole numbers.
 *
 * Fails:    SOTTO_EINFEASIBLE (then the bounds were infeasible), SOTTO_ENOMEM, SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_make_whole(const struct sotto_census_fractions *f,
			struct sotto_transport_work *work);

#endif
