/*
 * Runs a fuzz target over its committed corpus, fuzz/corpus/<name>/, and speaks
 * TAP.  The name comes from the program's own, replay_<name>, and the folder
 * from the working directory or from SOTTO_CORPUS.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 22 };

static uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *in = fopen(path, "rb");
	uint8_t *bytes = malloc(FILE_MAX);

	if (!in || !bytes) {
		perror(path);
		exit(1);
	}
	*size = fread(bytes, 1, FILE_MAX, in);
	fclose(in);
	bytes = realloc(bytes, *size ? *size : 1); /* so that a read past the end is seen */
	return bytes;
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	const char *base = strrchr(argv[0], '/'), *root = getenv("SOTTO_CORPUS");
	const char *name = strstr(base ? base : argv[0], "replay_") + strlen("replay_");
	struct dirent **entries;
	char path[4096];
	int n;

	(void)argc;
	(void)snprintf(path, sizeof path, "%s/%s", root ? root : "fuzz/corpus", name);
	n = scandir(path, &entries, is_file, alphasort);
	if (n <= 0) {
		printf("1..1\nnot ok 1 - %s has no corpus\n", name);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		char file[4096 + 300];
		size_t size;
		uint8_t *bytes;

		(void)snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
		bytes = read_whole(file, &size);
		(void)LLVMFuzzerTestOneInput(bytes, size);
		printf("ok %d - %s/%s\n", i + 1, name, entries[i]->d_name);
		fflush(stdout);
		free(bytes);
		free(entries[i]);
	}
	free(entries);
	return 0;
}
