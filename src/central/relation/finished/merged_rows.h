/*
 * merged_rows.h - UNION, INTERSECT and EXCEPT of finished rows, with their intervals
 */
#ifndef SOTTO_MERGED_ROWS_H
#define SOTTO_MERGED_ROWS_H

#include "central/relation/relation.h"

/*
 * Rows of first and second, each with columns c0, c1, ... and the ends of those that `ends`
 * marks, put together as SQL says.
 *
 * Law:      a row that is shown for several equal ones has, in each column, the least interval
 *           that holds all of theirs, and none if one of them has none.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_rows_merge(struct sotto_planner *p, const struct sotto_sql_select *how,
		 const struct sotto_rowset *first, const struct sotto_rowset *second,
		 const bool *ends, size_t count, const struct sotto_rowset **out);

/* The ends of an interval over all rows that are equal in some columns, for SELECT DISTINCT. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rows_hull(struct sotto_planner *p, struct sotto_bound *bounds, size_t count);

#endif
