/*
 * slice_write.h - a slice of a layout, written by a worker
 *
 * The rows of a slice go into a folder that no other attempt has.  When they are all on the
 * disk it gets the name of the slice.  An attempt that comes second finds the name taken
 * and removes its own folder: a slice is there once and whole, or not at all, however many
 * attempts there were, and an interrupted layout goes on with the slices that are there.
 *
 *	FOLDER/attempt-7-0123456789abcdef/rows/...	while it is written
 *	FOLDER/slice-7/rows/...				when it is whole
 */
#ifndef SOTTO_SLICE_WRITE_H
#define SOTTO_SLICE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_slice {
	int folder; /* or -1 */
	char name[32], attempt[64];
	bool is_there; /* whole, from an earlier attempt: there is nothing to write */
};

/*
 * Unless the slice is there, makes a folder for it and makes it the current one.
 *
 * Fails:    SOTTO_EIO, SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_slice_open(struct sotto_slice *s, const char *folder, uint32_t number);

/* What was written is made durable and gets its name.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_slice_keep(struct sotto_slice *s);

/* Makes the slice the current folder.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_slice_enter(const struct sotto_slice *s);

/* Removes what was not kept. */
void sotto_slice_close(struct sotto_slice *s);

/*
 * Removes a file or a folder of a layout, with what sotto gave a name in it and with nothing
 * else: rows, part-*, bucket=*, sotto_bucket=*, slice-*, attempt-*, job-*, _source.parquet*,
 * _gathered.
 */
void sotto_layout_remove(int parent, const char *name);

/* Whether that is such a name. */
bool sotto_layout_is_ours(const char *name);

#endif
