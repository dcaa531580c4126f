/*
 * database_collation.h - which texts of a database file are equal though they differ
 */
#ifndef SOTTO_DATABASE_COLLATION_H
#define SOTTO_DATABASE_COLLATION_H

#include "central/seal/sealer.h"

/*
 * Writes the collation of each column that is not compared byte by byte into the entry.
 *
 * Fails:    SOTTO_EIO with a sentence; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_database_collations(struct sotto_sealer *s,
							     struct sotto_database *d,
							     const char *relation);

#endif
