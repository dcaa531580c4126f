/*
 * layout_manifest.h - sotto-layout.json: the description of a folder of buckets
 */
#ifndef SOTTO_LAYOUT_MANIFEST_H
#define SOTTO_LAYOUT_MANIFEST_H

#include "central/seal/source/source_files.h"
#include "core/base/arena.h"

#define SOTTO_LAYOUT_NAME "sotto-layout.json"
#define SOTTO_LAYOUT_BY_ROW "row()" /* in place of a unit: any row may be in any bucket */

struct sotto_layout_file {
	const char *name; /* bucket=7/part-0.parquet */
	uint64_t size;
	const char *digest; /* of the footer */
};

struct sotto_layout {
	const char *unit;
	uint32_t buckets;
	uint64_t rows;
	struct sotto_layout_file *files; /* sorted by name */
	size_t count;
};

/*
 * Texts live in the arena.
 *
 * Fails:    SOTTO_EMISSING if there is no such file; SOTTO_ECORRUPT if it is damaged, of another
 *           version, or of another hash; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_load(struct sotto_layout *l, struct sotto_arena *a, const char *folder);

/* Writes it durably.  Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_save(const struct sotto_layout *l, const char *folder);

#endif
