/*
 * source_files.h - finds the files of a source, and their kind
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

/* Decided by the name's ending, which may be followed by .gz; a final / means Parquet files. */
enum sotto_source_kind sotto_source_kind(const char *path);
bool sotto_source_is_text(enum sotto_source_kind kind);
enum sotto_file_kind sotto_source_file_kind(enum sotto_source_kind kind);

struct sotto_files {
	const char **paths; /* sorted by name */
	const char **names; /* the same, relative to the policy's folder where it can be */
	size_t count; /* 0: there are none */
};

/*
 * Lists the files of a table's source, which may be a pattern or a folder.  A folder means all
 * .parquet files below it, except for names that begin with . or _, as in Hive.
 *
 * Fails:    SOTTO_ENOMEM; SOTTO_EIO if a folder cannot be read.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_files_find(struct sotto_files *f,
						    struct sotto_arena *a,
						    const struct sotto_policy_table *t);

/* False if one of them is a pipe or anything else that the engine would wait for. */
bool sotto_files_are_regular(const struct sotto_files *f);

/*
 * Parquet files as a table of the engine; NULL without memory.
 *
 * names: the files as the policy spells them.  Folders like city=Rome in these names are columns,
 * unless they are the buckets of a layout (sotto/owner.h).  NULL: no folder is a column.  Folders
 * above these names must never become columns: such a column replaces the file's own, and if that
 * were the unit, nobody's rows would be bounded.
 *
 * file: the name of a column that tells the file of each row, or NULL.
 */
const char *sotto_parquet_relation(struct sotto_arena *a, const char *const *paths,
				   const char *const *names, size_t count, const char *file);

/*
 * True if the folders of both paths say something about the same columns, and those of the other are
 * texts, or if the engine ignores folders because the first path has none that is like COLUMN=Rome.
 */
bool sotto_folders_are_alike(const char *first, const char *other);

/* True if a folder of the path is like COLUMN=Rome.  Such columns are texts. */
bool sotto_folder_is_column(const char *path, const char *column);

/*
 * True if no folder of the path above the name looks like a column, or if no folder of the name does,
 * so that the engine ignores all folders.
 */
bool sotto_folders_are_clear(const char *path, const char *name);

#endif
