/*
 * census_constraint_table.h - public tables that constraints come from: bounds and invariants
 */
#ifndef SOTTO_CENSUS_CONSTRAINT_TABLE_H
#define SOTTO_CENSUS_CONSTRAINT_TABLE_H

#include "census/measure/census_world.h"

struct sotto_engine;

enum { SOTTO_CENSUS_COLUMNS_MAX = 2 };

/* Which rows: one for each node of a level and cell of a query, with these columns. */
struct sotto_census_table {
	const char *file;
	size_t level, query; /* of the plan */
	const char *columns[SOTTO_CENSUS_COLUMNS_MAX];
	size_t column_count;
};

/* Called for each row: its node, the query's cell, its columns as whole numbers from 0 on. */
typedef enum sotto_status (*sotto_census_row_fn)(void *context, size_t node, size_t cell,
						 const int64_t *values,
						 struct sotto_error *err);

/*
 * Fails:    SOTTO_EMISSING, SOTTO_EPARSE for a file that cannot be read or names what is not
 *           there; SOTTO_EINFEASIBLE for a value that is negative or not whole.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_table_read(struct sotto_engine *e, struct sotto_census_world *w,
			const struct sotto_census_table *table, sotto_census_row_fn each,
			void *context, struct sotto_error *err);

#endif
