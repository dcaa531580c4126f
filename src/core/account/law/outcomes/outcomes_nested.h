/*
 * outcomes_nested.h - a sample of something that is itself sampled and repeated
 *
 * Both samples make their losses' slopes small in the middle, where most of the mass is, and large far out, where next to none is: a list
 * that is fine enough for the middle is made, and what it errs by farther out is weighed with the mass there (nested.md).
 */
#ifndef SOTTO_OUTCOMES_NESTED_H
#define SOTTO_OUTCOMES_NESTED_H

#include <stdbool.h>

#include "core/account/law/outcomes/ratios.h"

/* Whether e is such a sample. */
bool sotto_outcomes_nested_possible(const struct sotto_event *e);

/* Its outcomes for Re s up to order and |Im s| up to far.  Fails: SOTTO_EREFUSED if too many would be needed; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_outcomes_of_nested(struct sotto_outcomes *out, const struct sotto_event *e,
			 enum sotto_direction direction, double order, double far,
			 struct sotto_work *work);

/* Whether its noise is Gaussian, so that no loss is the largest and none is an atom. */
bool sotto_outcomes_nested_is_smooth(const struct sotto_event *e);

/* A bound of K at any s > 0. */
double sotto_outcomes_nested_k_up(const struct sotto_event *e, enum sotto_direction direction,
				  double s);

#endif
