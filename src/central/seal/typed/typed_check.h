/*
 * typed_check.h - describes a typed file, and checks that each of its values can be read
 */
#ifndef SOTTO_TYPED_CHECK_H
#define SOTTO_TYPED_CHECK_H

#include "central/seal/sealer.h"

/* Writes the names and types of a relation into the entry; fields of structures come last. */
SOTTO_MUST_CHECK enum sotto_status
sotto_typed_describe(struct sotto_sealer *s, struct sotto_database *d, const char *relation);

/* Reads every value of every column; *readable is true if all of them are valid. */
SOTTO_MUST_CHECK enum sotto_status sotto_typed_check(struct sotto_sealer *s,
						     struct sotto_database *d,
						     const char *relation, bool *readable);

/* Can a question read the column, or are rows grouped by it?  Others stay behind in a copy. */
bool sotto_typed_is_used(const struct sotto_policy_table *t,
			 const struct sotto_sealed_column *c);

/*
 * SQL conditions that all times and decimals of a row are valid and no text is too long: " AND ..." or
 * "".  NULL if out of memory.  is_bytes: texts are declared to be bytes.
 */
const char *sotto_typed_valid(struct sotto_sealer *s, bool is_bytes);

#endif
