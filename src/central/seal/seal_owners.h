/*
 * seal_owners.h - maps from keys to units, written when a table is sealed
 *
 * Where rows of another table find their unit by a key of this one, and sealing has found each
 * key once, queries read the map from its file instead of making it of all keys.  It says what
 * the table says, and belongs to that table's entry in the manifest: it is read only while the
 * table is the one that was sealed, and the map the file that was written.
 *
 * A second map has a number in the place of each unit, from 0 on, in no order: where units only
 * have to be told apart, their states then are an array (engine/sum/unit_alone.h).
 */
#ifndef SOTTO_SEAL_OWNERS_H
#define SOTTO_SEAL_OWNERS_H

#include "central/seal/sealer.h"

#define SOTTO_OWNERS_END ".owners"

/*
 * Writes the maps of the current table that the policy's tables can use, durably and readable
 * only by the owner, unless the entry has them already.
 *
 * Fails:    SOTTO_EIO with a sentence; SOTTO_EMISSING without the engine; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_owners(struct sotto_sealer *s);

#endif
