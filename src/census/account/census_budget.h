/*
 * census_budget.h - the exact share of every query
 */
#ifndef SOTTO_CENSUS_BUDGET_H
#define SOTTO_CENSUS_BUDGET_H

#include "census/plan/census_plan.h"

/* Fills levels[].fraction and measures from the shares.  Fails: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_budget_set(struct sotto_census_plan *p, struct sotto_error *err);

#endif
