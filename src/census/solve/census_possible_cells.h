/*
 * census_possible_cells.h - the cells that anybody may be in, by what is public
 */
#ifndef SOTTO_CENSUS_POSSIBLE_CELLS_H
#define SOTTO_CENSUS_POSSIBLE_CELLS_H

#include "census/solve/census_run.h"

/*
 * Sorted by group (of the frame, or of the known table), then by number.  The caller frees *out,
 * also where it fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_possible_cells(const struct sotto_census_run *run, uint32_t **out, size_t *n);

#endif
