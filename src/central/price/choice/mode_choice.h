/*
 * mode_choice.h - the most frequent value of a public list, by the exponential mechanism
 */
#ifndef SOTTO_MODE_CHOICE_H
#define SOTTO_MODE_CHOICE_H

#include <stdint.h>

#include "core/base/arena.h"
#include "sotto/cost.h"
#include "sotto/choose.h"
#include "core/mechanism/quantile/quantile.h"
#include "sotto/rational.h"

struct sotto_mode_choice {
	struct sotto_rational epsilon; /* of the choice in one group */
	struct sotto_exponential *mechanism;
	int64_t error95; /* occurrences that the chosen value is short of the most frequent one */
};

/* Without a price yet; ends with the arena.  NULL without memory. */
struct sotto_mode_choice *sotto_mode_choice_in(struct sotto_arena *arena);

/* How far a unit reaches, and how much there is to choose from. */
struct sotto_mode_question {
	int64_t values; /* in the list */
	int64_t rows; /* of a unit in a group */
	int64_t groups; /* that a unit reaches */
};

/* Gives the choices in all groups a share of epsilon together, and adds what they cost. */
SOTTO_MUST_CHECK enum sotto_status
sotto_mode_choice_price_pure(struct sotto_mode_choice *c, const struct sotto_mode_question *q,
			     const struct sotto_rational *share, struct sotto_cost *cost);

/* The same with a share of rho, whose cost is that of the plan. */
SOTTO_MUST_CHECK enum sotto_status
sotto_mode_choice_price_rho(struct sotto_mode_choice *c, const struct sotto_mode_question *q,
			    const struct sotto_rational *share);

#endif
