/*
 * file_identity.h - checks whether a file is still the one that was sealed
 *
 * A text is known by its size and the digest of all of it, which is looked at again
 * only if one of its times has changed.  A Parquet file is known by its size and the
 * digest of its footer, a database file by its size and the digest of its headers and
 * of what waits in its log: these are read every time.
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
	char digest[SOTTO_DIGEST_SIZE];
};

/* Fails: SOTTO_EMISSING, SOTTO_EIO (also for a file that is not of its kind). */
SOTTO_MUST_CHECK enum sotto_status
sotto_identity_take(struct sotto_identity *id, const char *path, enum sotto_file_kind kind);

/* Fails: SOTTO_EMISSING, SOTTO_EIO; SOTTO_ESTATE if it is another file now. */
SOTTO_MUST_CHECK enum sotto_status sotto_identity_check(const struct sotto_identity *id,
							const char *path,
							enum sotto_file_kind kind);

/* The same; a text that was looked at again and found unchanged has its present times in *id. */
SOTTO_MUST_CHECK enum sotto_status
sotto_identity_confirm(struct sotto_identity *id, const char *path, enum sotto_file_kind kind);

/* Where the footer of a Parquet file begins, and how long it is; SOTTO_EIO if none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_parquet_footer(int file, uint64_t size, uint64_t *start, uint32_t *length);

#endif
