/*
 * seal_path.h - keys by which rows of other tables find their unit (`via`), checked when a table is
 * sealed: each has one unit
 *
 * A row whose key has several units would count for each of them, and the limits of one unit hold
 * for none of the rows that it shares: seal.md.
 */
#ifndef SOTTO_SEAL_PATH_H
#define SOTTO_SEAL_PATH_H

#include "central/seal/sealer.h"

/*
 * Checks the columns of the table that lead to a unit, and records the result.  A key with several
 * units sets the report's state to refused.
 *
 * Fails:    SOTTO_EIO, SOTTO_EMISSING without the engine, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_paths(struct sotto_sealer *s);

/* Of a table on a server nothing is looked at: the owner is told what has to hold.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_path_note(struct sotto_sealer *s);

/*
 * The first table whose rows find their unit by keys of t for which sealing has not found that;
 * NULL if there is none.
 */
const struct sotto_policy_table *sotto_path_unkept(const struct sotto_policy *p,
						   const struct sotto_policy_table *t,
						   const struct sotto_sealed *e);

#endif
