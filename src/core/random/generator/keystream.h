/*
 * keystream.h - a cipher with fast key erasure: each stretch of output contains the next key
 */
#ifndef SOTTO_KEYSTREAM_H
#define SOTTO_KEYSTREAM_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>

#include "sotto/status.h"

enum {
	SOTTO_KEY_BYTES = 32,
	SOTTO_STREAM_BYTES = 16384, /* key erasure costs 6 % here, 19 % at 4096, 2 % at 65536 */
	SOTTO_STRETCH_BYTES = SOTTO_KEY_BYTES + SOTTO_STREAM_BYTES,
};

struct sotto_keystream {
	/* Has the key of the next stretch; NULL where our own AES is used. */
	EVP_CIPHER_CTX *cipher;
};

/*
 * Chooses AES-256-CTR, by VAES instructions if the CPU has them and else by OpenSSL, or OpenSSL's
 * ChaCha20 if the CPU has no AES instructions.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_keystream_init(struct sotto_keystream *k);
void sotto_keystream_release(struct sotto_keystream *k);

/* Called after stretch[0..32) was set to a new key.  Fails: SOTTO_EENTROPY. */
SOTTO_MUST_CHECK enum sotto_status
sotto_keystream_rekey(struct sotto_keystream *k, const uint8_t stretch[SOTTO_STRETCH_BYTES]);

/*
 * Replaces the stretch, whose first 32 bytes are the key and whose other bytes must be zero, by
 * the keystream of that key from counter block 0.  Its first 32 bytes are the next key, the rest
 * is output.  The old key is gone.
 *
 * Fails:    SOTTO_EENTROPY if the cipher fails.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_keystream_next(struct sotto_keystream *k, uint8_t stretch[SOTTO_STRETCH_BYTES]);

#if defined(__x86_64__)
/* Does the same with VAES and AVX-512; needs no zeros. */
void sotto_keystream_next_vaes(uint8_t stretch[SOTTO_STRETCH_BYTES]);
bool sotto_keystream_has_vaes(void);
#endif

#endif
