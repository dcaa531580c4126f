/*
 * compat_chromium.h - Chromium's upload of a report
 */
#ifndef SOTTO_COMPAT_CHROMIUM_H
#define SOTTO_COMPAT_CHROMIUM_H

#include "sotto/client.h"

/*
 * Chromium's upload of one metric as a protocol buffer: the stored seed (which
 * the collector reduces to the cohort) and one vector.  Fails: SOTTO_ERANGE if
 * out is too short.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_compat_chromium_upload(const struct sotto_compat *c, uint32_t seed, const uint8_t *bits,
			     uint8_t *out, size_t capacity, size_t *used);

#endif
