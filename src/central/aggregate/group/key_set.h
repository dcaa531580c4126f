/*
 * key_set.h - public keys that take their values together
 */
#ifndef SOTTO_KEY_SET_H
#define SOTTO_KEY_SET_H

#include "central/plan/plan.h"

/*
 * Divides public keys into sets that do not depend on each other: plan->sets.  What every
 * row meets leaves out values that no row can have.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_sets_make(struct sotto_plan *plan, const struct sotto_conditions *met);

/* A query that counts the combinations of public keys, up to one more than most. */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_sets_count(struct sotto_plan *plan, int64_t most, const struct sotto_rowset **query);

#endif
