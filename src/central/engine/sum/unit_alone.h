/*
 * unit_alone.h - what all units have, where there is one group
 *
 *	sotto_alone_V(task, number, y0, y1, ...)
 *
 * is what sotto_pairs_V gives for each unit (bounded_sum.h), added up over all units, in one
 * aggregate: {n, units, of_rows, clipped, rows, rows_kept, v0, ..., w0, ...}.  n are rows and v0,
 * ... values, of units that are held to their rows; w0, ... count units with such a value above 0;
 * the others are what limits lost (unit_loss.h).  Units are told apart by numbers that were given
 * out one after the other; a row without one counts nowhere.  It spares the engine a table of all
 * units, and a second pass over it.
 */
#ifndef SOTTO_UNIT_ALONE_H
#define SOTTO_UNIT_ALONE_H

#include "central/engine/sum/sum_function.h"

/* Gives the one with f->values to the engine.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_alone_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
