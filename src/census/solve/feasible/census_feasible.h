/*
 * census_feasible.h - decides whether the constraints can hold
 *
 * Group totals of a node that extend to its whole subtree form a generalized polymatroid:
 * they are described by the least p(A) and the greatest f(A) total of every set A of groups
 * (feasible.md).
 */
#ifndef SOTTO_CENSUS_FEASIBLE_H
#define SOTTO_CENSUS_FEASIBLE_H

#include "census/plan/shape/census_shape.h"

/*
 * Narrows the bounds of every node to what is possible in and below it, and fills `sets`.
 *
 * Fails:    SOTTO_EINFEASIBLE, err names the node and the constraint; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_constrain(struct sotto_census_shape *s, const struct sotto_census_schema *schema,
		       struct sotto_error *err);

#endif
