/*
 * census_known_table.h - reads an invariant of the lowest level with many cells
 */
#ifndef SOTTO_CENSUS_KNOWN_TABLE_H
#define SOTTO_CENSUS_KNOWN_TABLE_H

#include "census/measure/census_world.h"

struct sotto_engine;

/*
 * Reads it from its file, in which a cell that is not listed has nobody, or from the data (if
 * data is false, reads nothing).  Fails as reading the file does; SOTTO_EINFEASIBLE if a cell has
 * two values.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_read_known(struct sotto_engine *e, struct sotto_census_world *w,
			const struct sotto_census_invariant *inv, bool data,
			struct sotto_error *err);

#endif
