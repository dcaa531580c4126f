/*
 * malformed_parquet.h - copies what cannot be read where it is: files with invalid texts or times, with
 * texts that are too long, or with wrong statistics, and what a database file computes
 */
#ifndef SOTTO_MALFORMED_PARQUET_H
#define SOTTO_MALFORMED_PARQUET_H

#include "central/seal/sealer.h"

/*
 * Copies the files without the rows that have such a value, and reports how many there were.
 * The fields of structures become columns; lists, maps and others that no query can use are left out.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_malformed_parquet_copy(struct sotto_sealer *s, struct sotto_database *d);

/* Copies a table of a database file in the same way.  Fails: SOTTO_EIO if it cannot be read at all. */
SOTTO_MUST_CHECK enum sotto_status sotto_malformed_database_copy(struct sotto_sealer *s,
								 struct sotto_database *d,
								 const char *relation);

/* Copies all rows of what sotto_typed_describe has described; what no question can read stays behind. */
SOTTO_MUST_CHECK enum sotto_status
sotto_typed_copy(struct sotto_sealer *s, struct sotto_database *d, const char *relation);

#endif
