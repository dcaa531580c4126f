/*
 * census_file_name.h - what the files of a release and their columns are called
 */
#ifndef SOTTO_CENSUS_FILE_NAME_H
#define SOTTO_CENSUS_FILE_NAME_H

#include "census/plan/census_plan.h"

/* "Level.table.csv" of a level and a table of the plan; malloc'd, NULL without memory. */
char *sotto_census_file_name(const struct sotto_census_plan *p, size_t level, size_t table);

/*
 * That names can be files and differ, and columns too; and that there is something to write.
 *
 * Fails:    SOTTO_EPARSE with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_names_check(const struct sotto_census_plan *p, struct sotto_error *err);

#endif
