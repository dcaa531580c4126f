/*
 * layout_verify.h - checks that every row is in its bucket
 */
#ifndef SOTTO_LAYOUT_VERIFY_H
#define SOTTO_LAYOUT_VERIFY_H

#include "central/seal/layout/layout_manifest.h"
#include "central/seal/seal_database.h"

/* What was found in files that lie in folders bucket=I. */
struct sotto_layout_count {
	uint64_t rows;
	uint64_t misplaced; /* of them, in a folder that is not that of their bucket */
};

/* The files of the folder, sorted; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_files(struct sotto_files *files, struct sotto_arena *a, const char *folder);

/* The same files, in the same bytes of their footers.  Fails: SOTTO_ESTATE, SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_layout_check_files(const struct sotto_layout *l,
							    const struct sotto_files *files,
							    const char *folder);

/*
 * Reads the unit of every row; of a layout by rows, the numbers of folders.  unit NULL: only
 * counts rows.
 *
 * Fails:    SOTTO_EMISSING if the files have no such column; SOTTO_ESTATE if the engine's hash
 *           is another than ours; SOTTO_EIO, SOTTO_ENOMEM.
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
