/*
 * seal_columns.h - what the policy says about columns: is it so?
 */
#ifndef SOTTO_SEAL_COLUMNS_H
#define SOTTO_SEAL_COLUMNS_H

#include "central/seal/sealer.h"

/*
 * Reports how many values of each text column are not of the type that the policy gives it.  What
 * was counted before for the same type is taken from the entry, which then has the new counts too.
 *
 * Fails:    SOTTO_EPARSE with a sentence if the policy names a column, or a unit, that is not
 *           there; SOTTO_EIO, SOTTO_EMISSING without the engine, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_columns(struct sotto_sealer *s);

#endif
