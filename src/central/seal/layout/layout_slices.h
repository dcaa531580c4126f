/*
 * layout_slices.h - a layout written by workers, slice by slice
 *
 * A slice is a range of rows of one file of the source.  A worker writes it into its own folder and
 * compares what it wrote with what it read (slice_write.h); slices that exist already are only
 * compared.  The result does not depend on how many workers there are, on which machines they run,
 * or how often the job was interrupted.
 */
#ifndef SOTTO_LAYOUT_SLICES_H
#define SOTTO_LAYOUT_SLICES_H

#include "central/seal/layout/layout_source.h"

struct sotto_layout_slices {
	const struct sotto_layout_source *source;
	const struct sotto_layout_folder *folder;
	const struct sotto_layout_options *how;
	const struct sotto_policy *policy; /* or NULL */
	struct sotto_database *database;
	struct sotto_arena *arena;
	struct sotto_layout_range *ranges;
	size_t count;
	struct sotto_error *err;
};

/* Divides the rows of the source into slices.  Fails: SOTTO_ENOMEM; SOTTO_ERANGE with a sentence. */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_slices_cut(struct sotto_layout_slices *s);

/*
 * Writes and compares all slices.
 *
 * Fails:    SOTTO_EMISSING if there is no column of the unit; SOTTO_ESTATE if what was written
 *           differs from the source; SOTTO_EIO if workers were lost or the disk is full (the next
 *           attempt then resumes).  Each with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_slices_run(struct sotto_layout_slices *s);

#endif
