/*
 * people_key.h - keys: how one is made, written, hashed and compared
 *
 * A key reads "sk_" NUMBER "_" SECRET: the number finds the person, the secret is 256
 * random bits in base64url.  The secret alone lets in; the number is not a secret.
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
	/* A key has 256 bits of its own: rounds protect nothing, and clients ask for 4096. */
	SOTTO_SCRAM_ROUNDS = 4096,
};

/* What is kept of a key. */
struct sotto_key_print {
	uint8_t salt[SOTTO_KEY_SALT_BYTES];
	uint8_t hash[SOTTO_KEY_HASH_BYTES]; /* SHA-256 of salt and key */
	uint8_t scram_salt[SOTTO_KEY_SALT_BYTES];
	uint8_t stored_key[SOTTO_KEY_HASH_BYTES],
		server_key[SOTTO_KEY_HASH_BYTES]; /* RFC 5802 */
};

/* A new key for the person with that number, and what is kept of it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_make(int64_t number, char key[SOTTO_KEY_TEXT_SIZE], struct sotto_key_print *out);

/* The number in a key; false if the text cannot be a key. */
bool sotto_key_number(const char *key, int64_t *out);

/* True if the key is the one; takes the same time wherever they differ. */
bool sotto_key_fits(const struct sotto_key_print *print, const char *key);

#endif
