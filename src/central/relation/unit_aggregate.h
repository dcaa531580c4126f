/*
 * unit_aggregate.h - exact aggregates over the rows of one unit
 */
#ifndef SOTTO_UNIT_AGGREGATE_H
#define SOTTO_UNIT_AGGREGATE_H

#include "central/expression/binder.h"

/*
 * Binds the call, as a window function if `over` is not NULL.
 * most is how many rows of a unit count; ranges follow from it.
 *
 * Law:      a function of the set of rows with their multiplicities: order of
 *           rows and threads do not matter.
 * Fails:    SOTTO_EREFUSED, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_unit_aggregate(struct sotto_binder *b, const struct sotto_sql_expr *call, int64_t most,
		     const struct sotto_over *over, struct sotto_bound *out);

#endif
