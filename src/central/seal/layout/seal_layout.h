/*
 * seal_layout.h - checks a folder of buckets when it is sealed
 *
 * A worker relies on the layout to skip the files of other buckets, so with a wrong layout some units
 * would be counted by no worker.  The owner checks it here, and the manifest pins what was found;
 * no question reads sotto-layout.json.
 */
#ifndef SOTTO_SEAL_LAYOUT_H
#define SOTTO_SEAL_LAYOUT_H

#include "central/seal/sealer.h"

/*
 * If the folder of the current table claims to be laid out, reads the unit of every row and records
 * the column and the number of buckets.  A false claim sets the report's state to refused; so does a
 * policy with laid_out_by for a table that is not laid out.
 *
 * Fails:    SOTTO_EIO, SOTTO_EMISSING without the engine, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_layout(struct sotto_sealer *s);

/* Does laid_out_by: of the policy mean this table: is it its unit, or "row"? */
bool sotto_layout_is_by(const struct sotto_policy_table *t, const char *declared);

/*
 * Notes in the report if the number of workers in the policy does not divide the number of buckets,
 * which only makes questions slower.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_seal_layout_note(struct sotto_sealer *s, const struct sotto_sealed *e);

/* Does an entry describe the layout as its folder does now? */
bool sotto_seal_layout_is_known(const struct sotto_sealer *s, const struct sotto_sealed *e);

#endif
