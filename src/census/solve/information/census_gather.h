/*
 * census_gather.h - collects what is known about nodes from their own measurements and those
 * below
 */
#ifndef SOTTO_CENSUS_GATHER_H
#define SOTTO_CENSUS_GATHER_H

#include "census/solve/census_worker.h"

/* Computes the slots of a node and of the nodes below it that need one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather(struct sotto_census_worker *w, size_t node);

/*
 * Computes the terms of a node's own measurements, in coefficients: information and h = sum of w
 * M'y.  spare has as many doubles as cells.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_own_terms(struct sotto_census_worker *w,
							  size_t node, double *info, double *h,
							  double *spare);

/* True if measurements of the children count for this node. */
bool sotto_census_looks_below(const struct sotto_census_run *run, size_t node);

/* Does the same as census_gather, but keeps no slots from the task level on below `node`. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather_top(struct sotto_census_worker *w, size_t node);
void sotto_census_slots_release(struct sotto_census_run *run, size_t node);

#endif
