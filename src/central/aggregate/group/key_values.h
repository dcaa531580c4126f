/*
 * key_values.h - the public values of a GROUP BY key
 */
#ifndef SOTTO_KEY_VALUES_H
#define SOTTO_KEY_VALUES_H

#include "central/expression/binder.h"
#include "central/plan/plan.h"

/*
 * Finds the public values of a key that is bound, if it has any: declared ones, what a finite
 * type has, or what its columns make of the values between their bounds.  Where a row can
 * have a value outside of bounds, key->held is the key of such a row.  A private column that every
 * row has equal to one of a public table, by what is met, has the values of that one.
 *
 * Fails:    SOTTO_ENOMEM; SOTTO_ERANGE if it is too long when written out.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_find_values(struct sotto_binder *b, const struct sotto_sql_expr *e,
		      const struct sotto_conditions *met, struct sotto_plan_key *key);

#endif
