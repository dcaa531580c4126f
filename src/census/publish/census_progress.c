/*
 * Writes the note beside the old one, synchronizes it and renames it over that; a note that
 * does not fit the files is ignored.
 */
#include "census/publish/census_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *path_of(const char *folder, const char *end)
{
	char *path = NULL;

	return asprintf(&path, "%s/.release.progress%s", folder, end) < 0 ? NULL : path;
}

bool sotto_census_progress_read(struct sotto_census_progress *p, const char *folder)
{
	char *path = path_of(folder, "");
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t files = 0;
	bool ok = f && fscanf(f, "batches %zu files %zu", &p->batches, &files) == 2 &&
		  files == p->file_count;

	for (size_t i = 0; ok && i < files; i++)
		ok = fscanf(f, "%" SCNu64, &p->lengths[i]) == 1;
	if (f)
		(void)fclose(f);
	free(path);
	return ok;
}

bool sotto_census_progress_write(const struct sotto_census_progress *p, const char *folder)
{
	char *path = path_of(folder, ""), *part = path_of(folder, ".part");
	FILE *f = path && part ? fopen(part, "we") : NULL;
	bool ok = f != NULL;

	if (f) {
		fprintf(f, "batches %zu files %zu\n", p->batches, p->file_count);
		for (size_t i = 0; i < p->file_count; i++)
			fprintf(f, "%" PRIu64 "\n", p->lengths[i]);
		ok = fflush(f) == 0 && fsync(fileno(f)) == 0;
		ok &= fclose(f) == 0;
	}
	ok = ok && rename(part, path) == 0;
	free(path);
	free(part);
	return ok;
}

void sotto_census_progress_remove(const char *folder)
{
	static const char *const ends[] = {"", ".part"};

	for (size_t i = 0; i < 2; i++) {
		char *path = path_of(folder, ends[i]);

		if (path)
			(void)unlink(path);
		free(path);
	}
}
