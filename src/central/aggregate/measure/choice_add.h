/*
 * choice_add.h - what a plan chooses from a group's list of counts
 */
#ifndef SOTTO_CHOICE_ADD_H
#define SOTTO_CHOICE_ADD_H

#include "central/plan/plan.h"

/* Adds a copy of *p. */
SOTTO_MUST_CHECK enum sotto_status
sotto_choice_push(struct sotto_plan *plan, const struct sotto_choice *p);

/* Once all are there: where the outcomes of each lie in a row. */
void sotto_choices_arrange(struct sotto_plan *plan);

#endif
