/*
 * Writes the new text beside the file, with its mode, synchronizes it and renames it over the
 * file that links lead to; an edit is parsed again and checked before that.
 */
#include "central/session/owner/policy_rewrite.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/whole_io.h"
#include "central/policy/policy_edit.h"
#include "core/base/failure.h"

/* ---- the file ------------------------------------------------------------------------------ */

enum sotto_status sotto_policy_file_read(const char *path, struct sotto_buffer *b, mode_t *mode,
					 struct sotto_error *err)
{
	enum sotto_status st = sotto_buffer_append_regular_file(b, path);
	struct stat info;

	if (st == SOTTO_OK && stat(path, &info) != 0)
		st = SOTTO_EIO;
	if (st == SOTTO_OK)
		*mode = info.st_mode & 0777;
	return st == SOTTO_OK
		       ? SOTTO_OK
		       : sotto_fail(err, st, "the policy %.200s could not be read", path);
}

/* Where the path leads through links, the file at their end is replaced: links stay. */
enum sotto_status sotto_policy_file_replace(const char *path, const struct sotto_buffer *b,
					    mode_t mode, struct sotto_error *err)
{
	char beside[PATH_MAX + 8], target[PATH_MAX];
	int n = realpath(path, target) ? snprintf(beside, sizeof beside, "%s.XXXXXX", target)
				       : -1;
	int fd = n > 0 && (size_t)n < sizeof beside ? mkostemp(beside, O_CLOEXEC) : -1;
	bool written = fd >= 0 && fchmod(fd, mode) == 0 &&
		       sotto_write_all(fd, b->bytes, b->length) && fsync(fd) == 0;

	if (fd >= 0 && close(fd) != 0)
		written = false;
	if (written && rename(beside, target) == 0)
		return SOTTO_OK;
	if (fd >= 0)
		(void)unlink(beside);
	return sotto_fail(err, SOTTO_EIO, "the policy %.200s could not be written", path);
}

/* ---- limits -------------------------------------------------------------------------------- */

/* Does the new text say what it should? */
static enum sotto_status check(const struct sotto_policy *old, const struct sotto_buffer *b,
			       const char *table, int64_t groups, int64_t rows)
{
	const struct sotto_policy_table *t;
	struct sotto_policy p;
	bool right;

	SOTTO_TRY(sotto_policy_parse(&p, old->path, b->bytes, b->length, NULL));
	t = sotto_policy_table_find(&p, table);
	right = p.table_count == old->table_count && t && t->max_rows == rows &&
		!t->finds_rows &&
		(groups == 0 || (t->max_groups == groups && !t->finds_groups));
	sotto_policy_release(&p);
	return right ? SOTTO_OK : SOTTO_EREFUSED;
}

/* One field after the other: an edit makes one change. */
static enum sotto_status edit(const struct sotto_buffer *text, const char *table,
			      int64_t groups, int64_t rows, struct sotto_buffer *out)
{
	struct sotto_buffer between;
	enum sotto_status st;

	sotto_buffer_init(&between, SOTTO_POLICY_MAX);
	st = groups ? sotto_policy_set_limit(sotto_buffer_text(text), text->length, table,
					     "max_groups", groups, &between)
		    : sotto_buffer_append(&between, text->bytes, text->length);
	if (st == SOTTO_OK)
		st = sotto_policy_set_limit(sotto_buffer_text(&between), between.length, table,
					    "max_rows", rows, out);
	sotto_buffer_release(&between);
	return st;
}

enum sotto_status sotto_policy_write_limits(struct sotto_session *s, const char *table,
					    int64_t groups, int64_t rows,
					    struct sotto_error *err)
{
	struct sotto_buffer text, edited;
	enum sotto_status st;
	mode_t mode = 0;

	sotto_buffer_init(&text, SOTTO_POLICY_MAX);
	sotto_buffer_init(&edited, SOTTO_POLICY_MAX);
	st = sotto_policy_file_read(s->policy.path, &text, &mode, err);
	if (st == SOTTO_OK) {
		st = edit(&text, table, groups, rows, &edited);
		if (st == SOTTO_OK)
			st = check(&s->policy, &edited, table, groups, rows);
		if (st != SOTTO_OK)
			st = sotto_fail(
				err, SOTTO_EREFUSED,
				"they cannot be inserted automatically into %.160s; write "
				"max_groups and max_rows of %.60s yourself",
				s->policy.path, table);
	}
	if (st == SOTTO_OK)
		st = sotto_policy_file_replace(s->policy.path, &edited, mode, err);
	sotto_buffer_release(&text);
	sotto_buffer_release(&edited);
	return st;
}
