/*
 * whole_compare.h - comparing whole numbers of a column with literal numbers
 *
 * A BIGINT and 9223372036854774500.5, or 10^20, have no common type in which both are exact.
 * The comparison is turned into one with a whole number of 63 bits that is true of the same
 * rows.
 */
#ifndef SOTTO_WHOLE_COMPARE_H
#define SOTTO_WHOLE_COMPARE_H

#include "central/expression/binder.h"

/*
 * If one of x and y is a column of whole numbers as it lies in the table and the other a
 * number that is written out: *value is x op y, exact for every row, and *done is true.  It
 * is NULL for a NULL, except of IS DISTINCT FROM.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_whole_compare(struct sotto_arena *a, enum sotto_sql_op op, const struct sotto_bound *x,
		    const struct sotto_bound *y, const struct sotto_expression **value,
		    bool *done);

#endif
