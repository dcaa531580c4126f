/*
 * census_linear.h - the linear estimates before non-negativity, with their standard deviations
 *
 * They are unbiased, and intervals are made from them.  They are kept for every node and every
 * table cell.
 */
#ifndef SOTTO_CENSUS_LINEAR_H
#define SOTTO_CENSUS_LINEAR_H

#include "census/solve/census_run.h"

struct sotto_census_linear {
	size_t table_count;
	size_t *starts; /* of each table's cells within a node's */
	size_t per_node;
	double *estimates, *deviations; /* node by node; a deviation may be infinite */
	double *quantiles; /* of intervals: shape level by level, table by table */
};

/* Checks that nodes times cells fit in memory.  Fails: SOTTO_ERANGE with a sentence. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_linear_check(const struct sotto_census_plan *p,
			  const struct sotto_census_schema *schema,
			  const struct sotto_census_shape *shape, struct sotto_error *err);

/* Measures everything completely.  Fails: SOTTO_ENOMEM, SOTTO_EENTROPY.  Pair with _release. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_linear_init(struct sotto_census_linear *l, struct sotto_census_run *run);
void sotto_census_linear_release(struct sotto_census_linear *l);

#endif
