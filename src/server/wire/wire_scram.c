/* SCRAM-SHA-256 for the PostgreSQL protocol. */
#include "server/wire/wire_scram.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

#include "core/random/generator/entropy.h"

enum { NONCE_BYTES = 18, PROOF_BYTES = SOTTO_KEY_HASH_BYTES, PROOF_LETTERS = 44 };

/* A text without zeros and of a length that fits. */
static bool copy(char out[SOTTO_SCRAM_TEXT], const char *text, size_t length)
{
	if (length >= SOTTO_SCRAM_TEXT || memchr(text, '\0', length))
		return false;
	memcpy(out, text, length);
	out[length] = '\0';
	return true;
}

bool sotto_scram_begin(struct sotto_scram *x, const struct sotto_scram_print *print,
		       const char *client, size_t length)
{
	uint8_t random[NONCE_BYTES];
	char text[SOTTO_SCRAM_TEXT], fresh[NONCE_BYTES * 2], salt[SOTTO_KEY_SALT_BYTES * 2];
	const char *nonce;
	int n;

	/* "n,,n=NAME,r=NONCE": no channel binding; the name is that of the start-up message. */
	if (!copy(text, client, length) ||
	    (strncmp(text, "n,,", 3) != 0 && strncmp(text, "y,,", 3) != 0))
		return false;
	nonce = strstr(text, ",r=");
	if (!nonce || strlen(nonce + 3) < 8 || strchr(nonce + 3, ','))
		return false;
	(void)snprintf(x->client_first, sizeof x->client_first, "%s", text + 3);
	if (sotto_entropy_read(random, sizeof random) != SOTTO_OK)
		return false;
	(void)EVP_EncodeBlock((uint8_t *)fresh, random, sizeof random);
	(void)EVP_EncodeBlock((uint8_t *)salt, print->salt, sizeof print->salt);
	n = snprintf(x->nonce, sizeof x->nonce, "%.200s%s", nonce + 3, fresh);
	if (n < 0 || strlen(nonce + 3) > 200)
		return false;
	n = snprintf(x->server_first, sizeof x->server_first, "r=%.300s,s=%s,i=%d", x->nonce,
		     salt, SOTTO_SCRAM_ROUNDS);
	return n > 0 && (size_t)n < sizeof x->server_first;
}

static bool sign(const uint8_t key[SOTTO_KEY_HASH_BYTES], const char *message,
		 uint8_t out[SOTTO_KEY_HASH_BYTES])
{
	unsigned n;

	return HMAC(EVP_sha256(), key, SOTTO_KEY_HASH_BYTES, (const uint8_t *)message,
		    strlen(message), out, &n);
}

/* ClientKey = ClientProof XOR HMAC(StoredKey, AuthMessage); its hash must be StoredKey. */
static bool proves(const struct sotto_scram_print *print, const char *message,
		   const uint8_t proof[PROOF_BYTES])
{
	uint8_t signature[PROOF_BYTES], key[PROOF_BYTES], hash[PROOF_BYTES];

	if (!sign(print->stored_key, message, signature))
		return false;
	for (int i = 0; i < PROOF_BYTES; i++)
		key[i] = proof[i] ^ signature[i];
	(void)SHA256(key, sizeof key, hash);
	return (CRYPTO_memcmp(hash, print->stored_key, sizeof hash) == 0) & print->known;
}

/* "c=biws,r=NONCE,p=PROOF": the part before the proof, and the proof. */
static bool split_final(const struct sotto_scram *x, char text[SOTTO_SCRAM_TEXT],
			uint8_t proof[PROOF_BYTES])
{
	char want[SOTTO_SCRAM_TEXT + 16], *p = strstr(text, ",p=");
	uint8_t decoded[PROOF_LETTERS];

	if (!p || strlen(p + 3) != PROOF_LETTERS ||
	    EVP_DecodeBlock(decoded, (const uint8_t *)p + 3, PROOF_LETTERS) < PROOF_BYTES)
		return false;
	memcpy(proof, decoded, PROOF_BYTES);
	*p = '\0';
	(void)snprintf(want, sizeof want, "c=biws,r=%s", x->nonce);
	if (strcmp(text, want) == 0)
		return true;
	(void)snprintf(want, sizeof want, "c=eSws,r=%s", x->nonce);
	return strcmp(text, want) == 0;
}

bool sotto_scram_finish(struct sotto_scram *x, const struct sotto_scram_print *print,
			const char *client, size_t length, char out[SOTTO_SCRAM_TEXT])
{
	char text[SOTTO_SCRAM_TEXT], message[3 * SOTTO_SCRAM_TEXT], letters[PROOF_LETTERS + 4];
	uint8_t proof[PROOF_BYTES], signature[PROOF_BYTES];

	if (!copy(text, client, length) || !split_final(x, text, proof))
		return false;
	(void)snprintf(message, sizeof message, "%s,%s,%s", x->client_first, x->server_first,
		       text);
	if (!proves(print, message, proof) || !sign(print->server_key, message, signature))
		return false;
	(void)EVP_EncodeBlock((uint8_t *)letters, signature, sizeof signature);
	(void)snprintf(out, SOTTO_SCRAM_TEXT, "v=%s", letters);
	return true;
}
