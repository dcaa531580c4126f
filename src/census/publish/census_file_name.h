/*
 * census_file_name.h - names the files of a release and their columns
 */
#ifndef SOTTO_CENSUS_FILE_NAME_H
#define SOTTO_CENSUS_FILE_NAME_H

#include "census/plan/census_plan.h"

/*
 * Returns "Level.table.csv" for a level and a table of the plan; malloc'd, NULL if out of memory.
 */
char *sotto_census_file_name(const struct sotto_census_plan *p, size_t level, size_t table);

/*
 * Checks that names can be file names and differ, that columns differ, and that there is
 * something to write.
 *
 * Fails:    SOTTO_EPARSE with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_names_check(const struct sotto_census_plan *p, struct sotto_error *err);

#endif
