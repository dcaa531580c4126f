/*
 * Reads every entry or none: a wrong version or checksum means that nothing was sealed.
 * Writing synchronizes a new file and renames it over the old one.
 */
#include "central/seal/manifest/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/engine/whole_io.h"
#include "central/seal/manifest/json_digest.h"
#include "core/base/failure.h"

enum { VERSION = 1, PATH_SIZE = 4096, ARENA = 256 << 20 };

static const char *const kinds[] = {[SOTTO_FILE_TEXT] = "text",
				    [SOTTO_FILE_PARQUET] = "parquet",
				    [SOTTO_FILE_DATABASE] = "database"};

/* ---- from JSON ------------------------------------------------------------------------------- */

/* A copy of a text; NULL where there is none. */
static bool take_text(struct sotto_arena *a, json_t *object, const char *key, const char **out)
{
	const char *text = json_string_value(json_object_get(object, key));

	*out = text ? sotto_arena_text(a, text) : NULL;
	return !text || *out;
}

static bool take_identity(json_t *object, struct sotto_identity *id)
{
	const char *digest = json_string_value(json_object_get(object, "sha256"));
	const char *whole = json_string_value(json_object_get(object, "whole"));

	id->size = (uint64_t)json_integer_value(json_object_get(object, "size"));
	id->changed = json_integer_value(json_object_get(object, "changed"));
	id->moved = json_integer_value(json_object_get(object, "moved"));
	if (!digest || strlen(digest) + 1 != sizeof id->digest)
		return false;
	memcpy(id->digest, digest, sizeof id->digest);
	if (whole && strlen(whole) + 1 != sizeof id->whole)
		return false;
	if (whole)
		memcpy(id->whole, whole, sizeof id->whole);
	return true;
}

static bool take_files(struct sotto_arena *a, json_t *list, struct sotto_sealed *e)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		struct sotto_sealed_file *f = SOTTO_PUSH(a, e->files, e->file_count);

		if (!f || !take_text(a, item, "name", &f->name) || !f->name ||
		    !take_identity(item, &f->id))
			return false;
	}
	return e->file_count > 0;
}

static bool take_columns(struct sotto_arena *a, json_t *list, struct sotto_sealed *e)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		struct sotto_sealed_column *c = SOTTO_PUSH(a, e->columns, e->column_count);

		if (!c || !take_text(a, item, "name", &c->name) || !c->name ||
		    !take_text(a, item, "type", &c->type) ||
		    !take_text(a, item, "of", &c->of) ||
		    !take_text(a, item, "read_as", &c->read_as) ||
		    !take_text(a, item, "tried_as", &c->tried_as) ||
		    !take_text(a, item, "leads_to", &c->leads_to) ||
		    !take_text(a, item, "collation", &c->collation))
			return false;
		c->values = (uint64_t)json_integer_value(json_object_get(item, "values"));
		c->unread = (uint64_t)json_integer_value(json_object_get(item, "unread"));
		c->is_unique = json_is_true(json_object_get(item, "unique"));
		c->is_filled = json_is_true(json_object_get(item, "filled"));
	}
	return true;
}

/* Manifests before there were maps have none. */
static bool take_owners(struct sotto_arena *a, json_t *list, struct sotto_sealed *e)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		struct sotto_sealed_owners *o = SOTTO_PUSH(a, e->owners, e->owners_count);

		if (!o || !take_text(a, item, "key", &o->key) || !o->key ||
		    !take_text(a, item, "unit", &o->unit) || !o->unit ||
		    !take_text(a, item, "name", &o->name) || !o->name || strchr(o->name, '/') ||
		    !take_identity(item, &o->id))
			return false;
		o->is_number = json_is_true(json_object_get(item, "number"));
	}
	return true;
}

static bool take_entry(struct sotto_arena *a, json_t *object, struct sotto_sealed *e)
{
	const char *kind = json_string_value(json_object_get(object, "kind"));
	json_t *copy = json_object_get(object, "copy");
	size_t k = 0;

	while (kind && k < sizeof kinds / sizeof kinds[0] && strcmp(kind, kinds[k]) != 0)
		k++;
	if (!kind || k == sizeof kinds / sizeof kinds[0])
		return false;
	e->kind = (enum sotto_file_kind)k;
	e->records = (uint64_t)json_integer_value(json_object_get(object, "records"));
	e->dropped = (uint64_t)json_integer_value(json_object_get(object, "dropped"));
	e->buckets = (uint32_t)json_integer_value(json_object_get(object, "buckets"));
	e->has_collations = json_is_true(json_object_get(object, "collations"));
	if (json_is_object(copy) && (!take_text(a, copy, "name", &e->copy) || !e->copy ||
				     strchr(e->copy, '/') || !take_identity(copy, &e->copy_id)))
		return false;
	return take_text(a, object, "source", &e->source) && e->source &&
	       take_text(a, object, "table", &e->table) &&
	       take_text(a, object, "laid_out_by", &e->laid_out_by) &&
	       take_text(a, object, "layout", &e->layout) && e->layout &&
	       take_files(a, json_object_get(object, "files"), e) &&
	       take_columns(a, json_object_get(object, "columns"), e) &&
	       take_owners(a, json_object_get(object, "owners"), e);
}

static bool take_all(struct sotto_manifest *m, json_t *root)
{
	const char *sum = json_string_value(json_object_get(root, "checksum"));
	json_t *tables = json_object_get(root, "tables"), *item;
	size_t i;

	if (json_integer_value(json_object_get(root, "version")) != VERSION ||
	    !json_is_array(tables) || !sotto_json_has_digest(tables, sum))
		return false;
	json_array_foreach(tables, i, item)
	{
		struct sotto_sealed *e = SOTTO_PUSH(&m->arena, m->entries, m->count);

		if (!e || !take_entry(&m->arena, item, e))
			return false;
	}
	return true;
}

static bool path_of(const char *folder, const char *name, char *path)
{
	return snprintf(path, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE;
}

enum sotto_status sotto_manifest_load(struct sotto_manifest *m, const char *folder)
{
	char path[PATH_SIZE];
	json_t *root;
	bool ok;
	FILE *f;

	*m = (struct sotto_manifest){.folder = folder};
	sotto_arena_init(&m->arena, ARENA);
	if (!path_of(folder, SOTTO_MANIFEST_NAME, path))
		return SOTTO_EIO;
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ENOTDIR ? SOTTO_OK : SOTTO_EIO;
	root = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
	(void)fclose(f);
	ok = root && take_all(m, root);
	json_decref(root);
	if (!ok)
		m->count = 0;
	return ok ? SOTTO_OK : SOTTO_ECORRUPT;
}

void sotto_manifest_release(struct sotto_manifest *m)
{
	sotto_arena_release(&m->arena);
	m->entries = NULL;
	m->count = 0;
}

/* ---- to JSON ----------------------------------------------------------------------------------- */

static json_t *identity_json(const char *name, const struct sotto_identity *id)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:s, s:s*}", "name", name, "size",
			 (json_int_t)id->size, "changed", (json_int_t)id->changed, "moved",
			 (json_int_t)id->moved, "sha256", id->digest, "whole",
			 id->whole[0] ? id->whole : NULL);
}

static json_t *owners_json(const struct sotto_sealed *e)
{
	json_t *owners = json_array();

	for (size_t i = 0; i < e->owners_count; i++) {
		const struct sotto_sealed_owners *o = &e->owners[i];
		json_t *item = identity_json(o->name, &o->id);

		if (!item || json_object_set_new(item, "key", json_string(o->key)) != 0 ||
		    json_object_set_new(item, "unit", json_string(o->unit)) != 0 ||
		    json_object_set_new(item, "number", json_boolean(o->is_number)) != 0 ||
		    json_array_append(owners, item) != 0) {
			json_decref(item);
			json_decref(owners);
			return NULL;
		}
		json_decref(item);
	}
	return owners;
}

static json_t *column_json(const struct sotto_sealed_column *c)
{
	json_t *column =
		json_pack("{s:s, s:s?, s:s*, s:b, s:b, s:s?, s:s*, s:s*, s:s*}", "name",
			  c->name, "type", c->type, "of", c->of, "unique", c->is_unique,
			  "filled", c->is_filled, "read_as", c->read_as, "leads_to",
			  c->leads_to, "tried_as", c->tried_as, "collation", c->collation);

	if (column && c->tried_as &&
	    (json_object_set_new(column, "values", json_integer((json_int_t)c->values)) != 0 ||
	     json_object_set_new(column, "unread", json_integer((json_int_t)c->unread)) != 0)) {
		json_decref(column);
		return NULL;
	}
	return column;
}

static json_t *entry_json(const struct sotto_sealed *e)
{
	json_t *files = json_array(), *columns = json_array();

	for (size_t i = 0; i < e->file_count; i++)
		if (json_array_append_new(
			    files, identity_json(e->files[i].name, &e->files[i].id)) != 0)
			return NULL;
	for (size_t i = 0; i < e->column_count; i++) {
		const struct sotto_sealed_column *c = &e->columns[i];

		if (json_array_append_new(columns, column_json(c)) != 0)
			return NULL;
	}
	return json_pack("{s:s, s:s?, s:s, s:s, s:o, s:o, s:I, s:I, s:o, s:s?, s:I, s:o, s:b}",
			 "source", e->source, "table", e->table, "layout", e->layout, "kind",
			 kinds[e->kind], "files", files, "columns", columns, "records",
			 (json_int_t)e->records, "dropped", (json_int_t)e->dropped, "copy",
			 e->copy ? identity_json(e->copy, &e->copy_id) : json_null(),
			 "laid_out_by", e->laid_out_by, "buckets", (json_int_t)e->buckets,
			 "owners", owners_json(e), "collations", e->has_collations);
}

static json_t *manifest_json(const struct sotto_manifest *m)
{
	json_t *tables = json_array();
	char digest[SOTTO_DIGEST_SIZE];

	for (size_t i = 0; i < m->count; i++)
		if (json_array_append_new(tables, entry_json(&m->entries[i])) != 0) {
			json_decref(tables);
			return NULL;
		}
	if (!tables || !sotto_json_digest(tables, digest)) {
		json_decref(tables);
		return NULL;
	}
	return json_pack("{s:i, s:s, s:o}", "version", VERSION, "checksum", digest, "tables",
			 tables);
}

/* A crash leaves the old file or the new one. */
static enum sotto_status replace(const char *folder, const char *text)
{
	char path[PATH_SIZE], temporary[PATH_SIZE];
	int file, directory;
	bool ok;

	if (!path_of(folder, SOTTO_MANIFEST_NAME, path) ||
	    !path_of(folder, SOTTO_MANIFEST_NAME ".new", temporary))
		return SOTTO_EIO;
	file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (file < 0)
		return SOTTO_EIO;
	ok = sotto_write_all(file, text, strlen(text)) && fsync(file) == 0;
	ok = close(file) == 0 && ok && rename(temporary, path) == 0;
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok = ok && directory >= 0 && fsync(directory) == 0;
	if (directory >= 0)
		(void)close(directory);
	return ok ? SOTTO_OK : SOTTO_EIO;
}

enum sotto_status sotto_manifest_save(const struct sotto_manifest *m)
{
	json_t *root = manifest_json(m);
	char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
	enum sotto_status st = text ? replace(m->folder, text) : SOTTO_ENOMEM;

	free(text);
	json_decref(root);
	return st;
}

/* ---- entries ------------------------------------------------------------------------------------ */

static bool
is_of(const struct sotto_sealed *e, const char *source, const char *table, const char *layout)
{
	return strcmp(e->source, source) == 0 && strcmp(e->layout, layout) == 0 &&
	       strcasecmp(e->table ? e->table : "", table ? table : "") == 0;
}

const struct sotto_sealed *sotto_manifest_find(const struct sotto_manifest *m,
					       const char *source, const char *table,
					       const char *layout)
{
	for (size_t i = 0; i < m->count; i++)
		if (is_of(&m->entries[i], source, table, layout))
			return &m->entries[i];
	return NULL;
}

enum sotto_status sotto_manifest_put(struct sotto_manifest *m, const struct sotto_sealed *entry)
{
	struct sotto_sealed *slot = NULL;

	for (size_t i = 0; i < m->count; i++)
		if (is_of(&m->entries[i], entry->source, entry->table, entry->layout))
			slot = &m->entries[i];
	if (!slot)
		slot = SOTTO_PUSH(&m->arena, m->entries, m->count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = *entry;
	return SOTTO_OK;
}
