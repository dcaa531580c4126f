/*
 * seal_inside.h - sealing with a policy that is already loaded
 */
#ifndef SOTTO_SEAL_INSIDE_H
#define SOTTO_SEAL_INSIDE_H

#include "central/policy/policy.h"
#include "sotto/owner.h"

/*
 * Seals the tables of a loaded policy; sotto_policy_seal loads it first.  Only the policy's path,
 * sealed and tables are used.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_seal(const struct sotto_policy *policy, const struct sotto_seal_options *options,
		  struct sotto_seal_report **out, struct sotto_error *err);

#endif
