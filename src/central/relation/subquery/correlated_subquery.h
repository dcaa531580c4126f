/*
 * correlated_subquery.h - subqueries in expressions that refer to the outer row
 *
 * EXISTS and a single value over public tables, by columns of the row; and over
 * private rows, if they are those of the row's own unit: then the result is a
 * function of that unit's rows alone (sensitivity.md, 11).
 */
#ifndef SOTTO_CORRELATED_SUBQUERY_H
#define SOTTO_CORRELATED_SUBQUERY_H

#include "central/relation/relation.h"

/*
 * Binds EXISTS (SELECT ...) or (SELECT ...) if it reads columns of the query
 * around it; *known says whether it does, and *out is untouched if not.
 *
 * Fails:    SOTTO_EREFUSED if it reads private rows without being tied to the unit;
 *           SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_correlated_bind(struct sotto_binder *b,
							 const struct sotto_sql_expr *e,
							 struct sotto_bound *out, bool *known);

/* x IN (SELECT y FROM private rows), where both are the unit or lead to it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_correlated_in(struct sotto_binder *b, const struct sotto_sql_expr *e,
		    const struct sotto_relation *r, struct sotto_bound *out);

#endif
