/*
 * whole_number.h - a whole number of 128 bits as one of 64
 *
 *	sotto_whole(x)     of a HUGEINT; NULL if it does not fit
 *
 * The engine's own TRY_CAST writes a sentence about each number that does not fit, in which the number
 * stands in decimal: half a microsecond, in every row that a join makes of the one that has it.  Here
 * a number that does not fit takes the time of any other.
 */
#ifndef SOTTO_WHOLE_NUMBER_H
#define SOTTO_WHOLE_NUMBER_H

#include "central/engine/sum/sum_function.h"

/* Gives it to the engine.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_whole_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
