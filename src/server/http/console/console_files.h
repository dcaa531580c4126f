/*
 * console_files.h - the files of the web console, inside the program
 */
#ifndef SOTTO_CONSOLE_FILES_H
#define SOTTO_CONSOLE_FILES_H

#include <stddef.h>

struct sotto_console_file {
	const char *path; /* "/", "/app.js" */
	const char *type; /* of its content */
	const char *tag; /* of this version, quoted, for If-None-Match */
	const unsigned char *bytes;
	size_t length;
	const unsigned char *packed; /* the same, by gzip */
	size_t packed_length;
};

/* NULL if there is no such page. */
const struct sotto_console_file *sotto_console_file(const char *path);

/* The list, made from web/ when the library is built; it ends with a NULL path. */
extern const struct sotto_console_file sotto_console_list[];

#endif
