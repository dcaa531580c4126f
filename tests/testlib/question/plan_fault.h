/*
 * plan_fault.h - plans made wrong on purpose, which a test of plans must find
 */
#ifndef SOTTO_TESTS_PLAN_FAULT_H
#define SOTTO_TESTS_PLAN_FAULT_H

#include "central/plan/plan.h"

enum plan_fault {
	FAULT_NONE,
	FAULT_ROWS,
	FAULT_WINDOW,
	FAULT_CLIP,
	FAULT_SENSITIVITY,
	FAULT_GROUPS,
	FAULT_SPREAD,
	FAULT_OWNER, /* a row reached by a key belongs to somebody else */
	FAULT_MATCH, /* rows of two units are joined */
	FAULT_UNION, /* one part of UNION ALL has other units */
	FAULT_PARTITION, /* a window is not divided by the unit */
	FAULT_NAMES, /* groups by unit go by names that columns have too */
	FAULT_CHOICE, /* a quantile is chosen with twice the epsilon */
	FAULT_LOSS_CAP, /* what one unit loses is counted without end */
	FAULT_LOSS_GROUPS, /* a unit is counted once for each group */
	FAULT_LOSS_SENSITIVITY, /* an item moves one further than declared */
	FAULT_BINS, /* a unit is counted in several bins of how units are spread */
	FAULT_EXACT, /* rows are compared with exact values, not with noisy ones */
	FAULT_ONE_WAY, /* groups are chosen as if a unit moved all scores one way */
	FAULT_PARTS, /* a set of keys costs more than its share */
};

/*
 * Returns whether the plan has anything that the fault could be planted in.  FAULT_PARTS is about
 * the plan around: whoever prices that plants it.
 */
bool plan_fault_plant(struct sotto_plan *plan, enum plan_fault fault);

/* Noise for an epsilon (or rho) that is too large by this factor; it says that it errs as before. */
void noise_fault_plant(struct sotto_added_noise *n, unsigned factor);

#endif
