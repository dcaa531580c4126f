/*
 * JSON with a checksum over its sorted text; the engine's known hash values are part of it, so
 * that a layout by another hash is refused.
 */
#include "central/seal/layout/layout_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/spread/bucket.h"
#include "central/seal/manifest/json_digest.h"
#include "core/base/failure.h"

enum { VERSION = 1 };

static bool path_of(const char *folder, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s/%s", folder, SOTTO_LAYOUT_NAME) < PATH_MAX;
}

/* Known values of the hash that rows were divided by; as texts, since JSON's numbers are signed. */
static json_t *vectors_json(void)
{
	const struct sotto_bucket_vector *v;
	json_t *list = json_array();
	char hash[24];

	for (size_t i = 0; (v = sotto_bucket_vector(i)); i++) {
		(void)snprintf(hash, sizeof hash, "%" PRIu64, v->hash);
		if (json_array_append_new(list, json_pack("{s:s, s:s}", "unit", v->unit, "hash",
							  hash)) != 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* ---- from JSON ------------------------------------------------------------------------------ */

/* Inside the folder, and no further. */
static bool is_inside(const char *name)
{
	return name && *name && name[0] != '/' && !strstr(name, "..");
}

static bool take_file(struct sotto_arena *a, json_t *item, struct sotto_layout *l)
{
	const char *name = json_string_value(json_object_get(item, "name"));
	const char *digest = json_string_value(json_object_get(item, "footer"));
	json_int_t size = json_integer_value(json_object_get(item, "size"));
	struct sotto_layout_file *f;

	if (!is_inside(name) || !digest || strlen(digest) + 1 != SOTTO_DIGEST_SIZE || size < 0)
		return false;
	f = SOTTO_PUSH(a, l->files, l->count);
	if (!f)
		return false;
	*f = (struct sotto_layout_file){sotto_arena_text(a, name), (uint64_t)size,
					sotto_arena_text(a, digest)};
	return f->name && f->digest;
}

static bool has_our_hash(json_t *layout)
{
	json_t *ours = vectors_json();
	bool same = ours && json_equal(ours, json_object_get(layout, "hash"));

	json_decref(ours);
	return same;
}

static bool take_layout(struct sotto_arena *a, json_t *root, struct sotto_layout *l)
{
	const char *sum = json_string_value(json_object_get(root, "checksum"));
	json_t *layout = json_object_get(root, "layout"), *item;
	const char *unit = json_string_value(json_object_get(layout, "unit"));
	json_int_t buckets = json_integer_value(json_object_get(layout, "buckets"));
	json_int_t rows = json_integer_value(json_object_get(layout, "rows"));
	size_t i;

	if (json_integer_value(json_object_get(root, "version")) != VERSION ||
	    !sotto_json_has_digest(layout, sum) || !unit || buckets < 1 ||
	    buckets > SOTTO_BUCKETS_MAX || rows < 0 || !has_our_hash(layout))
		return false;
	l->unit = sotto_arena_text(a, unit);
	l->buckets = (uint32_t)buckets;
	l->rows = (uint64_t)rows;
	json_array_foreach(json_object_get(layout, "files"), i, item)
	{
		if (!take_file(a, item, l))
			return false;
	}
	return l->unit != NULL;
}

enum sotto_status
sotto_layout_load(struct sotto_layout *l, struct sotto_arena *a, const char *folder)
{
	struct sotto_layout found = {0};
	char path[PATH_MAX];
	json_t *root;
	bool ok;
	FILE *f;

	if (!path_of(folder, path))
		return SOTTO_EIO;
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ENOTDIR ? SOTTO_EMISSING : SOTTO_EIO;
	root = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
	(void)fclose(f);
	ok = root && take_layout(a, root, &found);
	json_decref(root);
	if (ok)
		*l = found;
	return ok ? SOTTO_OK : SOTTO_ECORRUPT;
}

/* ---- to JSON -------------------------------------------------------------------------------- */

static json_t *layout_json(const struct sotto_layout *l)
{
	json_t *files = json_array();

	for (size_t i = 0; i < l->count; i++)
		if (json_array_append_new(files,
					  json_pack("{s:s, s:I, s:s}", "name", l->files[i].name,
						    "size", (json_int_t)l->files[i].size,
						    "footer", l->files[i].digest)) != 0) {
			json_decref(files);
			return NULL;
		}
	return json_pack("{s:s, s:I, s:I, s:o, s:o}", "unit", l->unit, "buckets",
			 (json_int_t)l->buckets, "rows", (json_int_t)l->rows, "files", files,
			 "hash", vectors_json());
}

static bool write_durably(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
	bool ok;

	if (!f) {
		if (file >= 0)
			(void)close(file);
		return false;
	}
	ok = fputs(text, f) >= 0 && fputc('\n', f) != EOF && fflush(f) == 0 && fsync(file) == 0;
	return fclose(f) == 0 && ok;
}

enum sotto_status sotto_layout_save(const struct sotto_layout *l, const char *folder)
{
	json_t *layout = layout_json(l), *root = NULL;
	char path[PATH_MAX], digest[SOTTO_DIGEST_SIZE], *text = NULL;
	enum sotto_status st;

	if (layout && sotto_json_digest(layout, digest))
		root = json_pack("{s:i, s:s, s:O}", "version", VERSION, "checksum", digest,
				 "layout", layout);
	text = root ? json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
	if (!text)
		st = SOTTO_ENOMEM;
	else
		st = path_of(folder, path) && write_durably(path, text) ? SOTTO_OK : SOTTO_EIO;
	free(text);
	json_decref(root);
	json_decref(layout);
	return st;
}
