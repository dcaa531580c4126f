/*
 * movement.h - how far the exact measures of a plan move between neighbours
 */
#ifndef SOTTO_TESTS_MOVEMENT_H
#define SOTTO_TESTS_MOVEMENT_H

#include "central/engine/engine.h"
#include "central/plan/plan.h"

enum { MOVEMENT_MEASURES_MAX = 64, MOVEMENT_PICKS_MAX = 16 };

struct movement {
	int64_t most[MOVEMENT_MEASURES_MAX]; /* in one group */
	int64_t groups[MOVEMENT_MEASURES_MAX]; /* that moved at all */
	double l1[MOVEMENT_MEASURES_MAX], squares[MOVEMENT_MEASURES_MAX]; /* over all groups */
	/* of the lists that choices are made from: counts that differ, all values together */
	int64_t choice_most[MOVEMENT_PICKS_MAX];
	int64_t choice_groups[MOVEMENT_PICKS_MAX];
	double choice_l1[MOVEMENT_PICKS_MAX], choice_squares[MOVEMENT_PICKS_MAX];
	double loss[SOTTO_LOSS_KINDS]; /* of each item of the loss vector, if it is run */
	bool score_grew, score_fell; /* by which groups are chosen, in some group */
	bool both_ways; /* some counts of one list grew and others fell */
	int64_t all_groups; /* in which any measure moved, or which came or went */
	bool same_keys; /* the same groups on both sides, each as often */
	bool repeated_keys; /* some group is given twice */
	bool same; /* nothing differs */
};

/* A group that is missing on one side counts as zeros there. */
void movement_between(struct movement *m, const struct sotto_plan *plan,
		      const struct sotto_engine_result *x, const struct sotto_engine_result *y);

/*
 * What was found wrong, or NULL: more than declared in one group, in too many
 * groups, more than the price was computed from, or public keys that differ.
 */
const char *movement_fault(const struct movement *m, const struct sotto_plan *plan);

#endif
