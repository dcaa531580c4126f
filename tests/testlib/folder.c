/*
 * Makes a folder below TMPDIR with mkdtemp and removes it with everything that lies in it,
 * except for hidden files.
 */
#include "testlib/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void folder_open(struct folder *f)
{
	const char *base = getenv("TMPDIR");

	snprintf(f->path, sizeof f->path, "%.200s/sotto-test-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(f->path))
		abort();
}

void folder_file(const struct folder *f, const char *name, char out[FOLDER_PATH_MAX])
{
	snprintf(out, FOLDER_PATH_MAX, "%s/%.200s", f->path, name);
}

/* What sealing keeps lies in a folder of its own. */
void folder_empty(const struct folder *f)
{
	DIR *d = opendir(f->path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[FOLDER_PATH_MAX];

		if (e->d_name[0] == '.')
			continue;
		folder_file(f, e->d_name, path);
		if (unlink(path) != 0) {
			struct folder inner;

			snprintf(inner.path, sizeof inner.path, "%.255s", path);
			folder_close(&inner);
		}
	}
	if (d)
		closedir(d);
}

void folder_close(const struct folder *f)
{
	folder_empty(f);
	rmdir(f->path);
}
