/*
 * seal_layout.h - a folder of buckets, checked when it is sealed
 *
 * A layout is what lets a worker leave the files of other buckets unread, so a false one
 * would let a unit be counted in none.  It is checked here, by the owner, and what was
 * found is pinned in the manifest; no question looks at sotto-layout.json.
 */
#ifndef SOTTO_SEAL_LAYOUT_H
#define SOTTO_SEAL_LAYOUT_H

#include "central/seal/sealer.h"

/*
 * Reads the unit of every row of the table at hand, if its folder says that it is laid out,
 * and records by which column and in how many buckets.  A folder that says what does not
 * hold sets the report's state to refused; so does a policy that says laid_out_by of a
 * table that is not.
 *
 * Fails:    SOTTO_EIO, SOTTO_EMISSING without the engine, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_layout(struct sotto_sealer *s);

/* Whether laid_out_by: of the policy speaks of this table: its unit, or "row". */
bool sotto_layout_is_by(const struct sotto_policy_table *t, const char *declared);

/*
 * Notes in the report that the policy has a number of workers which does not divide the
 * buckets of the table: it is slow, and nothing else.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_seal_layout_note(struct sotto_sealer *s, const struct sotto_sealed *e);

/* Whether an entry says of the layout what its folder says now. */
bool sotto_seal_layout_is_known(const struct sotto_sealer *s, const struct sotto_sealed *e);

#endif
