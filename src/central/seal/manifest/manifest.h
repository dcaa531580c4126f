/*
 * manifest.h - the file that records what was sealed, in the folder of the copies
 *
 * JSON with a version and a checksum, replaced as a whole.  For each source: which
 * files it was, their identities, the columns, and where the copy is, if there is one.
 */
#ifndef SOTTO_MANIFEST_H
#define SOTTO_MANIFEST_H

#include "central/engine/file_identity.h"
#include "core/base/arena.h"
#include "sotto/status.h"

#define SOTTO_MANIFEST_NAME "manifest.json"

struct sotto_sealed_file {
	const char *name; /* relative to the policy's folder, unless it is absolute */
	struct sotto_identity id;
};

struct sotto_sealed_column {
	const char *name;
	const char *type; /* the engine's name for it; NULL: text that has no type of its own */
	const char *of; /* the column of structures that it is a field of, or NULL */
	bool is_unique, is_filled; /* checked (seal_promise.h) */
	const char *read_as; /* the type that the check used; NULL: not checked */
	const char *tried_as; /* the type as which the values of a text were counted, or NULL */
	uint64_t values, unread; /* not empty; of these, not of that type (seal_columns.h) */
	/* A column of which each value has one here (seal_path.h), or NULL. */
	const char *leads_to;
	const char *collation; /* by which its database compares it, or NULL: byte by byte */
};

/* A map from keys to units of a table (engine/sum/owner_file.h), in a file of the folder. */
struct sotto_sealed_owners {
	const char *key, *unit; /* columns */
	bool is_number; /* it has numbers in the place of units (seal_owners.h) */
	const char *name;
	struct sotto_identity id;
};

struct sotto_sealed {
	const char *source; /* as the policy spells it */
	const char *table; /* inside a database file, or NULL */
	const char *layout; /* how the policy says to read it */
	enum sotto_file_kind kind; /* of the files */
	struct sotto_sealed_file *files;
	size_t file_count;
	struct sotto_sealed_column *columns;
	size_t column_count;
	uint64_t records, dropped;
	bool has_collations; /* of a database file: its columns were asked for theirs */
	const char *
		laid_out_by; /* the column by which files lie in folders bucket=I, checked; or NULL */
	uint32_t buckets; /* the number of these folders */
	const char *copy; /* file in the folder, or NULL */
	struct sotto_identity copy_id;
	struct sotto_sealed_owners *owners;
	size_t owners_count;
};

struct sotto_manifest {
	struct sotto_arena arena;
	const char *folder; /* borrowed */
	struct sotto_sealed *entries;
	size_t count;
};

/*
 * A missing file means that nothing was sealed; that is not a failure.
 *
 * Fails:    SOTTO_ECORRUPT if it is damaged or of another version (the manifest is
 *           empty then); SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_manifest_load(struct sotto_manifest *m, const char *folder);
void sotto_manifest_release(struct sotto_manifest *m);

/* Replaces the file durably.  Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_manifest_save(const struct sotto_manifest *m);

/* NULL if that source was never sealed, or only with another layout. */
const struct sotto_sealed *sotto_manifest_find(const struct sotto_manifest *m,
					       const char *source, const char *table,
					       const char *layout);

/* Adds an entry, or replaces the one of the same source and layout.  Borrows its texts. */
SOTTO_MUST_CHECK enum sotto_status
sotto_manifest_put(struct sotto_manifest *m, const struct sotto_sealed *entry);

#endif
