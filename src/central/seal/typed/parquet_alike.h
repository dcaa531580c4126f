/*
 * parquet_alike.h - the Parquet files of a private table have the same columns and types
 */
#ifndef SOTTO_PARQUET_ALIKE_H
#define SOTTO_PARQUET_ALIKE_H

#include "central/seal/sealer.h"

/*
 * Fails:    SOTTO_EREFUSED with a sentence that names two files and a column that one of them has not, or
 *           has with another type; SOTTO_EIO; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_parquet_check_alike(struct sotto_sealer *s, struct sotto_database *d);

#endif
