/*
 * unit_key.h - keys that determine the unit of a row
 *
 * An order belongs to one customer, so the key of an order, wherever it stands, leads to
 * that customer: by the paths and the unique columns that the policy declares.  Whoever
 * groups, joins or looks up by such a key means "per order"; the plan then adds the unit to
 * the key, so that every result belongs to one unit even if the declarations are wrong
 * (sensitivity.md, 12).
 */
#ifndef SOTTO_UNIT_KEY_H
#define SOTTO_UNIT_KEY_H

#include "central/expression/binder.h"
#include "central/policy/policy.h"

/* x leads to y on the path by which the policy says that units are reached. */
bool sotto_key_leads_to(const struct sotto_scope_column *x, const struct sotto_scope_column *y);

/* Both are keys of one thing that has one unit. */
bool sotto_keys_of_one(const struct sotto_policy *policy, const struct sotto_scope_column *x,
		       const struct sotto_scope_column *y);

/* It is the unit, or a column that leads to it. */
bool sotto_bound_says_unit(const struct sotto_policy *policy, const struct sotto_bound *x);

#endif
