/*
 * census_fractions.h - the real optimum of one parent's children, and the constraints on whole
 * numbers
 */
#ifndef SOTTO_CENSUS_FRACTIONS_H
#define SOTTO_CENSUS_FRACTIONS_H

#include "census/plan/census_schema.h"
#include "census/whole/census_transport.h"

struct sotto_census_fractions {
	const struct sotto_census_schema *schema;
	size_t children, cells;
	const uint32_t *cell; /* sorted by group, then by number */
	size_t groups;
	const uint32_t *group; /* of each cell */
	const double *x; /* children x cells */
	const double *targets; /* wanted row totals; NULL: the sums of x */
	const int64_t *parent; /* the parent's cells; NULL at the root, which is one child */
	const int64_t *total_low, *total_high; /* of each child */
	const int64_t *low, *high; /* children x groups; NULL: none */
	/*
	 * Sets of groups of each child (census_shape.h), or NULL where single groups say
	 * everything.
	 */
	const int64_t *const *sets;
	enum sotto_rounding rounding;
	struct sotto_rng *rng;
	int64_t *out; /* children x cells */
};

#endif
