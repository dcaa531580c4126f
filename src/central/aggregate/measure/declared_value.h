/*
 * declared_value.h - the values that the policy says an expression has
 *
 * COUNT(DISTINCT x) counts these alone, so that how many there can be, and how many bytes they
 * take, is known from the policy, whatever the rows hold (central/spread/spread.md, 4).
 */
#ifndef SOTTO_DECLARED_VALUE_H
#define SOTTO_DECLARED_VALUE_H

#include "central/expression/binder.h"
#include "central/plan/plan.h"

/*
 * If x has declared values, keys or whole numbers or days between bounds, and at most
 * SOTTO_SET_MAX, *set describes them; *value, which is x or x without NaN, becomes the nearest
 * bound where x lies outside.  Else the set has size 0.  call is COUNT(DISTINCT x).
 *
 * Fails:    SOTTO_ENOMEM; SOTTO_ERANGE for an expression that grows too long.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_declared_value(struct sotto_binder *b, const struct sotto_sql_expr *call,
		     const struct sotto_bound *x, const struct sotto_expression **value,
		     struct sotto_declared_set *set);

#endif
