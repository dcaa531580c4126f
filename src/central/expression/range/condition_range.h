/*
 * condition_range.h - bounds that a condition gives
 *
 * Where age > 17 holds, age has no value below 18: ranges of columns become
 * narrower while that is known.  Ranges choose where values are clipped
 * (sensitivity.md, 2), so a condition can make an answer better and never less
 * private.
 */
#ifndef SOTTO_CONDITION_RANGE_H
#define SOTTO_CONDITION_RANGE_H

#include "central/expression/binder.h"

struct sotto_range_before;

/*
 * Narrows the columns of b's scope by the comparisons that the condition, which
 * may be NULL, is an AND of.  *before, if it is not NULL, gets what to undo.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_condition_range_apply(struct sotto_binder *b, const struct sotto_sql_expr *condition,
			    struct sotto_range_before **before);
void sotto_condition_range_undo(struct sotto_range_before *before);

#endif
