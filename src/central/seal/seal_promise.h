/*
 * seal_promise.h - `unique: true` and `nullable: false`, checked when a table is sealed
 *
 * The manifest records the result for each column.  A promise that is added later is not relied on
 * until the table is sealed again.
 */
#ifndef SOTTO_SEAL_PROMISE_H
#define SOTTO_SEAL_PROMISE_H

#include "central/seal/sealer.h"

/*
 * Checks the columns about which the policy makes a promise, and records the result.  A broken
 * promise sets the report's state to refused.
 *
 * Fails:    SOTTO_EIO, SOTTO_EMISSING without the engine, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_promises(struct sotto_sealer *s);

/* The first column with a promise that sealing has not verified, and which; NULL if there is none. */
const struct sotto_policy_column *sotto_promise_unkept(const struct sotto_policy_table *t,
						       const struct sotto_sealed *e,
						       const char **promise);

#endif
