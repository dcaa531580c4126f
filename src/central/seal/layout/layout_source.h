/*
 * layout_source.h - the source of a layout: Parquet files, or a Parquet copy of text files
 *
 * A text (CSV, JSON Lines, either with .gz) is read once, record by record, as sealing reads it,
 * into a copy beside the slices; the copy is removed when the layout is complete.
 */
#ifndef SOTTO_LAYOUT_SOURCE_H
#define SOTTO_LAYOUT_SOURCE_H

#include "central/policy/policy.h"
#include "central/seal/layout/layout_folder.h"
#include "central/seal/seal_database.h"
#include "central/seal/source/source_files.h"
#include "sotto/owner.h"

#define SOTTO_LAYOUT_FILE "sotto file name" /* the column that names the file of a row */

struct sotto_layout_source {
	const char *given; /* by the owner */
	const struct sotto_policy_table *table; /* how a text is read */
	struct sotto_policy_table plain; /* if no policy says so */
	bool is_text;
	struct sotto_files files;
	struct sotto_identity *ids; /* as many */
	/* the files that are read, once _ready has run */
	const char **paths; /* from the root on */
	struct sotto_identity *read_ids;
	uint64_t *rows;
	size_t count;
	uint64_t total, bytes;
	const char *relation; /* SQL for all of them, with SOTTO_LAYOUT_FILE */
	bool has_row_numbers; /* no column of the data has that name */
};

/*
 * Finds the files and records their identities.  policy is NULL, or is searched for a table with
 * this source.
 *
 * Fails:    SOTTO_EPARSE, SOTTO_EMISSING, SOTTO_EIO with a sentence; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_source_find(struct sotto_layout_source *s, struct sotto_arena *a,
			 const char *source, const struct sotto_policy *policy,
			 struct sotto_error *err);

/*
 * Counts the rows.  copy is the copy of a text (layout_text.h), or NULL.
 *
 * Fails:    SOTTO_EPARSE for folders that cannot be columns; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_source_ready(struct sotto_layout_source *s, struct sotto_arena *a,
			  struct sotto_database *d, const char *copy, struct sotto_error *err);

/* Checks that the files have not changed.  Fails: SOTTO_EIO with a sentence. */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_source_check(const struct sotto_layout_source *s, struct sotto_error *err);

/* Returns SOTTO_EIO with the sentence that the source cannot be read. */
enum sotto_status
sotto_layout_source_unreadable(const struct sotto_layout_source *s, struct sotto_error *err);

#endif
