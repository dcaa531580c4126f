/*
 * source_files.h - which files a source is, and of which kind
 */
#ifndef SOTTO_SOURCE_FILES_H
#define SOTTO_SOURCE_FILES_H

#include "central/policy/policy.h"
#include "central/engine/file_identity.h"

enum sotto_source_kind {
	SOTTO_SOURCE_UNKNOWN,
	SOTTO_SOURCE_CSV,
	SOTTO_SOURCE_JSON,
	SOTTO_SOURCE_JSON_LINES,
	SOTTO_SOURCE_PARQUET,
	SOTTO_SOURCE_DATABASE,
};

/* By the ending of the name; a text may end in .gz. */
enum sotto_source_kind sotto_source_kind(const char *path);
bool sotto_source_is_text(enum sotto_source_kind kind);
enum sotto_file_kind sotto_source_file_kind(enum sotto_source_kind kind);

struct sotto_files {
	const char **paths; /* sorted by name */
	const char **names; /* the same, relative to the policy's folder where it can be */
	size_t count; /* 0: there is none */
};

/* The files of a table's source, which may be a pattern.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_files_find(struct sotto_files *f,
						    struct sotto_arena *a,
						    const struct sotto_policy_table *t);

#endif
