/*
 * census_unfinished_file.h - a file that gets its name when it is complete
 */
#ifndef SOTTO_CENSUS_UNFINISHED_FILE_H
#define SOTTO_CENSUS_UNFINISHED_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "sotto/status.h"

struct sotto_engine;

struct sotto_census_unfinished_file {
	size_t level, table; /* of the shape; of the plan's tables; SIZE_MAX: microdata */
	char *part, *name;
	FILE *f;
};

bool sotto_census_unfinished_file_is_parquet(const struct sotto_census_unfinished_file *file);

/*
 * Closes it durably and gives it its name; the engine makes a Parquet file from the text, whose
 * last `numbers` columns are numbers.  Fails: SOTTO_EIO with the file's name.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_unfinished_file_settle(struct sotto_census_unfinished_file *file, size_t numbers,
				    struct sotto_engine *e, struct sotto_error *err);

#endif
