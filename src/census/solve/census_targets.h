/*
 * census_targets.h - computes the totals of all nodes above the leaves together, before they are
 * divided
 */
#ifndef SOTTO_CENSUS_TARGETS_H
#define SOTTO_CENSUS_TARGETS_H

#include "census/solve/census_run.h"

/*
 * Fills run->targets from run->totals: whole numbers, the optimum of the tree of totals within
 * its bounds (../tree/tree.md).  They stay NULL if numbers are too large: then each parent's
 * total is divided among its children separately.  rng breaks ties.
 *
 * Fails:    SOTTO_EINFEASIBLE, SOTTO_EENTROPY, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_set_targets(struct sotto_census_run *run, struct sotto_rng *rng);

#endif
