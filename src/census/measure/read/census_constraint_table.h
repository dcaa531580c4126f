/*
 * census_constraint_table.h - reads public tables of constraints: bounds and invariants
 */
#ifndef SOTTO_CENSUS_CONSTRAINT_TABLE_H
#define SOTTO_CENSUS_CONSTRAINT_TABLE_H

#include "census/measure/census_world.h"

struct sotto_engine;

enum { SOTTO_CENSUS_COLUMNS_MAX = 2 };

/* Which rows are read: one for each node of a level and cell of a query, with these columns. */
struct sotto_census_table {
	const char *file;
	size_t level, query; /* of the plan */
	const char *columns[SOTTO_CENSUS_COLUMNS_MAX];
	size_t column_count;
};

/* Called for each row with its node, the query's cell, and its columns as whole numbers >= 0. */
typedef enum sotto_status (*sotto_census_row_fn)(void *context, size_t node, size_t cell,
						 const int64_t *values,
						 struct sotto_error *err);

/*
 * Reads a table.
 *
 * Fails:    SOTTO_EMISSING, SOTTO_EPARSE for a file that cannot be read or contains unknown
 *           names; SOTTO_EINFEASIBLE for a value that is negative or not whole.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_table_read(struct sotto_engine *e, struct sotto_census_world *w,
			const struct sotto_census_table *table, sotto_census_row_fn each,
			void *context, struct sotto_error *err);

#endif
