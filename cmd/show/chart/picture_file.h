/*
 * picture_file.h - the file of --svg: checked before the work, written after it
 *
 * So nobody waits or pays for an answer only to find that its picture cannot be written.
 */
#ifndef SOTTO_PICTURE_FILE_H
#define SOTTO_PICTURE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "frame/option.h"

struct picture_file {
	const char *path; /* borrowed; NULL: no picture is wanted */
	bool is_new; /* picture_try made it */
};

/* Makes the file if there is none; leaves an existing one as it is. */
enum outcome picture_try(struct picture_file *f, const char *path, struct sotto_error *err);

/* Opens it for writing from the start, or complains. */
FILE *picture_open(const struct picture_file *f, struct sotto_error *err);

/* Closes it.  If not drawn, removes a file that picture_try made. */
enum outcome
picture_close(const struct picture_file *f, FILE *out, bool drawn, struct sotto_error *err);

/* Called if nothing will be drawn: removes a file that picture_try made. */
void picture_forget(const struct picture_file *f);

#endif
