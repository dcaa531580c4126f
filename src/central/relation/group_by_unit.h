/*
 * group_by_unit.h - GROUP BY the privacy unit inside a query
 */
#ifndef SOTTO_GROUP_BY_UNIT_H
#define SOTTO_GROUP_BY_UNIT_H

#include "central/relation/relation.h"

/* True if a SELECT over private rows groups them by their unit, and perhaps by more. */
bool sotto_select_is_by_unit(struct sotto_planner *p, const struct sotto_sql_select *s,
			     const struct sotto_relation *from);

/* Such a SELECT: each of its rows belongs to one unit.  Sets from->unit_rows. */
SOTTO_MUST_CHECK enum sotto_status
sotto_by_unit_select(struct sotto_planner *p, const struct sotto_sql_select *s,
		     struct sotto_relation *from, const struct sotto_sql_output *outputs,
		     size_t count, struct sotto_bound *bounds,
		     const struct sotto_rowset **rows);

#endif
