/*
 * free_guard.h - checks that a free query reads no private table
 */
#ifndef SOTTO_FREE_GUARD_H
#define SOTTO_FREE_GUARD_H

#include "central/plan/plan.h"

/*
 * The second lock on what is free: engine SQL that is run without a charge (of a plan
 * or part that is free, and of every check) names no private table.
 *
 * Fails:    SOTTO_EREFUSED if it does, which is a mistake of this program.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_guard(const struct sotto_plan *plan, struct sotto_error *err);

#endif
