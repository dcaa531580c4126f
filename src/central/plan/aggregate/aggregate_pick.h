/*
 * aggregate_pick.h - aggregates that are chosen, not added up: quantiles and MODE
 */
#ifndef SOTTO_AGGREGATE_PICK_H
#define SOTTO_AGGREGATE_PICK_H

#include "central/plan/plan.h"

/* True for the names of such aggregates. */
bool sotto_pick_knows(const char *name);

/* The pick behind one call, shared with that of other ranks of the same values. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pick_add(struct sotto_plan *plan, struct sotto_binder *b,
	       const struct sotto_sql_expr *call, struct sotto_aggregate *a);

/* The rank that a call asks for, and the argument that it is of.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pick_read_rank(struct sotto_binder *b, const struct sotto_sql_expr *call,
		     struct sotto_rank *r, const struct sotto_sql_expr **arg);

/* Once all are there: where the outcomes of each lie in a row. */
void sotto_picks_place(struct sotto_plan *plan);

#endif
