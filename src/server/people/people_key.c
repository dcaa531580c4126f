/* Keys of people: random, shown once, kept as hashes. */
#include "server/people/people_key.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/random/generator/entropy.h"

static const char letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* 32 bytes as 43 letters of base64url. */
static void write_secret(const uint8_t bytes[SOTTO_KEY_SECRET_BYTES], char out[44])
{
	uint32_t held = 0;
	int bits = 0, n = 0;

	for (int i = 0; i < SOTTO_KEY_SECRET_BYTES; i++) {
		held = held << 8 | bytes[i];
		for (bits += 8; bits >= 6; bits -= 6)
			out[n++] = letters[held >> (bits - 6) & 63];
	}
	out[n++] = letters[held << (6 - bits) & 63];
	out[n] = '\0';
}

static bool hash_key(const uint8_t salt[SOTTO_KEY_SALT_BYTES], const char *key,
		     uint8_t out[SOTTO_KEY_HASH_BYTES])
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool done = c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1 &&
		    EVP_DigestUpdate(c, salt, SOTTO_KEY_SALT_BYTES) == 1 &&
		    EVP_DigestUpdate(c, key, strlen(key)) == 1 &&
		    EVP_DigestFinal_ex(c, out, NULL) == 1;

	EVP_MD_CTX_free(c);
	return done;
}

/* StoredKey and ServerKey of RFC 5802, section 3. */
static bool hash_for_scram(const char *key, struct sotto_key_print *p)
{
	uint8_t salted[SOTTO_KEY_HASH_BYTES], client[SOTTO_KEY_HASH_BYTES];
	unsigned n = 0;
	bool done = PKCS5_PBKDF2_HMAC(key, (int)strlen(key), p->scram_salt,
				      SOTTO_KEY_SALT_BYTES, SOTTO_SCRAM_ROUNDS, EVP_sha256(),
				      sizeof salted, salted) == 1 &&
		    HMAC(EVP_sha256(), salted, sizeof salted, (const uint8_t *)"Client Key", 10,
			 client, &n) &&
		    SHA256(client, sizeof client, p->stored_key) &&
		    HMAC(EVP_sha256(), salted, sizeof salted, (const uint8_t *)"Server Key", 10,
			 p->server_key, &n);

	OPENSSL_cleanse(salted, sizeof salted);
	OPENSSL_cleanse(client, sizeof client);
	return done;
}

enum sotto_status
sotto_key_make(int64_t number, char key[SOTTO_KEY_TEXT_SIZE], struct sotto_key_print *out)
{
	uint8_t secret[SOTTO_KEY_SECRET_BYTES];
	char text[44];
	int n;

	SOTTO_TRY(sotto_entropy_read(secret, sizeof secret));
	SOTTO_TRY(sotto_entropy_read(out->salt, sizeof out->salt));
	SOTTO_TRY(sotto_entropy_read(out->scram_salt, sizeof out->scram_salt));
	write_secret(secret, text);
	OPENSSL_cleanse(secret, sizeof secret);
	n = snprintf(key, SOTTO_KEY_TEXT_SIZE, "sk_%" PRId64 "_%s", number, text);
	OPENSSL_cleanse(text, sizeof text);
	if (n < 0 || n >= SOTTO_KEY_TEXT_SIZE)
		return SOTTO_ERANGE;
	return hash_key(out->salt, key, out->hash) && hash_for_scram(key, out) ? SOTTO_OK
									       : SOTTO_ENOMEM;
}

bool sotto_key_number(const char *key, int64_t *out)
{
	int64_t number = 0;
	const char *c = key + 3;

	if (strncmp(key, "sk_", 3) != 0)
		return false;
	for (; *c >= '0' && *c <= '9' && number < INT64_C(1000000000000); c++)
		number = 10 * number + (*c - '0');
	if (c == key + 3 || *c != '_' || strlen(c + 1) != 43)
		return false;
	*out = number;
	return true;
}

bool sotto_key_fits(const struct sotto_key_print *print, const char *key)
{
	uint8_t hash[SOTTO_KEY_HASH_BYTES];

	return hash_key(print->salt, key, hash) &&
	       CRYPTO_memcmp(hash, print->hash, sizeof hash) == 0;
}
