/*
 * census_descend.h - computes the final counts of children from those of their parent
 */
#ifndef SOTTO_CENSUS_DESCEND_H
#define SOTTO_CENSUS_DESCEND_H

#include "census/solve/census_final_counts.h"
#include "census/solve/census_worker.h"

/* Computes the root's final counts. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_descend_root(struct sotto_census_worker *w, struct sotto_census_counts *out);

/* Computes those of the children into out[0 .. count-1]. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_descend(struct sotto_census_worker *w, size_t parent,
		     const struct sotto_census_counts *counts, struct sotto_census_counts *out);

#endif
