/*
 * census_progress.h - records how far the files of an unfinished release are written
 *
 * A note in the folder: so many batches are in the files, which are so long.  It is written after
 * the files are on the disk and replaced as a whole, so that what it says is always true.
 */
#ifndef SOTTO_CENSUS_PROGRESS_H
#define SOTTO_CENSUS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sotto_census_progress {
	size_t batches;
	uint64_t *lengths; /* of each file */
	size_t file_count;
};

/* True if the folder has a note for so many files; lengths is the caller's. */
bool sotto_census_progress_read(struct sotto_census_progress *p, const char *folder);

/* False if it could not be written: an older note, or none, is then left. */
bool sotto_census_progress_write(const struct sotto_census_progress *p, const char *folder);
void sotto_census_progress_remove(const char *folder);

#endif
