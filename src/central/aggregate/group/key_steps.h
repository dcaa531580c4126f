/*
 * key_steps.h - public values of keys that are computed from a whole number within bounds
 *
 * Of floor(x / 10) * 10 there are as many values as of floor(x / 10): 0, 10, 20, ...
 */
#ifndef SOTTO_KEY_STEPS_H
#define SOTTO_KEY_STEPS_H

#include "central/expression/binder.h"
#include "central/plan/plan.h"

/*
 * Where e, which key was bound from, computes with written numbers alone from a whole number that
 * has bounds: sets key->domain to what it makes of the values between them, and key->held to what
 * it makes of the nearest of these.  Changes nothing otherwise.
 *
 * Fails:    SOTTO_ENOMEM; SOTTO_ERANGE if it is too long when written out.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_key_find_steps(struct sotto_binder *b,
							const struct sotto_sql_expr *e,
							struct sotto_plan_key *key);

#endif
