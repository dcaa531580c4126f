/*
 * private_join.h - joins of two private relations on their unit
 */
#ifndef SOTTO_PRIVATE_JOIN_H
#define SOTTO_PRIVATE_JOIN_H

#include "central/relation/relation.h"

enum { SOTTO_UNIT_ROWS = 100 }; /* of a unit that meet others of it */

/*
 * Checks that a join of two private relations is on the unit, and makes it so:
 * *on gets the equality, right->tree is cut to a fixed number of rows of each unit.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_private_join(struct sotto_planner *p, const struct sotto_sql_from *from,
		   struct sotto_relation *left, struct sotto_relation *right,
		   struct sotto_relation *out, const struct sotto_expression **on);

/* The unit's type in its source is none that a question can name or compare, like bytes. */
bool sotto_unit_is_unnamed(const struct sotto_relation *x);

/* Rows of both belong to units of one kind, which engine SQL can compare. */
bool sotto_units_shared(const struct sotto_relation *x, const struct sotto_relation *y);

/* One of the conditions that must hold for e says that units are equal, or leads to that. */
bool sotto_units_equated(struct sotto_planner *p, const struct sotto_relation *left,
			 const struct sotto_relation *right, const struct sotto_sql_expr *e);

/* x with the limits of the table that allows more, for rows of both. */
SOTTO_MUST_CHECK enum sotto_status
sotto_owners_unite(struct sotto_planner *p, const struct sotto_policy_table *x,
		   const struct sotto_policy_table *y, const struct sotto_policy_table **out);

/* At most so many rows of each unit, unless there are no more anyway; r is not a join. */
SOTTO_MUST_CHECK enum sotto_status
sotto_units_cut(struct sotto_planner *p, struct sotto_relation *r);

#endif
