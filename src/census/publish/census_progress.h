/*
 * census_progress.h - records how far the files of an unfinished release are written
 *
 * A note in the folder says how many batches the files contain and how long the files are.  It is
 * written after the files are on the disk and replaced as a whole, so it is always true.
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

/* Reads the folder's note; true if there is one for this many files.  The caller owns lengths. */
bool sotto_census_progress_read(struct sotto_census_progress *p, const char *folder);

/* Writes the note.  False if that failed: an older note, or none, is then left. */
bool sotto_census_progress_write(const struct sotto_census_progress *p, const char *folder);
void sotto_census_progress_remove(const char *folder);

#endif
