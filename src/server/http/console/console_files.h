/*
 * console_files.h - the files of the web console, which are part of the program
 */
#ifndef SOTTO_CONSOLE_FILES_H
#define SOTTO_CONSOLE_FILES_H

#include <stddef.h>

struct sotto_console_file {
	const char *path; /* "/", "/app.js" */
	const char *type; /* content type */
	const char *tag; /* entity tag of this version, quoted, for If-None-Match */
	const unsigned char *bytes;
	size_t length;
	const unsigned char *packed; /* the same bytes, compressed with gzip */
	size_t packed_length;
};

/* NULL if there is no such page. */
const struct sotto_console_file *sotto_console_file(const char *path);

/* Made from web/ when the library is built; the list ends with a NULL path. */
extern const struct sotto_console_file sotto_console_list[];

#endif
