/*
 * census_possible_cells.h - lists the cells that may be occupied, by public knowledge
 */
#ifndef SOTTO_CENSUS_POSSIBLE_CELLS_H
#define SOTTO_CENSUS_POSSIBLE_CELLS_H

#include "census/solve/census_run.h"

/*
 * Lists them sorted by group (of the frame, or of the known table), then by number.  The caller
 * frees *out, also on failure: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_possible_cells(const struct sotto_census_run *run, uint32_t **out, size_t *n);

#endif
