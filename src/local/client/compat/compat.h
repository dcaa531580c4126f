/*
 * compat.h - the parts of a compatible mode, one file per family of clients
 */
#ifndef SOTTO_COMPAT_H
#define SOTTO_COMPAT_H

#include "sotto/client.h"

/* Whether the mode can do these sizes: all that hashing needs, which a decoder does too. */
bool sotto_compat_has_sizes(const struct sotto_compat *c);

/* f in 128ths as the mode rounds it. */
uint32_t sotto_compat_threshold(const struct sotto_compat *c);

/* MD5(BE32(cohort) || value), which all google modes hash with. */
void sotto_compat_md5(uint32_t cohort, const void *value, size_t length, uint8_t out[16]);

uint32_t sotto_google_cohort(const struct sotto_compat *c);
void sotto_google_positions(const struct sotto_compat *c, uint32_t cohort, const void *value,
			    size_t length, uint32_t *out);
void sotto_google_permanent(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out);
enum sotto_status
sotto_google_report(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out);

void sotto_chromium_positions(const struct sotto_compat *c, uint32_t cohort, const void *value,
			      size_t length, uint32_t *out);
void sotto_chromium_permanent(const struct sotto_compat *c, const uint8_t *bloom, uint8_t *out);
enum sotto_status
sotto_chromium_report(const struct sotto_compat *c, const uint8_t *permanent, uint8_t *out);

/* The positions that the hashes set, hashes of them. */
SOTTO_MUST_CHECK enum sotto_status sotto_compat_positions(const struct sotto_compat *c,
							  uint32_t cohort, const void *value,
							  size_t length, uint32_t *out);

/* The bytes as sent; as many as there were. */
void sotto_compat_wire(const struct sotto_compat *c, const uint8_t *bits, uint8_t *out);

#endif
