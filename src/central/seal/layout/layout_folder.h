/*
 * layout_folder.h - the folder of a layout while it is being written
 *
 *	events.unfinished/			locked by whoever writes it
 *	events.unfinished/job-0123.../		of one source, unit and number of buckets
 *	events.unfinished/job-0123.../slice-7/	written by a worker, whole (slice_write.h)
 *	events.unfinished/bucket=3/part-7-0.parquet	once all slices are there
 *
 * (1) What an earlier attempt at the same job left is kept; what other jobs left is removed.
 * (2) Only files and folders that this program named are ever removed.
 */
#ifndef SOTTO_LAYOUT_FOLDER_H
#define SOTTO_LAYOUT_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "sotto/status.h"

struct sotto_layout_folder {
	const char *destination, *unfinished; /* in the arena */
	const char *job; /* the folder of slices, from the root on; NULL before _start */
	int lock; /* or -1 */
	bool is_gathered; /* an earlier attempt had begun to put files into buckets */
};

/*
 * Makes DESTINATION.unfinished, and locks it.
 *
 * Fails:    SOTTO_ESTATE if the destination exists, if another process is writing it, or if it
 *           holds files that sotto layout did not write; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_folder_open(struct sotto_layout_folder *f, struct sotto_arena *a,
			 const char *destination, struct sotto_error *err);

/* Starts or resumes a job, and removes what others left.  Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_folder_start(struct sotto_layout_folder *f,
							     struct sotto_arena *a,
							     const char *job);

/*
 * Moves the files of all slices into the folders of their buckets.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_folder_gather(struct sotto_layout_folder *f,
							      struct sotto_arena *a,
							      uint32_t slices);

/* Gives the complete layout its final name.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_folder_keep(struct sotto_layout_folder *f);

/* Removes the folder, unless its slices are kept for the next attempt. */
void sotto_layout_folder_clear(struct sotto_layout_folder *f, bool keeps_slices);
void sotto_layout_folder_close(struct sotto_layout_folder *f);

/* A path without trailing slashes; NULL if out of memory. */
const char *sotto_layout_plain_path(struct sotto_arena *a, const char *path);

#endif
