/*
 * owner_lookup.h - units that are found by a key, without a join
 *
 *	sotto_owners(key, unit)      the number of a map from keys to units; each key is there once
 *	sotto_stored(file)           the number of one that sealing has written (owner_file.h)
 *	sotto_owner_4(key, map)      the unit of a key, an INTEGER; NULL where nobody has it
 *	sotto_owner_8(key, map)      the same as a BIGINT
 *
 * Keys and units are whole numbers of the engine of at most 64 bits.  Only keys that sealing has
 * found different are given: were one there twice, the statement would fail.
 */
#ifndef SOTTO_OWNER_LOOKUP_H
#define SOTTO_OWNER_LOOKUP_H

#include "central/engine/sum/sum_function.h"

/* Gives the functions to the engine.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_owners_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
