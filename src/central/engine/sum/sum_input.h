/*
 * sum_input.h - inside this folder: the rows that an aggregate is given, block by block
 */
#ifndef SOTTO_SUM_INPUT_H
#define SOTTO_SUM_INPUT_H

#include "central/engine/sum/sum_block.h"
#include "central/engine/sum/sum_function.h"

struct sotto_sum_input {
	const struct sotto_sum_task *task;
	struct sotto_column_reader readers[SOTTO_SUM_COLUMNS];
	size_t columns, rows;
};

/* The task is in column 0, values from column `first` on.  NULL, or why they cannot be read. */
const char *sotto_sum_input_find(const struct sotto_sum_function *f, duckdb_data_chunk chunk,
				 size_t first, struct sotto_sum_input *out);

/* The columns of the block that begins at a row; the number of its rows. */
size_t
sotto_sum_input_read(const struct sotto_sum_input *in, size_t from, struct sotto_sum_block *b);

#endif
