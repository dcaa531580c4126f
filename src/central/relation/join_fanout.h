/*
 * join_fanout.h - how many rows joins make of one private row
 */
#ifndef SOTTO_JOIN_FANOUT_H
#define SOTTO_JOIN_FANOUT_H

#include "central/relation/relation.h"

/* What a join with a public relation makes of one private row: out->fanout. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_join(struct sotto_planner *p, const struct sotto_sql_from *from,
		  const struct sotto_relation *private, const struct sotto_relation *public,
		  struct sotto_relation *out);

/* Both together: one private row may be in both parts of UNION ALL. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_unite(struct sotto_planner *p, const struct sotto_expression *x,
		   const struct sotto_expression *y, const struct sotto_expression **out);

/* Each row finds so many others, each of which takes that work. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_work(struct sotto_planner *p, const struct sotto_expression *rows, double work);

/* Refuses with why where the number is above most. */
SOTTO_MUST_CHECK enum sotto_status sotto_fanout_limit(struct sotto_planner *p,
						      const struct sotto_expression *fanout,
						      int64_t most, const char *why);

/* query gives one whole number; where it is above most, the analyst's is refused with why. */
SOTTO_MUST_CHECK enum sotto_status sotto_planner_check(struct sotto_planner *p,
						       const struct sotto_rowset *query,
						       int64_t most, const char *why);

/* Adds the checks that the rows of a part of the query, and work with them, stay within limits. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_check(struct sotto_planner *p, const struct sotto_relation *r);

/* The same for the whole, where each row takes so much more to be counted. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_finish(struct sotto_planner *p, const struct sotto_relation *r, double row);

#endif
