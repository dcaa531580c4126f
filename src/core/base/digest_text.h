/*
 * digest_text.h - writes bytes and SHA-256 digests as hexadecimal text
 */
#ifndef SOTTO_DIGEST_TEXT_H
#define SOTTO_DIGEST_TEXT_H

#include <stddef.h>

#include "sotto/status.h"

enum { SOTTO_DIGEST_SIZE = 65 }; /* size of a digest as text, with its NUL */

/* Writes two digits for each byte and a NUL: out has 2 n + 1 bytes. */
void sotto_hex(const void *bytes, size_t n, char *out);

/* Writes the digest of n bytes.  Fails: SOTTO_ENOMEM; out is untouched. */
SOTTO_MUST_CHECK enum sotto_status
sotto_digest_text(const void *bytes, size_t n, char out[SOTTO_DIGEST_SIZE]);

#endif
