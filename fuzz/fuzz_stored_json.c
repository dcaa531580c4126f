/*
 * JSON that is kept beside the data and in the ledger, with right checksums: no crash; what is
 * read can be written and is then read as the same.  The first byte says which: l the layout of
 * a folder, m the manifest of what was sealed, else answers of one or two parts.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/seal/layout/layout_manifest.h"
#include "central/seal/manifest/json_digest.h"
#include "central/seal/manifest/manifest.h"
#include "central/session/release/release.h"

static const char manifest_name[] = "manifest.json";

static void remove_file(const char *folder, const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	(void)unlink(path);
}

/* The text with the checksum of what stands under the name, or as it is. */
static void
put(const char *folder, const char *name, const char *summed, const uint8_t *data, size_t size)
{
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	char path[128], digest[SOTTO_DIGEST_SIZE];
	FILE *f;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "we");
	if (!f)
		abort();
	if (json_is_object(root) && sotto_json_digest(json_object_get(root, summed), digest) &&
	    json_object_set_new(root, "checksum", json_string(digest)) == 0)
		(void)json_dumpf(root, f, 0);
	else
		(void)fwrite(data, 1, size, f);
	(void)fclose(f);
	json_decref(root);
}

static void read_layout(const char *folder, const uint8_t *data, size_t size)
{
	struct sotto_layout l, again;
	struct sotto_arena a;

	sotto_arena_init(&a, 1 << 24);
	put(folder, SOTTO_LAYOUT_NAME, "layout", data, size);
	if (sotto_layout_load(&l, &a, folder) == SOTTO_OK) {
		for (size_t i = 0; i < l.count; i++)
			if (l.files[i].name[0] == '/' || strstr(l.files[i].name, ".."))
				abort();
		remove_file(folder, SOTTO_LAYOUT_NAME);
		if (sotto_layout_save(&l, folder) != SOTTO_OK ||
		    sotto_layout_load(&again, &a, folder) != SOTTO_OK ||
		    l.buckets != again.buckets || l.rows != again.rows ||
		    l.count != again.count || strcmp(l.unit, again.unit) != 0)
			abort();
	}
	remove_file(folder, SOTTO_LAYOUT_NAME);
	sotto_arena_release(&a);
}

static void read_manifest(const char *folder, const uint8_t *data, size_t size)
{
	struct sotto_manifest m, again;

	put(folder, manifest_name, "tables", data, size);
	if (sotto_manifest_load(&m, folder) == SOTTO_OK) {
		if (sotto_manifest_save(&m) != SOTTO_OK ||
		    sotto_manifest_load(&again, folder) != SOTTO_OK || again.count != m.count)
			abort();
		for (size_t i = 0; i < m.count; i++)
			if (again.entries[i].file_count != m.entries[i].file_count ||
			    again.entries[i].column_count != m.entries[i].column_count ||
			    again.entries[i].buckets != m.entries[i].buckets ||
			    strcmp(again.entries[i].source, m.entries[i].source) != 0)
				abort();
		sotto_manifest_release(&again);
	}
	sotto_manifest_release(&m);
	remove_file(folder, manifest_name);
}

/* What is read is written as one text, however it is read again. */
static void read_answers(const uint8_t *data, size_t size, size_t count)
{
	struct sotto_plan plan = {.key_count = 1, .measure_count = 2, .outcome_count = 1};
	const struct sotto_plan *plans[2] = {&plan, &plan};
	char *text = calloc(size + 1, 1), *first = NULL, *second = NULL;
	struct sotto_release r[2], again[2];

	if (!text)
		abort();
	memcpy(text, data, size);
	for (size_t i = 0; i < 2; i++) {
		sotto_release_init(&r[i]);
		sotto_release_init(&again[i]);
	}
	if (sotto_releases_read(r, plans, count, text) == SOTTO_OK)
		if (sotto_releases_write(r, count, &first) != SOTTO_OK ||
		    sotto_releases_read(again, plans, count, first) != SOTTO_OK ||
		    sotto_releases_write(again, count, &second) != SOTTO_OK ||
		    strcmp(first, second) != 0)
			abort();
	for (size_t i = 0; i < 2; i++) {
		sotto_release_release(&r[i]);
		sotto_release_release(&again[i]);
	}
	free(text);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/sotto-fuzz-XXXXXX";

	if (size == 0)
		return 0;
	if (data[0] != 'l' && data[0] != 'm') {
		read_answers(data + 1, size - 1, data[0] == '2' ? 2 : 1);
		return 0;
	}
	if (!mkdtemp(folder))
		abort();
	if (data[0] == 'l')
		read_layout(folder, data + 1, size - 1);
	else
		read_manifest(folder, data + 1, size - 1);
	(void)rmdir(folder);
	return 0;
}
