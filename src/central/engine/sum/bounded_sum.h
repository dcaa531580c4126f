/*
 * bounded_sum.h - the aggregates that the engine is given: what one unit has in one group, in
 * one pass over the rows, and what limits lost of it
 *
 *	sotto_task(TEXT)                  the number of a task (sum_task.h)
 *	sotto_pairs_V(task, y0, y1, ...)  of one unit in one group, held to the rows that it keeps:
 *	                                  {n, read, clipped, v0, ...}, V of them
 *	sotto_rows_V(task, y0, y1, ...)   of all rows
 *	sotto_alone_V(task, number, ...)  unit_alone.h
 *	sotto_steps(x, step)              x in whole steps, rounded half away from zero
 *	sotto_number(x)                   a DECIMAL as a DOUBLE
 *	sotto_one_zero_4(x)               a FLOAT, or
 *	sotto_one_zero_8(x)               a DOUBLE, with 0 for -0
 *	sotto_each(x)                     a text, for each row apart (emit.c)
 *	sotto_units(unit, ...)            unit_loss.h
 *	sotto_all_units(unit, ...)
 *	sotto_owners(key, unit)           owner_lookup.h
 *	sotto_stored(file)
 *	sotto_owner_4(key, map)
 *	sotto_owner_8(key, map)
 *	sotto_most(x)                     most_frequent.h
 *	sotto_whole(x)                    whole_number.h
 *
 * Their states have a fixed size and lie in the engine's memory.
 */
#ifndef SOTTO_BOUNDED_SUM_H
#define SOTTO_BOUNDED_SUM_H

#include "central/engine/sum/sum_function.h"

enum { SOTTO_SUM_SIZES = 5 }; /* V is 1, 2, 4, 8 or 16 */

struct sotto_sum_functions {
	struct sotto_sum_function all[2 * SOTTO_SUM_SIZES];
	struct sotto_sum_tasks *tasks;
	struct sotto_unit_pool *pool;
	struct sotto_owners *owners;
};

/*
 * Gives them to the engine.  Both api and functions must outlive the connection's database.
 * Whatever the outcome, pair it with _release.
 *
 * Fails:    SOTTO_EIO; SOTTO_ENOMEM; SOTTO_ESTATE if another library of the
 *           engine was used before in this process.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_sums_register(const struct sotto_duckdb *api,
						       duckdb_connection connection,
						       struct sotto_sum_functions *functions);

/* Forgets what belongs to statements that have ended.  Call it while none runs. */
void sotto_sums_forget(struct sotto_sum_functions *functions);
void sotto_sums_release(struct sotto_sum_functions *functions);

#endif
