/*
 * census_gather.h - what is known about nodes from their own measurements and those below
 */
#ifndef SOTTO_CENSUS_GATHER_H
#define SOTTO_CENSUS_GATHER_H

#include "census/solve/census_worker.h"

/* Computes the slots of a node and of those below it that need one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather(struct sotto_census_worker *w, size_t node);

/*
 * The estimate z (coefficients) and covariance of a node from its own measurements and the
 * children's sums given (NULL: from the children themselves, where they count).
 */
struct sotto_census_sums {
	double *z, *covariance;
};
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather_one(struct sotto_census_worker *w, size_t node,
			const struct sotto_census_sums *below, double *z, double *covariance);

/* Do measurements of the children count for this node? */
bool sotto_census_looks_below(const struct sotto_census_run *run, size_t node);

/* As above, but the slots from the task level on are not kept below `node`. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather_top(struct sotto_census_worker *w, size_t node);
void sotto_census_slots_release(struct sotto_census_run *run, size_t node);

#endif
