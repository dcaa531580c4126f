/*
 * census_union.h - makes unions of nodes a level of their own
 */
#ifndef SOTTO_CENSUS_UNION_H
#define SOTTO_CENSUS_UNION_H

#include "census/plan/shape/census_shape.h"

/*
 * Inserts a node for the union of an invariant above its nodes, if it has a union.
 * Fails:    SOTTO_EPARSE if the union does not nest in the hierarchy, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_insert_union(struct sotto_census_shape *s,
			  const struct sotto_census_invariant *inv, struct sotto_error *err);

#endif
