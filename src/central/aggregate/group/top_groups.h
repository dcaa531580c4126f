/*
 * top_groups.h - SELECT city ... GROUP BY city ORDER BY COUNT(*) DESC LIMIT k as a choice
 */
#ifndef SOTTO_TOP_GROUPS_H
#define SOTTO_TOP_GROUPS_H

#include "central/plan/plan.h"

/*
 * Sets plan->top if nothing but the order of public groups by one measure is asked
 * for; its count is 0 otherwise.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_top_groups_recognise(struct sotto_plan *plan);

#endif
