/*
 * parquet_texts.h - a Parquet file whose texts are read as bytes
 *
 * The engine refuses a whole file for one text that is not UTF-8.  A copy whose footer
 * says that texts are bytes can be read, and the rows told apart.
 */
#ifndef SOTTO_PARQUET_TEXTS_H
#define SOTTO_PARQUET_TEXTS_H

#include <stddef.h>

#include "core/base/buffer.h"

/*
 * Writes the file anew, readable for its owner alone: the same data, another footer.
 *
 * Fails:    SOTTO_EIO, SOTTO_EPARSE for what is not a Parquet footer, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_parquet_loosen(const char *from, const char *to);

/* The footer alone: texts become bytes.  Fails: SOTTO_EPARSE, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_footer_loosen(const unsigned char *footer, size_t n, struct sotto_buffer *out);

#endif
