/*
 * folder.h - a temporary folder for a test, removed at its end
 */
#ifndef SOTTO_TESTS_FOLDER_H
#define SOTTO_TESTS_FOLDER_H

enum { FOLDER_PATH_MAX = 512 };

struct folder {
	char path[FOLDER_PATH_MAX / 2];
};

void folder_open(struct folder *f);

/* The path of a file in it, in a buffer of the caller. */
void folder_file(const struct folder *f, const char *name, char out[FOLDER_PATH_MAX]);

/* Removes what is in it, folders too, and it. */
void folder_empty(const struct folder *f);
void folder_close(const struct folder *f);

#endif
