/* seal_typed.h - seals a table of Parquet files, of a database file or of public JSON */
#ifndef SOTTO_SEAL_TYPED_H
#define SOTTO_SEAL_TYPED_H

#include "central/seal/sealer.h"

SOTTO_MUST_CHECK enum sotto_status sotto_seal_public_json(struct sotto_sealer *s);

SOTTO_MUST_CHECK enum sotto_status sotto_seal_parquet(struct sotto_sealer *s);

SOTTO_MUST_CHECK enum sotto_status sotto_seal_database(struct sotto_sealer *s);

#endif
