/*
 * source_description.h - finds the columns of a source before it is sealed
 */
#ifndef SOTTO_SOURCE_DESCRIPTION_H
#define SOTTO_SOURCE_DESCRIPTION_H

#include "central/policy/policy.h"
#include "central/seal/manifest/manifest.h"

/*
 * Reads names and types from a header or a catalogue, never from records.  A private JSON file has
 * the columns that t names.
 *
 * Fails:    SOTTO_EIO without a sentence if the source cannot be read; SOTTO_EPARSE with
 *           one for a first line that is not a header.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_source_columns(struct sotto_arena *a,
							const struct sotto_policy_table *t,
							struct sotto_sealed_column **columns,
							size_t *count, struct sotto_error *err);

#endif
