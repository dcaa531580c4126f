/*
 * picture_file.h - the file of --svg: checked before the work, written after it
 *
 * So nobody waits or pays for an answer and finds out only then that its picture cannot be
 * written.
 */
#ifndef SOTTO_PICTURE_FILE_H
#define SOTTO_PICTURE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "frame/option.h"

struct picture_file {
	const char *path; /* borrowed; NULL: no picture is wanted */
	bool is_new; /* it was not there */
};

/* Makes the file if it is not there, and leaves one that is as it is. */
enum outcome picture_try(struct picture_file *f, const char *path, struct sotto_error *err);

/* Opens it to be written anew, or complains. */
FILE *picture_open(const struct picture_file *f, struct sotto_error *err);

/* Closes it.  drawn false: nothing could be drawn, and a new file is removed. */
enum outcome
picture_close(const struct picture_file *f, FILE *out, bool drawn, struct sotto_error *err);

/* Nothing will be drawn: removes a file that picture_try has made. */
void picture_forget(const struct picture_file *f);

#endif
