/*
 * owner_file.h - a map from keys to units as a file, which sealing writes and queries read
 *
 * The map as it is in memory, with distances in the place of addresses: opening it takes the time
 * of reading it once.  The file belongs to the machine that wrote it, and is replaced, never
 * written again.  It has a sum of all its bytes, which is looked at whenever it is opened: of a
 * damaged map nothing is believed.
 */
#ifndef SOTTO_OWNER_FILE_H
#define SOTTO_OWNER_FILE_H

#include "central/engine/sum/owner_map.h"
#include "sotto/status.h"

/* Fails: SOTTO_EIO; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_owner_file_write(const struct sotto_owner_map *m, int file);

/* A map that is read from its file. */
struct sotto_owner_file {
	struct sotto_owner_map *map;
	const void *bytes;
	size_t size;
};

/* Fails: SOTTO_EIO; SOTTO_ECORRUPT if it is not what was written; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_owner_file_open(const char *path, struct sotto_owner_file *out);
void sotto_owner_file_close(struct sotto_owner_file *f);

#endif
