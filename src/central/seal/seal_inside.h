/*
 * seal_inside.h - sealing for those who have read the policy already
 */
#ifndef SOTTO_SEAL_INSIDE_H
#define SOTTO_SEAL_INSIDE_H

#include "central/policy/policy.h"
#include "sotto/owner.h"

/*
 * Seals the tables of a policy that is at hand: sotto_policy_seal after it was loaded.  Of the
 * policy, path, sealed and tables are looked at.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_seal(const struct sotto_policy *policy, const struct sotto_seal_options *options,
		  struct sotto_seal_report **out, struct sotto_error *err);

#endif
