/*
 * census_worker.h - the memory of one thread of a run
 */
#ifndef SOTTO_CENSUS_WORKER_H
#define SOTTO_CENSUS_WORKER_H

#include "census/solve/census_run.h"
#include "census/solve/family/census_solve.h"
#include "census/whole/census_whole.h"

struct sotto_census_worker {
	struct sotto_census_run *run;
	struct sotto_census_reader *reader;
	struct sotto_noisy *answers; /* one for each cell */
	uint32_t *needed; /* cells of a query that are needed */
	uint32_t *number; /* index of a query's cell among those; UINT32_MAX: not needed */
	double *invert; /* work of sotto_census_info_invert */
	struct sotto_census_solver solver;
	struct sotto_transport_work transport;
};

SOTTO_MUST_CHECK enum sotto_status
sotto_census_worker_open(struct sotto_census_run *run, struct sotto_census_worker **out);
void sotto_census_worker_close(struct sotto_census_worker *w);

/* Returns the places that a node may have by its bounds. */
uint64_t sotto_census_node_mask(const struct sotto_census_run *run, size_t node);

/* Returns the plan's level for a level of the tree; NULL: a level of unions. */
const struct sotto_census_level *
sotto_census_plan_level(const struct sotto_census_run *run, size_t level);

/* Returns the only child of a node whose budget is pooled with it; SIZE_MAX if there is none. */
size_t sotto_census_only_child(const struct sotto_census_run *run, size_t node);

#endif
