/*
 * united_select.h - UNION, INTERSECT and EXCEPT
 */
#ifndef SOTTO_UNITED_SELECT_H
#define SOTTO_UNITED_SELECT_H

#include "central/relation/relation.h"

/* Puts the others together with the first, which is bound; first and arm become the whole. */
SOTTO_MUST_CHECK enum sotto_status
sotto_united_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
		  const struct sotto_sql_select *s, struct sotto_relation *first,
		  struct sotto_arm *arm);

/* Arms with windows or grouping sets become tables of their own, which have both written out. */
SOTTO_MUST_CHECK enum sotto_status
sotto_united_wrap(struct sotto_planner *p, const struct sotto_sql_select **s);

/* The whole becomes a table of its own, with the clauses that stand at its end around it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_united_around(struct sotto_arena *a, const struct sotto_sql_select **s);

#endif
