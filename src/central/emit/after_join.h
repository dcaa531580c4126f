/*
 * after_join.h - what takes long is computed after joins, or apart from them
 *
 * The engine computes a condition on one side of a join before the join, for all rows of that
 * side, unless the other side turns out to be empty, or to have few keys: then for few of them
 * or none.  So whether one private row is there would decide on the work with everybody else's
 * rows, or with those of a public table (../plan/sensitivity.md, 8c).
 */
#ifndef SOTTO_AFTER_JOIN_H
#define SOTTO_AFTER_JOIN_H

#include "central/emit/emit.h"

/*
 * Rewrites the rows of a question and its condition (NULL: none): they are the same rows.  What
 * is held apart is added to the emitter's list; it has to be written first.  `own` is a
 * column of the private table that the rows belong to.
 *
 * Fails:    SOTTO_ENOMEM; SOTTO_EREFUSED where a function of several tables stands in ON of a join
 *           that is made before a private table is known, or of an outer join.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_after_join(struct sotto_emitter *e, const struct sotto_expression *own,
		 const struct sotto_rowset **rows, const struct sotto_expression **where);

/* The same of a value that is computed of joined rows: of the subqueries in it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_after_join_value(struct sotto_emitter *e, const struct sotto_expression **x);

/* "WITH e0 AS MATERIALIZED (...), ": what is held apart, before the first other name. */
SOTTO_MUST_CHECK enum sotto_status sotto_held_compose(struct sotto_emitter *e);

#endif
