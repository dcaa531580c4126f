/*
 * unit_loss.h - what limits lost, over all units
 */
#ifndef SOTTO_UNIT_LOSS_H
#define SOTTO_UNIT_LOSS_H

#include "central/engine/sum/sum_function.h"

/* Gives the engine sotto_units.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_units_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
