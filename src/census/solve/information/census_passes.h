/*
 * census_passes.h - least squares of the whole tree on all cells, in a pass up and a pass down
 */
#ifndef SOTTO_CENSUS_PASSES_H
#define SOTTO_CENSUS_PASSES_H

#include "census/solve/census_worker.h"
#include "census/solve/information/census_spread.h"

/* z and spread of every node: after the passes, estimates and how far off they may be. */
struct sotto_census_passes {
	struct sotto_census_run *run;
	struct sotto_census_worker *w;
	double *z, *spread;
};

static inline double *sotto_census_passes_z(const struct sotto_census_passes *p, size_t node)
{
	return p->z + node * p->run->schema->cells;
}

static inline double *
sotto_census_passes_spread(const struct sotto_census_passes *p, size_t node)
{
	return p->spread + node * sotto_census_spread_size(&p->run->basis);
}

/* Runs the passes.  Fails: SOTTO_ENOMEM, SOTTO_EENTROPY. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_passes_run(struct sotto_census_passes *p);

#endif
