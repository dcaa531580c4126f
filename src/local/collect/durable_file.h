/*
 * durable_file.h - whole files, read and replaced
 */
#ifndef SOTTO_DURABLE_FILE_H
#define SOTTO_DURABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* The caller frees *out.  Fails: SOTTO_EMISSING, SOTTO_EIO, SOTTO_ERANGE past cap, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_file_read(const char *path, size_t cap, uint8_t **out,
						   size_t *length, struct sotto_error *err);

/*
 * Replaces the file as one step: a temporary file beside it, fsync, rename,
 * fsync of the directory.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_file_replace(const char *path, const uint8_t *bytes, size_t n, struct sotto_error *err);

/* After a failure: whether there was no room (on the disk, in the quota). */
bool sotto_disk_is_full(void);

/* All n bytes at the file's end, or SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_file_write(int fd, const uint8_t *bytes, size_t n);

/* Makes names created or removed in this directory durable. */
SOTTO_MUST_CHECK enum sotto_status sotto_directory_sync(const char *path);

#endif
