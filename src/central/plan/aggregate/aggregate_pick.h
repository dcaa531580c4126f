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

/* How many values can be picked. */
int64_t sotto_pick_outcomes(const struct sotto_pick *p);

/* Prices, each with its share of epsilon (or rho); adds the cost under Laplace noise. */
SOTTO_MUST_CHECK enum sotto_status
sotto_picks_price_pure(struct sotto_plan *plan, const struct sotto_rational *share);
SOTTO_MUST_CHECK enum sotto_status
sotto_picks_price_rho(struct sotto_plan *plan, const struct sotto_rational *share);

/* The CTE h<i> of a pick: for each group the list l of (value or place, how often). */
struct sotto_buffer;
SOTTO_MUST_CHECK enum sotto_status
sotto_pick_compose(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i);

/* The public list of a MODE, as an expression. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pick_compose_domain(struct sotto_emitter *e, const struct sotto_pick *p);

#endif
