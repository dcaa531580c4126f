/*
 * clip_limit.h - whether a value can lie outside the bounds that it is clipped to
 *
 * Ranges come from the owner's declarations, which rows may contradict, and from what
 * expressions can give at all, which no row can.  Only the first kind ever clips.
 */
#ifndef SOTTO_CLIP_LIMIT_H
#define SOTTO_CLIP_LIMIT_H

#include "central/expression/binder.h"
#include "central/plan/plan.h"

/*
 * Binds `arg` once more as if nothing was declared; *out says on which sides of `held`, what it is
 * held to, it could then lie where the WHERE of the query and `filter`, or NULL, are met.  Leaves no
 * trace in the planner.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_clip_sides(struct sotto_binder *b, const struct sotto_sql_expr *filter,
		 const struct sotto_sql_expr *arg, struct sotto_value_range held,
		 struct sotto_sides *out);

/* The same of a column of the scope and its own bounds. */
SOTTO_MUST_CHECK enum sotto_status sotto_column_sides(struct sotto_binder *b,
						      const struct sotto_scope_column *c,
						      struct sotto_sides *out);

#endif
