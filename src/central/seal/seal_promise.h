/*
 * seal_promise.h - `unique: true` and `nullable: false`, checked when a table is sealed
 *
 * What was found is kept in the manifest, column by column: a promise that is made later
 * is not relied on before the table is sealed again.
 */
#ifndef SOTTO_SEAL_PROMISE_H
#define SOTTO_SEAL_PROMISE_H

#include "central/seal/sealer.h"

/*
 * Looks at the entry's columns that the policy promises something about, and records what
 * holds.  A promise that does not sets the report's state to refused.
 *
 * Fails:    SOTTO_EIO, SOTTO_EMISSING without the engine, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_promises(struct sotto_sealer *s);

/* A column with a promise that sealing did not find kept, and which; NULL if all are kept. */
const struct sotto_policy_column *sotto_promise_unkept(const struct sotto_policy_table *t,
						       const struct sotto_sealed *e,
						       const char **promise);

#endif
