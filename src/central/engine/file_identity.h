/*
 * file_identity.h - checks whether a file is still the one that was sealed
 *
 * A file is known by its size and the digest of all of it, which is looked at again only if one
 * of its times has changed.  Of a Parquet file the footer, and of a database file the headers and
 * what waits in its log, have a digest of their own, which is looked at every time.  They do not
 * change with every value: a database that is filled again by the same statements has the headers
 * that it had, whatever stands in one of its records.
 */
#ifndef SOTTO_FILE_IDENTITY_H
#define SOTTO_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/digest_text.h"
#include "sotto/status.h"

enum sotto_file_kind { SOTTO_FILE_TEXT, SOTTO_FILE_PARQUET, SOTTO_FILE_DATABASE };

struct sotto_identity {
	uint64_t size;
	int64_t changed; /* nanoseconds: of contents and of the entry; a hint only */
	int64_t moved;
	/* Of a text all of it, else of the part said above. */
	char digest[SOTTO_DIGEST_SIZE];
	/* Of all of it; empty for texts, and where nobody asked. */
	char whole[SOTTO_DIGEST_SIZE];
};

/*
 * Without the digest of all of a Parquet or database file: enough for what we write ourselves.
 *
 * Fails:    SOTTO_EMISSING, SOTTO_EIO (also for a file that is not of its kind).
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_identity_take(struct sotto_identity *id, const char *path, enum sotto_file_kind kind);

/* The same with that digest, for files of others. */
SOTTO_MUST_CHECK enum sotto_status sotto_identity_take_whole(struct sotto_identity *id,
							     const char *path,
							     enum sotto_file_kind kind);

/* Fails: SOTTO_EMISSING, SOTTO_EIO; SOTTO_ESTATE if it is another file now. */
SOTTO_MUST_CHECK enum sotto_status sotto_identity_check(const struct sotto_identity *id,
							const char *path,
							enum sotto_file_kind kind);

/* The same; a file that was looked at again and found unchanged has its present times in *id. */
SOTTO_MUST_CHECK enum sotto_status
sotto_identity_confirm(struct sotto_identity *id, const char *path, enum sotto_file_kind kind);

/* True if the file has the size and the times that it had: then its bytes need not be read. */
bool sotto_identity_is_untouched(const struct sotto_identity *id, const char *path);

/* The digest that tells other contents from these: that of all of it, where there is one. */
const char *sotto_identity_contents(const struct sotto_identity *id);

/* Where the footer of a Parquet file begins, and how long it is; SOTTO_EIO if none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_parquet_footer(int file, uint64_t size, uint64_t *start, uint32_t *length);

#endif
