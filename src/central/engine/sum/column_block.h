/*
 * column_block.h - whole numbers out of a vector of the engine, whatever their type
 */
#ifndef SOTTO_COLUMN_BLOCK_H
#define SOTTO_COLUMN_BLOCK_H

#include "central/engine/duckdb_library.h"

enum { SOTTO_SUM_BLOCK = 256 };

/* One argument of an aggregate. */
struct sotto_column_reader {
	duckdb_type type;
	const void *data;
	const uint64_t *validity; /* NULL: no value is NULL */
};

/* False if the type is neither whole numbers nor floating-point ones: its values are only
 * present, or not, and read as 0. */
bool sotto_column_open(const struct sotto_duckdb *api, duckdb_vector vector,
		       struct sotto_column_reader *out);

/*
 * Rows from..from + count, at most a block.  What is beyond 2^62 is that; a fraction is cut
 * off.  present[i] is 1, or 0 for NULL and NaN, whose value is 0.  True if all are present.
 */
bool sotto_column_read(const struct sotto_column_reader *c, size_t from, size_t count,
		       int64_t *values, uint8_t *present);

/* Is it of whole numbers that fit 64 bits with a sign? */
bool sotto_column_is_whole(const struct sotto_column_reader *c);

/* The same of such a column, all of them as they are. */
void sotto_column_read_exact(const struct sotto_column_reader *c, size_t from, size_t count,
			     int64_t *values, uint8_t *present);

#endif
