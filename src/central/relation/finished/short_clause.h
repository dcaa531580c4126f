/*
 * short_clause.h - clauses that are short for longer ones, written out
 */
#ifndef SOTTO_SHORT_CLAUSE_H
#define SOTTO_SHORT_CLAUSE_H

#include "central/plan/planner.h"

/*
 * Writes GROUP BY ALL, ORDER BY ALL, QUALIFY, DISTINCT ON and names of outputs out, in a SELECT and all SELECTs inside it:
 * nothing after this knows of them.
 *
 * Fails:    SOTTO_EREFUSED where ALL stands beside *; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_short_expand(struct sotto_planner *p, struct sotto_sql_select *s);

#endif
