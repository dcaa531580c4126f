/*
 * census_whole.h - from the real optimum of one parent's children to whole numbers
 *
 * First row totals and groups together, by one flow within all bounds; then the cells of each
 * group, attribute by attribute, each step a table with given row and column sums.  So
 * children add up to their parent in every cell, and every bound holds (rounding.md).
 */
#ifndef SOTTO_CENSUS_WHOLE_H
#define SOTTO_CENSUS_WHOLE_H

#include "census/plan/census_schema.h"
#include "census/whole/census_transport.h"

struct sotto_census_fractions {
	const struct sotto_census_schema *schema;
	size_t children, cells;
	const uint32_t *cell; /* sorted by group, then by number */
	const double *x; /* children x cells */
	const double *targets; /* wanted row totals; NULL: the sums of x */
	const int64_t *parent; /* the parent's cells; NULL at the root: then one child */
	const int64_t *total_low, *total_high; /* of each child */
	const int64_t *low, *high; /* children x groups; NULL: none */
	/* Sets of groups of each child (census_shape.h), or NULL where single groups tell all. */
	const int64_t *const *sets;
	enum sotto_rounding rounding;
	struct sotto_rng *rng;
	int64_t *out; /* children x cells */
};

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
