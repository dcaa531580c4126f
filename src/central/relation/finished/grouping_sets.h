/*
 * grouping_sets.h - GROUPING SETS, ROLLUP and CUBE
 */
#ifndef SOTTO_GROUPING_SETS_H
#define SOTTO_GROUPING_SETS_H

#include "central/relation/relation.h"

/* A SELECT with sets of keys as UNION ALL of one SELECT for each. */
SOTTO_MUST_CHECK enum sotto_status
sotto_grouping_expand(struct sotto_planner *p, const struct sotto_ctes *ctes,
		      const struct sotto_sql_select *s, const struct sotto_sql_select **out);

/* ORDER BY of a SELECT, with the number of an output for an expression that is one. */
SOTTO_MUST_CHECK enum sotto_status sotto_orders_number(struct sotto_arena *a,
						       const struct sotto_sql_select *from,
						       struct sotto_sql_order **out);

#endif
