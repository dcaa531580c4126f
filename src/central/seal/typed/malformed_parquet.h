/*
 * malformed_parquet.h - copies of Parquet files that are not read where they are: with broken texts, with
 * numbers that are not valid times, with wrong statistics
 */
#ifndef SOTTO_MALFORMED_PARQUET_H
#define SOTTO_MALFORMED_PARQUET_H

#include "central/seal/sealer.h"

/*
 * Copies the files without the rows that have such a value, and reports how many there were.
 * Of structures the fields become columns; lists and maps stay behind, because no query can
 * use them.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_malformed_parquet_copy(struct sotto_sealer *s, struct sotto_database *d);

/* Copies all rows of the files: what they say about their parts is not so. */
SOTTO_MUST_CHECK enum sotto_status
sotto_parquet_copy(struct sotto_sealer *s, struct sotto_database *d, const char *relation);

#endif
