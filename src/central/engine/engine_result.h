/*
 * engine_result.h - a result as it is kept: column by column
 *
 * Made from DuckDB's vectors in the worker (duckdb_result.c), and from its message in the
 * process that asked (worker_result.c).
 */
#ifndef SOTTO_ENGINE_RESULT_H
#define SOTTO_ENGINE_RESULT_H

#include "central/engine/engine.h"
#include "core/base/wide.h"

struct sotto_result_column {
	char *name;
	enum sotto_engine_column kind;
	size_t capacity;
	struct sotto_engine_cell *cells; /* one of the four, by the kind */
	int64_t *exact;
	struct sotto_engine_list *lists;
	sotto_i128 *wide;
};

struct sotto_engine_result {
	struct sotto_result_column *columns;
	size_t column_count;
	size_t rows;
	bool is_partial; /* exact integers are wide, texts are escaped (partial.h) */
	char **pool; /* texts of the cells, each on its own */
	size_t pool_count, pool_capacity;
	void *received; /* or all in one; NULL if there is no such */
	size_t received_size;
};

/* Held at +-2^62: holding moves no two values further apart. */
static inline int64_t sotto_result_hold(sotto_i128 x)
{
	const int64_t end = (int64_t)1 << 62;

	return x > end ? end : x < -end ? -end : (int64_t)x;
}

/* Without rows; NULL: no memory. */
struct sotto_engine_result *sotto_engine_result_new(size_t columns);

/* Once for each column, before there are rows.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_result_set_column(struct sotto_engine_result *r,
							   size_t column, const char *name,
							   enum sotto_engine_column kind);

/* Makes room; values of new rows are NULL, 0 or empty.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_result_grow(struct sotto_engine_result *r, size_t rows);

/* A copy that lives as long as the result; NULL: no memory. */
char *sotto_result_keep_text(struct sotto_engine_result *r, const char *bytes, size_t n);

/* The same of a text that a partial result has, as it is shown. */
char *sotto_result_show_text(struct sotto_engine_result *r, const char *escaped);

#endif
