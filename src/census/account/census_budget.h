/*
 * census_budget.h - computes the exact share of every query
 */
#ifndef SOTTO_CENSUS_BUDGET_H
#define SOTTO_CENSUS_BUDGET_H

#include "census/plan/census_plan.h"

/* Sets levels[].fraction and the measures from the shares.  Fails: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_budget_set(struct sotto_census_plan *p, struct sotto_error *err);

#endif
