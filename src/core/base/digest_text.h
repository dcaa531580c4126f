/*
 * digest_text.h - bytes and SHA-256 digests as hexadecimal text, for names and for files
 */
#ifndef SOTTO_DIGEST_TEXT_H
#define SOTTO_DIGEST_TEXT_H

#include <stddef.h>

#include "sotto/status.h"

enum { SOTTO_DIGEST_SIZE = 65 }; /* of a digest as text, with the zero at its end */

/* Two digits for each byte and a zero at the end: out has 2 n + 1 bytes. */
void sotto_hex(const void *bytes, size_t n, char *out);

/* The digest of the given number of bytes.  Fails: SOTTO_ENOMEM; out is untouched. */
SOTTO_MUST_CHECK enum sotto_status
sotto_digest_text(const void *bytes, size_t n, char out[SOTTO_DIGEST_SIZE]);

#endif
