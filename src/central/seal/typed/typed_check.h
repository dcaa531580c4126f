/*
 * typed_check.h - the columns of a file that has types, and whether each of its values can be read
 */
#ifndef SOTTO_TYPED_CHECK_H
#define SOTTO_TYPED_CHECK_H

#include "central/seal/sealer.h"

/* Names and types of a relation into the entry; fields of structures after all columns. */
SOTTO_MUST_CHECK enum sotto_status
sotto_typed_describe(struct sotto_sealer *s, struct sotto_database *d, const char *relation);

/* Reads every value of every column; *readable: each is a text, a time or a number. */
SOTTO_MUST_CHECK enum sotto_status sotto_typed_check(struct sotto_sealer *s,
						     struct sotto_database *d,
						     const char *relation, bool *readable);

/* Engine SQL: that all times of a row are times, " AND ..." or "".  NULL without memory. */
const char *sotto_typed_times(struct sotto_sealer *s);

#endif
