/*
 * policy_rewrite.h - replaces the policy's file by a changed one in a single step
 */
#ifndef SOTTO_POLICY_REWRITE_H
#define SOTTO_POLICY_REWRITE_H

#include <sys/stat.h>

#include "central/session/session.h"
#include "core/base/buffer.h"

enum { SOTTO_POLICY_MAX = 16 << 20 };

/* Reads the text of the file, and its mode.  Fails: SOTTO_EIO, SOTTO_EMISSING with a sentence. */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_file_read(const char *path,
							  struct sotto_buffer *b, mode_t *mode,
							  struct sotto_error *err);

/* Replaces the file's text, entirely or not at all.  Fails: SOTTO_EIO with a sentence. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_file_replace(const char *path, const struct sotto_buffer *b, mode_t mode,
			  struct sotto_error *err);

/*
 * Sets max_groups (unless groups is 0) and max_rows of a table; comments and everything else
 * stay.
 *
 * Fails:    SOTTO_EREFUSED if the file leaves no simple place for them; SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_write_limits(struct sotto_session *s, const char *table, int64_t groups,
			  int64_t rows, struct sotto_error *err);

#endif
