/*
 * layout_text.h - a text as a Parquet file, to be laid out
 */
#ifndef SOTTO_LAYOUT_TEXT_H
#define SOTTO_LAYOUT_TEXT_H

#include "central/seal/layout/layout_source.h"

/*
 * Reads the files of the source, record by record, into a Parquet file at that path, all
 * columns as texts; nothing to do if it is there.  Memory does not grow with the text.
 *
 * Fails:    SOTTO_EPARSE for malformed or ambiguous records; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_text_copy(const struct sotto_layout_source *s, struct sotto_arena *a,
		       const char *path, const struct sotto_layout_options *how,
		       struct sotto_error *err);

#endif
