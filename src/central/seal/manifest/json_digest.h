/*
 * json_digest.h - the digest of a JSON value, which the manifests carry as their checksum
 */
#ifndef SOTTO_JSON_DIGEST_H
#define SOTTO_JSON_DIGEST_H

#include <jansson.h>
#include <stdbool.h>

#include "core/base/digest_text.h"

/* Digests its text without spaces and with sorted keys.  False if value is NULL or memory is short. */
bool sotto_json_digest(const json_t *value, char digest[SOTTO_DIGEST_SIZE]);

/* Is sum, which may be NULL, that digest? */
bool sotto_json_has_digest(const json_t *value, const char *sum);

#endif
