#include "seal/files.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"

static const struct {
	const char *ending;
	enum sotto_source_kind kind;
} endings[] = {
	{".csv", SOTTO_SOURCE_CSV},           {".tsv", SOTTO_SOURCE_CSV},
	{".txt", SOTTO_SOURCE_CSV},           {".json", SOTTO_SOURCE_JSON},
	{".ndjson", SOTTO_SOURCE_JSON_LINES}, {".jsonl", SOTTO_SOURCE_JSON_LINES},
	{".parquet", SOTTO_SOURCE_PARQUET},   {".duckdb", SOTTO_SOURCE_DATABASE},
	{".db", SOTTO_SOURCE_DATABASE},
};

enum sotto_source_kind sotto_source_kind(const char *path)
{
	size_t n = strlen(path);
	bool zipped = n > 3 && strcmp(path + n - 3, ".gz") == 0;

	n -= zipped ? 3 : 0;
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		size_t m = strlen(endings[i].ending);

		if (n < m || strncmp(path + n - m, endings[i].ending, m) != 0)
			continue;
		return zipped && !sotto_source_is_text(endings[i].kind) ? SOTTO_SOURCE_UNKNOWN
									: endings[i].kind;
	}
	return SOTTO_SOURCE_UNKNOWN;
}

bool sotto_source_is_text(enum sotto_source_kind kind)
{
	return kind == SOTTO_SOURCE_CSV || kind == SOTTO_SOURCE_JSON ||
	       kind == SOTTO_SOURCE_JSON_LINES;
}

enum sotto_file_kind sotto_source_file_kind(enum sotto_source_kind kind)
{
	return kind == SOTTO_SOURCE_PARQUET    ? SOTTO_FILE_PARQUET
	       : kind == SOTTO_SOURCE_DATABASE ? SOTTO_FILE_DATABASE
					       : SOTTO_FILE_TEXT;
}

/* How much of a path the policy's folder is. */
static size_t folder_length(const struct sotto_policy_table *t)
{
	size_t written = strlen(t->written), source = strlen(t->source);

	return source > written && strcmp(t->source + source - written, t->written) == 0
		       ? source - written
		       : 0;
}

static enum sotto_status add(struct sotto_files *f, struct sotto_arena *a, const char *path,
			     size_t folder, size_t *names)
{
	const char **slot = SOTTO_PUSH(a, f->paths, f->count), **name;

	if (!slot)
		return SOTTO_ENOMEM;
	name = SOTTO_PUSH(a, f->names, *names);
	*slot = sotto_arena_text(a, path);
	if (!*slot || !name)
		return SOTTO_ENOMEM;
	*name = *slot + (folder < strlen(path) ? folder : 0);
	return SOTTO_OK;
}

enum sotto_status sotto_files_find(struct sotto_files *f, struct sotto_arena *a,
				   const struct sotto_policy_table *t)
{
	enum sotto_status st = SOTTO_OK;
	size_t folder = folder_length(t), names = 0;
	glob_t found;

	*f = (struct sotto_files){0};
	if (!strpbrk(t->source, "*?["))
		return access(t->source, F_OK) == 0 ? add(f, a, t->source, folder, &names)
						    : SOTTO_OK;
	if (glob(t->source, 0, NULL, &found) == 0)
		for (size_t i = 0; st == SOTTO_OK && i < found.gl_pathc; i++)
			st = add(f, a, found.gl_pathv[i], folder, &names);
	globfree(&found);
	return st;
}
