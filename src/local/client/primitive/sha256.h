/*
 * sha256.h - SHA-256 and HMAC-SHA256 (FIPS 180-4, RFC 2104), freestanding
 */
#ifndef SOTTO_SHA256_H
#define SOTTO_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sotto_sha256 {
	uint32_t h[8];
	uint8_t block[64];
	uint64_t length; /* bytes taken so far */
};

void sotto_sha256_init(struct sotto_sha256 *s);
void sotto_sha256_add(struct sotto_sha256 *s, const void *bytes, size_t n);

/* Writes the digest and wipes s. */
void sotto_sha256_end(struct sotto_sha256 *s, uint8_t out[32]);

struct sotto_hmac {
	struct sotto_sha256 inner;
	uint8_t outer_key[64];
};

/* A key of any length. */
void sotto_hmac_init(struct sotto_hmac *m, const void *key, size_t n);
void sotto_hmac_add(struct sotto_hmac *m, const void *bytes, size_t n);
void sotto_hmac_end(struct sotto_hmac *m, uint8_t out[32]);

#endif
