/*
 * pick_add.h - picks of a plan: choices from a group's list of counts
 */
#ifndef SOTTO_PICK_ADD_H
#define SOTTO_PICK_ADD_H

#include "central/plan/plan.h"

/* Adds a copy of *p. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pick_push(struct sotto_plan *plan, const struct sotto_pick *p);

/* Once all are there: where the outcomes of each lie in a row. */
void sotto_picks_place(struct sotto_plan *plan);

#endif
