/*
 * layout_slices.h - a layout written by workers, slice by slice
 *
 * A slice is a range of rows of one file of the source.  A worker writes it into a folder of
 * its own and compares what it wrote with what it read (slice_write.h); slices that are there
 * already are only compared.  So it does not matter how many workers there are, on which
 * machines, or how often it was interrupted.
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

/* Divides the rows of the source.  Fails: SOTTO_ENOMEM; SOTTO_ERANGE with a sentence. */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_slices_cut(struct sotto_layout_slices *s);

/*
 * Writes and compares all of them.
 *
 * Fails:    SOTTO_EMISSING without the column of the unit; SOTTO_ESTATE if what was written
 *           is not what the source holds; SOTTO_EIO if workers were lost or there is no room:
 *           then the next attempt goes on.  With a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_slices_run(struct sotto_layout_slices *s);

#endif
