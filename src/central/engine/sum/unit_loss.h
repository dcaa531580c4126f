/*
 * unit_loss.h - what limits lost, over all units
 */
#ifndef SOTTO_UNIT_LOSS_H
#define SOTTO_UNIT_LOSS_H

#include "central/engine/sum/sum_function.h"

/*
 * A hash of a unit, mixed one to one: where in a table the unit lies.  The engine's hash has the
 * ledger's key only by XOR at its end, so units that were chosen to agree in their last bits
 * agree in them under every key, and looking for one would mean going past all of them.
 */
static inline uint64_t sotto_unit_mixed(uint64_t hash)
{
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

/* Gives the engine sotto_units.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_units_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
