/*
 * The ending of a name decides the kind; patterns and folders are expanded and sorted by bytes,
 * and names like city=Rome become columns only if they are unambiguous.
 */
#include "central/seal/source/source_files.h"

#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "core/base/sql_quote.h"
#include "core/base/utf8_check.h"

#include "core/base/failure.h"

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

	if (n > 0 && path[n - 1] == '/')
		return SOTTO_SOURCE_PARQUET;
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

/* ---- folders ---------------------------------------------------------------------------- */

enum { DEEPEST = 32 };

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.' && e->d_name[0] != '_';
}

/* By bytes, whatever the locale: the list of files is compared. */
static int by_bytes(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static bool is_parquet(const char *name)
{
	size_t n = strlen(name);

	return n > 8 && strcmp(name + n - 8, ".parquet") == 0;
}

struct walk {
	struct sotto_files *files;
	struct sotto_arena *arena;
	const char *sealed; /* the folder of copies; NULL: as it is called by default */
	size_t folder, names;
};

/* Copies that sealing made are no further files: everybody in them would count twice. */
static bool holds_copies(const struct walk *w, const char *name, const struct stat *at)
{
	struct stat sealed;

	if (!w->sealed)
		return strcmp(name, SOTTO_SEALED_FOLDER) == 0;
	return stat(w->sealed, &sealed) == 0 && sealed.st_dev == at->st_dev &&
	       sealed.st_ino == at->st_ino;
}

/* Of a file that a pattern has found. */
static bool is_copy(const struct walk *w, const char *path)
{
	const char *slash = strrchr(path, '/'), *name;
	char *folder = slash ? strndup(path, (size_t)(slash - path)) : NULL;
	struct stat at;
	bool copies;

	if (!folder)
		return false;
	name = strrchr(folder, '/');
	copies = stat(folder, &at) == 0 && holds_copies(w, name ? name + 1 : folder, &at);
	free(folder);
	return copies;
}

static enum sotto_status walk_folder(struct walk *w, const char *folder, int depth);

static enum sotto_status
walk_entry(struct walk *w, const char *folder, const char *name, int depth)
{
	const char *path = sotto_arena_textf(w->arena, "%s%s", folder, name);
	struct stat found;

	if (!path)
		return SOTTO_ENOMEM;
	if (stat(path, &found) != 0)
		return SOTTO_EIO;
	if (S_ISDIR(found.st_mode) && holds_copies(w, name, &found))
		return SOTTO_OK;
	if (S_ISDIR(found.st_mode)) {
		path = sotto_arena_textf(w->arena, "%s/", path);
		return path ? walk_folder(w, path, depth + 1) : SOTTO_ENOMEM;
	}
	return is_parquet(name) ? add(w->files, w->arena, path, w->folder, &w->names)
				: SOTTO_OK;
}

static enum sotto_status walk_folder(struct walk *w, const char *folder, int depth)
{
	struct dirent **entries;
	int n = depth < DEEPEST ? scandir(folder, &entries, is_shown, by_bytes) : -1;
	enum sotto_status st = SOTTO_OK;

	if (n < 0)
		return SOTTO_EIO;
	for (int i = 0; i < n; i++) {
		if (st == SOTTO_OK)
			st = walk_entry(w, folder, entries[i]->d_name, depth);
		free(entries[i]);
	}
	free(entries);
	return st;
}

enum sotto_status sotto_files_find(struct sotto_files *f, struct sotto_arena *a,
				   const struct sotto_policy_table *t)
{
	enum sotto_status st = SOTTO_OK;
	struct walk w = {f, a, t->sealed, folder_length(t), 0};
	glob_t found;

	*f = (struct sotto_files){0};
	if (t->source[0] && t->source[strlen(t->source) - 1] == '/') {
		return access(t->source, F_OK) == 0 ? walk_folder(&w, t->source, 0) : SOTTO_OK;
	}
	if (!strpbrk(t->source, "*?["))
		return access(t->source, F_OK) == 0 ? add(f, a, t->source, w.folder, &w.names)
						    : SOTTO_OK;
	if (glob(t->source, 0, NULL, &found) == 0)
		for (size_t i = 0; st == SOTTO_OK && i < found.gl_pathc; i++)
			if (!is_copy(&w, found.gl_pathv[i]))
				st = add(f, a, found.gl_pathv[i], w.folder, &w.names);
	globfree(&found);
	return st;
}

bool sotto_files_are_regular(const struct sotto_files *f)
{
	struct stat found;

	for (size_t i = 0; i < f->count; i++)
		if (stat(f->paths[i], &found) != 0 || !S_ISREG(found.st_mode))
			return false;
	return true;
}

/* ---- as a table ---------------------------------------------------------------------------- */

/* bucket=12/part-0.parquet, with or without folders before it */
static bool is_in_bucket(const char *path)
{
	static const char bucket[] = "bucket=", part[] = "/part-";
	const char *file = strrchr(path, '/'), *folder = file;

	while (folder && folder > path && folder[-1] != '/')
		folder--;
	return folder && strncmp(file, part, sizeof part - 1) == 0 &&
	       strncmp(folder, bucket, sizeof bucket - 1) == 0;
}

/* Is there a folder like city=Rome among the first bytes?  A text that ends sooner is a folder. */
static bool has_column(const char *path, size_t length)
{
	bool equal = false;

	for (; length > 0 && *path; path++, length--) {
		if (*path == '/' && equal)
			return true;
		equal = equal || *path == '=';
	}
	return equal && length > 0;
}

/* A folder like city=Rome. */
struct column_folder {
	const char *key, *value;
	size_t key_length, value_length;
};

/*
 * The next one from *at on, as the engine takes paths apart: one with two = in it is none, and a
 * backslash ends a folder too.  Leaves *at behind it.
 */
static bool next_folder(const char **at, struct column_folder *out)
{
	const char *start = *at, *equal = NULL;
	bool plain = true;

	for (const char *s = start; *s; s++) {
		if (*s == '/' || *s == '\\') {
			if (plain && equal && equal > start) {
				*out = (struct column_folder){start, equal + 1,
							      (size_t)(equal - start),
							      (size_t)(s - equal - 1)};
				*at = s + 1;
				return true;
			}
			start = s + 1;
			equal = NULL;
			plain = true;
		} else if (*s == '=') {
			plain = plain && !(equal && equal > start);
			equal = s;
		} else if (*s == '?' || *s == '\n') {
			plain = false;
		}
	}
	return false;
}

bool sotto_folder_is_column(const char *path, const char *column)
{
	struct column_folder f;

	if (is_in_bucket(path))
		return false;
	for (const char *at = path; next_folder(&at, &f);)
		if (strlen(column) == f.key_length &&
		    strncasecmp(f.key, column, f.key_length) == 0)
			return true;
	return false;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Is it a text once %20 and the like are what they stand for? */
static bool is_text(const struct column_folder *f)
{
	uint8_t bytes[PATH_MAX];
	size_t n = 0;

	for (size_t i = 0; i < f->value_length && n < sizeof bytes; i++) {
		bool is_coded = f->value[i] == '%' && i + 2 < f->value_length &&
				hex_digit(f->value[i + 1]) >= 0 &&
				hex_digit(f->value[i + 2]) >= 0;

		bytes[n++] = is_coded ? (uint8_t)(hex_digit(f->value[i + 1]) * 16 +
						  hex_digit(f->value[i + 2]))
				      : (uint8_t)f->value[i];
		i += is_coded ? 2 : 0;
	}
	return sotto_utf8_is_valid(bytes, n);
}

bool sotto_folders_are_alike(const char *first, const char *other)
{
	struct column_folder x, y;

	if (!sotto_utf8_is_valid((const uint8_t *)other, strlen(other)))
		return false;
	if (is_in_bucket(first) || !has_column(first, strlen(first)))
		return true;
	for (;;) {
		bool has_first = next_folder(&first, &x), has_other = next_folder(&other, &y);

		if (!has_first || !has_other)
			return has_first == has_other;
		if (x.key_length != y.key_length || strncmp(x.key, y.key, x.key_length) != 0 ||
		    !is_text(&y))
			return false;
	}
}

bool sotto_folders_are_clear(const char *path, const char *name)
{
	size_t above = strlen(path) - strlen(name);
	char here[PATH_MAX];

	if (!has_column(name, strlen(name)) || is_in_bucket(path))
		return true;
	if (has_column(path, above))
		return false;
	return path[0] == '/' || (getcwd(here, sizeof here) && !has_column(here, SIZE_MAX));
}

static enum sotto_status write_relation(struct sotto_buffer *b, struct sotto_arena *a,
					const char *const *paths, const char *const *names,
					size_t count, const char *file)
{
	bool has_columns = count > 0 && names && !is_in_bucket(paths[0]) &&
			   has_column(names[0], strlen(names[0]));

	SOTTO_TRY(sotto_buffer_append_text(b, "read_parquet(["));
	for (size_t i = 0; i < count; i++) {
		const char *path = sotto_sql_quote_text(a, paths[i]);

		SOTTO_TRY(path ? sotto_buffer_appendf(b, "%s%s", i ? ", " : "", path)
			       : SOTTO_ENOMEM);
	}
	/* A folder's name may be what one record says: it decides neither on types nor on columns. */
	SOTTO_TRY(sotto_buffer_appendf(b, "], hive_partitioning = %s%s",
				       has_columns ? "true" : "false",
				       has_columns ? ", hive_types_autocast = false" : ""));
	if (file)
		SOTTO_TRY(sotto_buffer_appendf(b, ", filename = '%s'", file));
	return sotto_buffer_append_text(b, ")");
}

const char *sotto_parquet_relation(struct sotto_arena *a, const char *const *paths,
				   const char *const *names, size_t count, const char *file)
{
	const char *out = NULL;
	struct sotto_buffer b;

	sotto_buffer_init(&b, (size_t)64 << 20);
	if (write_relation(&b, a, paths, names, count, file) == SOTTO_OK)
		out = sotto_arena_text(a, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return out;
}
