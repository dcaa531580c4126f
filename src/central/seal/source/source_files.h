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

/* By the ending of the name; a text may end in .gz.  A / at the end: a folder of Parquet files. */
enum sotto_source_kind sotto_source_kind(const char *path);
bool sotto_source_is_text(enum sotto_source_kind kind);
enum sotto_file_kind sotto_source_file_kind(enum sotto_source_kind kind);

struct sotto_files {
	const char **paths; /* sorted by name */
	const char **names; /* the same, relative to the policy's folder where it can be */
	size_t count; /* 0: there is none */
};

/*
 * The files of a table's source, which may be a pattern, or a folder: then all .parquet files in
 * it and in its folders, but for names that begin with . or _, as Hive has it.
 *
 * Fails:    SOTTO_ENOMEM; SOTTO_EIO if a folder cannot be read.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_files_find(struct sotto_files *f,
						    struct sotto_arena *a,
						    const struct sotto_policy_table *t);

/*
 * Parquet files as a table of the engine; NULL without memory.
 *
 * names: the files as the policy writes them.  Folders like city=Rome in them are columns,
 * unless they are the buckets of a layout (sotto/owner.h).  NULL: no folder is a column.
 * Folders above, which depend on where a process stands, must never be: a column of a folder
 * takes the place of the file's own, and were that the unit, nobody's rows would be bounded.
 *
 * file: a name for the column that says which file a row is of, or NULL.
 */
const char *sotto_parquet_relation(struct sotto_arena *a, const char *const *paths,
				   const char *const *names, size_t count, const char *file);

/*
 * True if the folders above the name, in the path from the root on, are not columns, or no
 * folder of the name is one, so that the engine does not look at folders at all.
 */
bool sotto_folders_are_clear(const char *path, const char *name);

#endif
