/*
 * clip_limit.h - whether a value can lie outside the bounds that it is clipped to
 *
 * Ranges come from the owner's declarations, which rows may contradict, and from what
 * expressions can give at all, which no row can.  Only the first kind ever clips.
 */
#ifndef SOTTO_CLIP_LIMIT_H
#define SOTTO_CLIP_LIMIT_H

#include <stdbool.h>

#include "central/expression/binder.h"

/*
 * Binds the argument of `call` once more as if nothing was declared; *out is true if it
 * could then lie outside `held`, what it is clipped to.  Leaves no trace in the planner.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_clip_can_bind(struct sotto_binder *b, const struct sotto_sql_expr *call,
		    const struct sotto_sql_expr *arg, struct sotto_value_range held, bool *out);

#endif
