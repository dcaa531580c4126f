/*
 * outer_row.h - how a subquery in an expression refers to the outer row
 */
#ifndef SOTTO_OUTER_ROW_H
#define SOTTO_OUTER_ROW_H

#include "central/expression/binder.h"

/* Does e read a column of the query around, which the inner scope has not? */
bool sotto_reads_outer(const struct sotto_scope *inner, const struct sotto_scope *outer,
		       const struct sotto_sql_expr *e);

/* It depends on private rows, or on what is there only while the query runs: it has no image. */
SOTTO_MUST_CHECK enum sotto_status
sotto_depend_on_rows(struct sotto_binder *b, struct sotto_bound *out);

/*
 * A value that came out of a finished query: it has no public image, because its table is
 * there only while the query runs; and it lies within the bounds that were derived for it.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_noisy(struct sotto_binder *b, struct sotto_bound *out);

#endif
