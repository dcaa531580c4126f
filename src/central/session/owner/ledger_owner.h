/* ledger_owner.h - what accepting a policy would mean for its ledger */
#ifndef SOTTO_LEDGER_OWNER_H
#define SOTTO_LEDGER_OWNER_H

#include "central/policy/policy_terms.h"

/*
 * Lists what accepting a policy would change for its ledger: what differs from the terms that were
 * accepted last, and a witness that does not agree with the ledger.  Fails as opening it does.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_unaccepted(const struct sotto_policy *p, struct sotto_arena *a,
			struct sotto_policy_changes *out, struct sotto_error *err);

#endif
