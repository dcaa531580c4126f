/*
 * gzip_file.h - reads a gzip file, all members of it
 *
 * zlib's own reader passes over whatever stands behind the first member and is not gzip.  Where the
 * head of a later member is damaged, its records and all that follow would be lost without a word.
 * Here only zeros may stand behind the last member, which is how some media fill their blocks.
 */
#ifndef SOTTO_GZIP_FILE_H
#define SOTTO_GZIP_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sotto/status.h"

struct sotto_gzip;

/* Reads from that file, which is borrowed.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_gzip_new(int file, struct sotto_gzip **out);
void sotto_gzip_free(struct sotto_gzip *g);

/* How many bytes were read, 0 only at the end; -1 if the file is cut, damaged or not gzip. */
ssize_t sotto_gzip_read(struct sotto_gzip *g, void *out, size_t most);

/* Bytes of the file itself that were read. */
uint64_t sotto_gzip_taken(const struct sotto_gzip *g);

#endif
