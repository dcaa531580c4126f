/*
 * windowed_select.h - window functions over groups
 */
#ifndef SOTTO_WINDOWED_SELECT_H
#define SOTTO_WINDOWED_SELECT_H

#include "central/relation/relation.h"

/*
 * A grouped SELECT with window functions, or with noisy results of subqueries, as one over a
 * subquery that groups.
 */
bool sotto_select_is_windowed(const struct sotto_policy *policy,
			      const struct sotto_sql_select *s);
SOTTO_MUST_CHECK enum sotto_status sotto_windowed_expand(struct sotto_planner *p,
							 const struct sotto_sql_select *s,
							 const struct sotto_sql_select **out);

#endif
