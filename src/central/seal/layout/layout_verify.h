/*
 * layout_verify.h - checks that every row is in its bucket
 */
#ifndef SOTTO_LAYOUT_VERIFY_H
#define SOTTO_LAYOUT_VERIFY_H

#include "central/seal/layout/layout_manifest.h"
#include "central/seal/seal_database.h"

/* What was found in the files of folders bucket=I. */
struct sotto_layout_count {
	uint64_t rows;
	uint64_t misplaced; /* rows that are not in the folder of their bucket */
};

/* Lists the files of the folder, sorted.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_files(struct sotto_files *files, struct sotto_arena *a, const char *folder);

/* Checks that the layout has these files with these footers.  Fails: SOTTO_ESTATE, SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_check_files(const struct sotto_layout *l,
							    const struct sotto_files *files,
							    const char *folder);

/*
 * Counts rows, and those that are misplaced: it reads the unit of every row, or, in a layout by rows,
 * the numbers of folders.  With unit NULL it only counts rows.
 *
 * Fails:    SOTTO_EMISSING if the files have no such column; SOTTO_ESTATE if the engine's hash
 *           differs from ours; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_count_rows(struct sotto_database *d, struct sotto_arena *a,
			const char *const *paths, size_t count, const char *unit,
			uint32_t buckets, struct sotto_layout_count *out);

/* SQL for the bucket of a column of a relation.  Fails: SOTTO_EMISSING without the column. */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_bucket_sql(struct sotto_database *d, struct sotto_arena *a, const char *relation,
			const char *unit, uint32_t buckets, const char **sql);

#endif
