/*
 * census_naive.h - mode naive: each table from one noisy query, without estimates
 */
#ifndef SOTTO_CENSUS_NAIVE_H
#define SOTTO_CENSUS_NAIVE_H

#include "census/measure/census_measure.h"
#include "census/publish/census_output.h"

/*
 * Writes each table from the query of that name, or from the query with the least variance that
 * refines it; empty if the level has none.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_run_naive(const struct sotto_census_world *w,
		       const struct sotto_census_measurement *m,
		       void (*progress)(void *context, uint64_t done, uint64_t total),
		       void *progress_context, struct sotto_census_output *o);

#endif
