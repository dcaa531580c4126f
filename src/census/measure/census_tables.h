/*
 * census_tables.h - reading nodes, counts and tables of constraints through the engine
 *
 * The only file that knows the engine.
 */
#ifndef SOTTO_CENSUS_TABLES_H
#define SOTTO_CENSUS_TABLES_H

#include "census/measure/census_world.h"

struct sotto_engine;

SOTTO_MUST_CHECK enum sotto_status
sotto_census_tables_open(struct sotto_engine **out, struct sotto_error *err);
void sotto_census_tables_close(struct sotto_engine *e);

/* The leaves, sorted by their paths, from `nodes` or from the data; builds w->shape. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_read_leaves(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

/* Private counts, into w->truth. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_read_counts(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

/*
 * Calls each(node, the query's cell, values) for the rows of a table of constraints; columns
 * are the wanted ones, values as whole numbers.
 */
typedef enum sotto_status (*sotto_census_row_fn)(void *context, size_t node, size_t cell,
						 const int64_t *values,
						 struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_census_read_table(struct sotto_engine *e, struct sotto_census_world *w, const char *file,
			size_t plan_level, size_t query, const char *const *columns,
			size_t column_count, sotto_census_row_fn each, void *context,
			struct sotto_error *err);

/* Turns CSV files that were written into Parquet.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_convert_parquet(struct sotto_engine *e, const char *csv, const char *parquet,
			     struct sotto_error *err);

#endif
