/*
 * drbg.h - HMAC-DRBG with SHA-256 (SP 800-90A), without reseeding
 *
 * Deployed RAPPOR clients expand their secret with it.  Two of them read it as
 * one endless stream (sotto_drbg_read), one in requests after each of which the
 * key moves on (sotto_drbg_step).
 */
#ifndef SOTTO_DRBG_H
#define SOTTO_DRBG_H

#include <stddef.h>
#include <stdint.h>

struct sotto_bytes {
	const uint8_t *bytes;
	size_t length;
};

struct sotto_drbg {
	uint8_t key[32];
	uint8_t v[32];
	unsigned used; /* bytes of v already handed out */
};

/* The seed is the parts, one after the other. */
void sotto_drbg_init(struct sotto_drbg *g, const struct sotto_bytes *parts, size_t count);
void sotto_drbg_read(struct sotto_drbg *g, uint8_t *out, size_t n);

/* Ends a request: K = HMAC(K, V || 00), V = HMAC(K, V). */
void sotto_drbg_step(struct sotto_drbg *g);
void sotto_drbg_wipe(struct sotto_drbg *g);

#endif
