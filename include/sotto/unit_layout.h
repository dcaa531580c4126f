/*
 * sotto/unit_layout.h - Parquet files laid out by the privacy unit, for many machines
 *
 *	struct sotto_layout_options how = {.source = "events.parquet", .destination = "events",
 *					   .unit = "uid", .buckets = 64};
 *	sotto_layout_write(&how, &report, &err);
 *
 * All rows of one unit are in one folder: events/bucket=I/part-0.parquet.  A worker that
 * answers for bucket I then reads only that folder.  events/sotto-layout.json lists the
 * column, the number of buckets, and the files; sotto_policy_seal checks every row
 * before a question relies on it.  Argument: src/central/seal/layout/layout.md.
 */
#ifndef SOTTO_UNIT_LAYOUT_H
#define SOTTO_UNIT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* Called now and then; done of total.  May be NULL. */
typedef void (*sotto_layout_progress_fn)(void *context, const char *what, uint64_t done,
					 uint64_t total);

#define SOTTO_LAYOUT_ROW "row" /* as a unit */

struct sotto_layout_options {
	const char *source; /* Parquet, CSV or JSON files, by their path or by a pattern; or a
			       folder of Parquet files with a / at its end */
	const char *destination; /* a folder that does not exist yet */
	const char *unit; /* the column by which rows are divided; "row": each row is a unit */
	uint32_t buckets; /* 1 to 100,000 */
	uint32_t processes; /* of this machine; 0: the policy's workers, or one process */
	const char
		*policy; /* a policy whose spread: names workers, and whose tables say how text
			       files are read; NULL: none */
	uint64_t slice; /* rows that one worker writes at a time; 0: chosen for you */
	sotto_layout_progress_fn progress;
	void *context;
};

/* The size of a layout, for the owner. */
struct sotto_layout_report {
	uint32_t buckets;
	uint64_t files, rows, bytes;
};

/*
 * Writes the folder.  It gets its name when it is complete, on disk, and was found to have
 * the rows of the source, each once and each in its bucket; until then it is called
 * destination.unfinished.  The next attempt with the same options continues there, any other
 * begins again.
 *
 * Fails:    SOTTO_EINVAL for NULL; SOTTO_ESTATE if the destination already exists or another
 *           process writes it; SOTTO_EMISSING if the source or the column does not exist;
 *           SOTTO_EPARSE if the source cannot be read; SOTTO_ERANGE for the buckets;
 *           SOTTO_EIO; err never contains a value of the data.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_layout_write(const struct sotto_layout_options *options,
		   struct sotto_layout_report *report, struct sotto_error *err);

/*
 * Reads such a folder again, and checks that the files are those that were written and that
 * each row is in its bucket.
 *
 * Fails:    SOTTO_EMISSING if it has no sotto-layout.json; SOTTO_ECORRUPT if that is damaged;
 *           SOTTO_ESTATE if a file has changed or a row is in the wrong bucket; SOTTO_EIO.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_layout_check(const char *folder, sotto_layout_progress_fn progress, void *context,
		   struct sotto_layout_report *report, struct sotto_error *err);

#endif
