/*
 * parquet_copy.h - writes the rows of a query to a Parquet file that only the owner can read
 *
 * The file is written beside its path, under PATH.new, and gets its name when it is whole and on
 * the disk.
 */
#ifndef SOTTO_PARQUET_COPY_H
#define SOTTO_PARQUET_COPY_H

#include "central/seal/seal_database.h"
#include "core/base/arena.h"

/*
 * Writes the rows of the query to PATH.new, whose name goes to *temporary.
 *
 * Fails:    SOTTO_ENOMEM, SOTTO_EIO; the file is then removed.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_parquet_copy_write(struct sotto_database *d, struct sotto_arena *a, const char *query,
			 const char *path, const char **temporary);

/* Gives the file its name.  Fails: SOTTO_EIO; the file is then removed. */
SOTTO_MUST_CHECK enum sotto_status
sotto_parquet_copy_keep(const char *temporary, const char *path);

#endif
