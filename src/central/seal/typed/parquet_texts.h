/*
 * parquet_texts.h - makes a Parquet file's texts readable as bytes
 *
 * The engine refuses a whole file because of one text that is not UTF-8.  If a copy's footer says
 * that texts are bytes, the engine can read it and find the rows at fault.
 */
#ifndef SOTTO_PARQUET_TEXTS_H
#define SOTTO_PARQUET_TEXTS_H

#include <stddef.h>

#include "core/base/buffer.h"

/*
 * Copies the file, readable only by its owner: the same data with a changed footer.
 *
 * Fails:    SOTTO_EIO, SOTTO_EPARSE if it has no Parquet footer, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_parquet_loosen(const char *from, const char *to);

/* Changes a footer: texts become bytes.  Fails: SOTTO_EPARSE, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_footer_loosen(const unsigned char *footer, size_t n, struct sotto_buffer *out);

#endif
