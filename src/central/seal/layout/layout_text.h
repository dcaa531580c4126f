/*
 * layout_text.h - copies text files to Parquet, to lay them out
 */
#ifndef SOTTO_LAYOUT_TEXT_H
#define SOTTO_LAYOUT_TEXT_H

#include "central/seal/layout/layout_source.h"

/*
 * Reads the files of the source, record by record, into a Parquet file at the path, with all columns
 * as texts.  Does nothing if that file exists.  Memory does not grow with the size of the text.
 *
 * Fails:    SOTTO_EPARSE for malformed or ambiguous records; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layout_text_copy(const struct sotto_layout_source *s, struct sotto_arena *a,
		       const char *path, const struct sotto_layout_options *how,
		       struct sotto_error *err);

#endif
