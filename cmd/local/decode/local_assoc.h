/*
 * local_assoc.h - reports with several bit strings per user
 */
#ifndef SOTTO_LOCAL_ASSOC_H
#define SOTTO_LOCAL_ASSOC_H

#include "local/decode/local_decoding.h"
#include "read/csv.h"

/* The column of this name in a header that was read; SIZE_MAX if there is none. */
size_t assoc_column(const struct csv_reader *header, const char *name);

/* A bit string, bit k-1 first, as google/rappor writes them.  False if it is none. */
bool assoc_bits(const char *text, uint32_t bits, uint64_t *out);

/* A cohort below cohorts, or folded into that. */
bool assoc_cohort(const char *text, uint32_t cohorts, bool fold, uint32_t *out);

#endif
