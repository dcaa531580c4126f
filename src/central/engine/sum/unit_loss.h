/*
 * unit_loss.h - what limits lost, over all units (src/central/price/loss_vector.md)
 *
 *	sotto_units(unit, place, read, clipped, G, M)
 *	sotto_all_units(unit, place, read, clipped, G, M)
 *
 * are given a row for each unit and group: the unit, which is a whole number, or a hash of it; the
 * group's place among its unit's from 1 on, or 0 where no unit is in more than G; how many rows
 * are read and whether one is clipped.  They tell units apart in tables of their own: 16 bytes for
 * each unit at most, unless places say how many units there are, and 24 for those that lost
 * something.  At most half of a table is used.  That spares the engine a second table of all pairs.
 *
 * The second counts over all groups of a GROUP BY, and says the same in each of them: with it a
 * query that adds up the groups goes over the pairs once.  It may stand in a statement once.
 */
#ifndef SOTTO_UNIT_LOSS_H
#define SOTTO_UNIT_LOSS_H

#include "central/engine/sum/sum_function.h"

/* Gives them to the engine.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_units_register(struct sotto_sum_function *f, duckdb_connection connection);

/* The tables of sotto_all_units in one statement.  NULL without memory. */
struct sotto_unit_pool;

struct sotto_unit_pool *sotto_unit_pool_new(void);
void sotto_unit_pool_free(struct sotto_unit_pool *pool);

/* For the next statement, while none runs. */
void sotto_unit_pool_clear(struct sotto_unit_pool *pool);

#endif
