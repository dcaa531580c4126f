/*
 * public_select.h - queries over public tables only
 */
#ifndef SOTTO_PUBLIC_SELECT_H
#define SOTTO_PUBLIC_SELECT_H

#include "central/relation/relation.h"

/* A SELECT over public tables only.  The types of its outputs go to bounds (as many as outputs). */
SOTTO_MUST_CHECK enum sotto_status
sotto_public_select(struct sotto_planner *p, const struct sotto_sql_select *select,
		    struct sotto_relation *from, const struct sotto_sql_output *outputs,
		    size_t count, struct sotto_bound *bounds, const struct sotto_rowset **rows);

/* An aggregate over public rows. */
SOTTO_MUST_CHECK enum sotto_status sotto_public_aggregate(struct sotto_binder *b,
							  const struct sotto_sql_expr *e,
							  struct sotto_bound *out);

#endif
