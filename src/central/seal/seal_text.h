/* seal_text.h - seals a table that is read from CSV or JSON texts */
#ifndef SOTTO_SEAL_TEXT_H
#define SOTTO_SEAL_TEXT_H

#include "central/seal/sealer.h"

/* Fills the entry, or sets the report's state to refused. */
SOTTO_MUST_CHECK enum sotto_status sotto_seal_text(struct sotto_sealer *s);

/* Finds the names and the delimiter of a CSV file, in the policy or in its first line. */
SOTTO_MUST_CHECK enum sotto_status
sotto_csv_names(struct sotto_arena *a, const struct sotto_policy_table *t, const char *path,
		const char ***names, size_t *count, char *delimiter, struct sotto_error *err);

#endif
