/*
 * sum_block.h - the states of the aggregates, and adding a block of rows to them
 */
#ifndef SOTTO_SUM_BLOCK_H
#define SOTTO_SUM_BLOCK_H

#include "central/engine/sum/column_block.h"
#include "central/engine/sum/sum_task.h"

/* low + 2^64 high, in the engine's memory, which is aligned to 8 bytes. */
struct sotto_wide_sum {
	int64_t low, high;
};

/* All rows of a group.  Sums of a value that has another for its base are what that one lacks. */
struct sotto_sum_state {
	uint64_t head; /* number of the task, and the rows mod 2^48 */
	uint64_t clipped;
	struct sotto_wide_sum sums[];
};

static inline uint64_t sotto_sum_rows(const struct sotto_sum_state *s)
{
	return s->head >> 16;
}

/* Adds rows to rows, and sums to sums. */
void sotto_sum_add(struct sotto_sum_state *s, const struct sotto_sum_state *x, size_t values);

/* Value i of all rows. */
duckdb_hugeint
sotto_sum_of(const struct sotto_sum_task *task, const struct sotto_sum_state *s, size_t i);

/*
 * One unit in one group: there are many of these, so they are small.  A sum of n terms below
 * 2^32 fits 64 bits if n < 2^31; with more rows it stops at the end, which is no further from 0
 * than n times the largest term.
 */
struct sotto_pair_state {
	uint64_t head; /* number of the task, whether a row is clipped, and the rows mod 2^47 */
	int64_t sums[];
};

enum { SOTTO_PAIR_TASK_BITS = 16, SOTTO_PAIR_ROWS_SHIFT = 17 };

#define SOTTO_PAIR_CLIPPED ((uint64_t)1 << SOTTO_PAIR_TASK_BITS)
#define SOTTO_PAIR_ONE_ROW ((uint64_t)1 << SOTTO_PAIR_ROWS_SHIFT)

static inline uint64_t sotto_pair_rows(const struct sotto_pair_state *s)
{
	return s->head >> SOTTO_PAIR_ROWS_SHIFT;
}

/* Adds rows to rows, and sums to sums. */
void sotto_pair_add(struct sotto_pair_state *s, const struct sotto_pair_state *x,
		    size_t values);

/* The largest number of rows that something reads. */
int64_t sotto_pair_read(const struct sotto_sum_task *task, const struct sotto_pair_state *s);

/* Value i of a unit that is held to its rows. */
int64_t
sotto_pair_kept(const struct sotto_sum_task *task, const struct sotto_pair_state *s, size_t i);

/* Whether all values of a column lie within bounds that were asked about last. */
struct sotto_sum_inside {
	int64_t lo, hi;
	bool is_known, is_inside;
};

/* The columns of a block of rows, and what these add. */
struct sotto_sum_block {
	int64_t values[SOTTO_SUM_COLUMNS][SOTTO_SUM_BLOCK];
	uint8_t present[SOTTO_SUM_COLUMNS][SOTTO_SUM_BLOCK];
	bool is_whole[SOTTO_SUM_COLUMNS]; /* no value is NULL */
	struct sotto_sum_inside inside[SOTTO_SUM_COLUMNS];
	int64_t made[SOTTO_SUM_VALUES][SOTTO_SUM_BLOCK];
	const int64_t *terms[SOTTO_SUM_VALUES]; /* made, or the values of a column */
};

/* Adds each row to its state; values, present and is_whole are filled. */
void sotto_sum_block_add(const struct sotto_sum_task *task, struct sotto_sum_block *b,
			 duckdb_aggregate_state *states, size_t count);
void sotto_pair_block_add(const struct sotto_sum_task *task, struct sotto_sum_block *b,
			  duckdb_aggregate_state *states, size_t count);

#endif
