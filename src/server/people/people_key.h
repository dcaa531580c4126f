/*
 * people_key.h - makes, writes, hashes and compares keys
 *
 * A key reads "sk_" NUMBER "_" SECRET: the number finds the person, the secret is 256
 * random bits in base64url.  Only the secret proves who asks; the number is not secret.
 */
#ifndef SOTTO_PEOPLE_KEY_H
#define SOTTO_PEOPLE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/server.h"

enum {
	SOTTO_KEY_SECRET_BYTES = 32,
	SOTTO_KEY_SALT_BYTES = 16,
	SOTTO_KEY_HASH_BYTES = 32,
	/* A key already has 256 random bits, so rounds add no protection; clients expect 4096. */
	SOTTO_SCRAM_ROUNDS = 4096,
};

/* What the server stores about a key. */
struct sotto_key_print {
	uint8_t salt[SOTTO_KEY_SALT_BYTES];
	uint8_t hash[SOTTO_KEY_HASH_BYTES]; /* SHA-256 of salt and key */
	uint8_t scram_salt[SOTTO_KEY_SALT_BYTES];
	uint8_t stored_key[SOTTO_KEY_HASH_BYTES],
		server_key[SOTTO_KEY_HASH_BYTES]; /* RFC 5802 */
};

/* Makes a key for the person with that number, and what is stored about it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_make(int64_t number, char key[SOTTO_KEY_TEXT_SIZE], struct sotto_key_print *out);

/* Reads the number in a key; false if the text cannot be a key. */
bool sotto_key_number(const char *key, int64_t *out);

/* True if the key matches; takes the same time wherever they differ. */
bool sotto_key_fits(const struct sotto_key_print *print, const char *key);

#endif
