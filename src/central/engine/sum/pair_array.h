/*
 * pair_array.h - inside this folder: the states of units that have numbers, where there is one group
 *
 * Numbers were given out one after the other, from 0 on (seal_owners.h): a state is found without
 * looking for it.
 */
#ifndef SOTTO_PAIR_ARRAY_H
#define SOTTO_PAIR_ARRAY_H

#include "central/engine/sum/sum_block.h"

struct sotto_pair_array;

/* Of states with so many values, for one task.  NULL without memory. */
struct sotto_pair_array *sotto_pair_array_new(size_t values);
void sotto_pair_array_free(struct sotto_pair_array *a);

/* The states of so many numbers, at most a block.  False without memory, or below 0. */
bool sotto_pair_array_find(struct sotto_pair_array *a, const int64_t *numbers, size_t count,
			   duckdb_aggregate_state *states);

/* Takes from: its units count too.  False without memory; from is the caller's then. */
bool sotto_pair_array_take(struct sotto_pair_array *to, struct sotto_pair_array *from);

__extension__ typedef __int128 sotto_pair_sum;

/* Over all units, each held to its rows. */
struct sotto_pair_totals {
	sotto_pair_sum rows, values[SOTTO_SUM_VALUES];
	int64_t units;
	int64_t with[SOTTO_SUM_VALUES]; /* units with such a value above 0 */
	int64_t of_rows, clipped, lost, kept; /* as in unit_table.h, of units with one group */
};

void sotto_pair_array_totals(const struct sotto_pair_array *a,
			     const struct sotto_sum_task *task, struct sotto_pair_totals *out);

#endif
