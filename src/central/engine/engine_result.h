/*
 * engine_result.h - a result as it is kept: column by column
 *
 * Made from DuckDB's vectors in the worker (duckdb_result.c), and from its message in the
 * process that asked (worker_result.c).
 */
#ifndef SOTTO_ENGINE_RESULT_H
#define SOTTO_ENGINE_RESULT_H

#include "central/engine/engine.h"

struct sotto_result_column {
	char *name;
	enum sotto_engine_column kind;
	size_t capacity;
	struct sotto_engine_cell *cells; /* one of the three, by the kind */
	int64_t *exact;
	struct sotto_engine_list *lists;
};

struct sotto_engine_result {
	struct sotto_result_column *columns;
	size_t column_count;
	size_t rows;
	char **pool; /* texts of the cells, each on its own */
	size_t pool_count, pool_capacity;
	void *received; /* or all in one; NULL if there is no such */
	size_t received_size;
};

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

#endif
