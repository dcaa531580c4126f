/*
 * census_naive.h - mode naive: each table from one noisy query, as it is
 */
#ifndef SOTTO_CENSUS_NAIVE_H
#define SOTTO_CENSUS_NAIVE_H

#include "census/measure/census_measure.h"
#include "census/publish/census_output.h"

/*
 * Each table is the query of that name, or what adds up from the query that refines it with the
 * least variance; empty where no query of the level does.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_run_naive(const struct sotto_census_world *w,
		       const struct sotto_census_measurement *m,
		       void (*progress)(void *context, uint64_t done, uint64_t total),
		       void *progress_context, struct sotto_census_output *o);

#endif
