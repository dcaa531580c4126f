/*
 * census_rows.h - writes the rows of released tables as CSV
 */
#ifndef SOTTO_CENSUS_ROWS_H
#define SOTTO_CENSUS_ROWS_H

#include <stdio.h>

#include "census/measure/census_world.h"

/* The columns beside the released numbers. */
enum sotto_census_beside {
	SOTTO_CENSUS_ALONE,
	SOTTO_CENSUS_WITH_ESTIMATES, /* estimate, sd */
	SOTTO_CENSUS_WITH_INTERVALS, /* estimate, sd, lo, hi */
};

struct sotto_census_rows {
	const struct sotto_census_world *w;
	enum sotto_census_beside beside;
	bool not_private; /* every row is marked NOT PRIVATE */
	struct sotto_census_limit **limits; /* of each table's cells */
};

/* Prepares the rows.  Fails: SOTTO_ENOMEM.  Pair with _release in any case. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_rows_init(struct sotto_census_rows *r, const struct sotto_census_world *w,
		       enum sotto_census_beside beside, bool not_private);
void sotto_census_rows_release(struct sotto_census_rows *r);

/* Writes the header of a table (of the plan's list) at a level of the plan. */
void sotto_census_rows_header(const struct sotto_census_rows *r, FILE *f, size_t plan_level,
			      size_t table);

/* Returns how many columns of a table (SIZE_MAX: of people) are numbers, from value on. */
size_t sotto_census_rows_numbers(const struct sotto_census_rows *r, size_t table);

/* The estimates beside a node's table, one for each cell.  A deviation may be infinite. */
struct sotto_census_estimates {
	const double *values, *deviations;
	double quantile; /* of the interval, in deviations */
	bool whole; /* the values are whole */
};

/*
 * Writes the rows of one node: values, NULL if nothing was measured; estimates, unless the rows
 * have none.
 */
void sotto_census_rows_put(const struct sotto_census_rows *r, FILE *f, size_t node,
			   size_t table, const int64_t *values,
			   const struct sotto_census_estimates *estimates);

/* Write made-up people of a leaf, one row each. */
void sotto_census_people_header(const struct sotto_census_rows *r, FILE *f);
void sotto_census_people_put(const struct sotto_census_rows *r, FILE *f, size_t node,
			     const uint32_t *cells, const int64_t *counts, size_t n);

#endif
