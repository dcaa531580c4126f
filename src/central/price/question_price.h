/*
 * question_price.h - which noise one question gets, how much of it, and what is charged
 */
#ifndef SOTTO_QUESTION_PRICE_H
#define SOTTO_QUESTION_PRICE_H

#include "central/plan/plan.h"

/* Is there anything in the plan itself, without its parts, that needs noise? */
bool sotto_question_has_price(const struct sotto_plan *plan);

/* As sotto_plan_price, for the plan without its parts. */
SOTTO_MUST_CHECK enum sotto_status
sotto_question_price(struct sotto_plan *plan, const struct sotto_rational *epsilon,
		     const struct sotto_rational *delta, bool delta_is_wish,
		     struct sotto_error *err);

#endif
