/*
 * All cryptography is OpenSSL's.  Frames are numbered in each direction and the number is the
 * nonce, so that none can be repeated, dropped or reordered unnoticed; keys are wiped.
 */
#include "central/spread/channel/spread_channel.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <string.h>

#include "central/engine/worker/worker_message.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

enum { NONCE = 12, MAGIC = 8, SHORT_MAX = 1 << 17 };
static const char magic[MAGIC + 1] = "sottoch1";

/* ---- keys -------------------------------------------------------------------------- */

enum sotto_status sotto_key_pair_make(struct sotto_key_pair *k)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	size_t secret = sizeof k->secret, open = sizeof k->open;
	bool made = key && EVP_PKEY_get_raw_private_key(key, k->secret, &secret) == 1 &&
		    EVP_PKEY_get_raw_public_key(key, k->open, &open) == 1;

	EVP_PKEY_free(key);
	return made ? SOTTO_OK : SOTTO_EENTROPY;
}

/* A public key of small order shares nothing with anybody: that is refused by the library. */
static bool share(const uint8_t secret[SOTTO_CHANNEL_KEY],
		  const uint8_t open[SOTTO_CHANNEL_KEY], uint8_t out[SOTTO_CHANNEL_KEY])
{
	EVP_PKEY *own =
		EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, SOTTO_CHANNEL_KEY);
	EVP_PKEY *other =
		EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, open, SOTTO_CHANNEL_KEY);
	EVP_PKEY_CTX *c = own ? EVP_PKEY_CTX_new(own, NULL) : NULL;
	size_t n = SOTTO_CHANNEL_KEY;
	bool done = c && other && EVP_PKEY_derive_init(c) == 1 &&
		    EVP_PKEY_derive_set_peer(c, other) == 1 &&
		    EVP_PKEY_derive(c, out, &n) == 1 && n == SOTTO_CHANNEL_KEY;

	EVP_PKEY_CTX_free(c);
	EVP_PKEY_free(own);
	EVP_PKEY_free(other);
	return done;
}

static bool expand(uint8_t *secret, size_t n, uint8_t *salt, size_t salt_size, char *direction,
		   uint8_t out[SOTTO_CHANNEL_KEY])
{
	char digest[] = "SHA256";
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
	EVP_KDF_CTX *c = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret, n),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt, salt_size),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, direction,
						  strlen(direction)),
		OSSL_PARAM_construct_end()};
	bool done = c && EVP_KDF_derive(c, out, SOTTO_CHANNEL_KEY, params) == 1;

	EVP_KDF_CTX_free(c);
	EVP_KDF_free(kdf);
	return done;
}

/* Both keys, from the worker's side: send, receive. */
static bool derive(const uint8_t secret[SOTTO_CHANNEL_KEY],
		   const uint8_t open[SOTTO_CHANNEL_KEY],
		   const uint8_t token[SOTTO_CHANNEL_KEY], uint8_t salt[2 * SOTTO_CHANNEL_KEY],
		   uint8_t keys[2][SOTTO_CHANNEL_KEY])
{
	char up[] = "sotto spread 1 worker to coordinator";
	char down[] = "sotto spread 1 coordinator to worker";
	uint8_t mixed[2 * SOTTO_CHANNEL_KEY];
	bool done = share(secret, open, mixed);

	memcpy(mixed + SOTTO_CHANNEL_KEY, token, SOTTO_CHANNEL_KEY);
	done = done && expand(mixed, sizeof mixed, salt, 2 * SOTTO_CHANNEL_KEY, up, keys[0]) &&
	       expand(mixed, sizeof mixed, salt, 2 * SOTTO_CHANNEL_KEY, down, keys[1]);
	sotto_wipe(mixed, sizeof mixed);
	return done;
}

enum sotto_status sotto_channel_begin(struct sotto_channel *c, const struct sotto_ticket *t,
				      uint8_t opening[SOTTO_CHANNEL_OPENING])
{
	uint8_t salt[2 * SOTTO_CHANNEL_KEY], keys[2][SOTTO_CHANNEL_KEY];
	struct sotto_key_pair own;
	bool done;

	SOTTO_TRY(sotto_key_pair_make(&own));
	memcpy(salt, t->coordinator, SOTTO_CHANNEL_KEY);
	memcpy(salt + SOTTO_CHANNEL_KEY, own.open, SOTTO_CHANNEL_KEY);
	done = derive(own.secret, t->coordinator, t->token, salt, keys);
	memcpy(opening, magic, MAGIC);
	memcpy(opening + MAGIC, own.open, SOTTO_CHANNEL_KEY);
	sotto_wipe(&own, sizeof own);
	*c = (struct sotto_channel){0};
	memcpy(c->send_key, keys[0], SOTTO_CHANNEL_KEY);
	memcpy(c->receive_key, keys[1], SOTTO_CHANNEL_KEY);
	sotto_wipe(keys, sizeof keys);
	return done ? SOTTO_OK : SOTTO_EINVAL;
}

enum sotto_status sotto_channel_accept(struct sotto_channel *c,
				       const struct sotto_key_pair *own,
				       const uint8_t token[SOTTO_CHANNEL_KEY],
				       const uint8_t opening[SOTTO_CHANNEL_OPENING])
{
	uint8_t salt[2 * SOTTO_CHANNEL_KEY], keys[2][SOTTO_CHANNEL_KEY];

	if (memcmp(opening, magic, MAGIC) != 0)
		return SOTTO_ECORRUPT;
	memcpy(salt, own->open, SOTTO_CHANNEL_KEY);
	memcpy(salt + SOTTO_CHANNEL_KEY, opening + MAGIC, SOTTO_CHANNEL_KEY);
	if (!derive(own->secret, opening + MAGIC, token, salt, keys))
		return SOTTO_ECORRUPT;
	*c = (struct sotto_channel){0};
	memcpy(c->receive_key, keys[0], SOTTO_CHANNEL_KEY);
	memcpy(c->send_key, keys[1], SOTTO_CHANNEL_KEY);
	sotto_wipe(keys, sizeof keys);
	return SOTTO_OK;
}

void sotto_channel_release(struct sotto_channel *c)
{
	sotto_wipe(c, sizeof *c);
}

/* ---- frames ------------------------------------------------------------------------ */

static void set_nonce(uint8_t nonce[NONCE], uint64_t number)
{
	memset(nonce, 0, NONCE);
	for (int i = 0; i < 8; i++)
		nonce[NONCE - 1 - i] = (uint8_t)(number >> (8 * i));
}

/* The library counts bytes in int: in pieces. */
static bool cipher(EVP_CIPHER_CTX *c, uint8_t *out, const uint8_t *in, size_t n)
{
	enum { PIECE = 1 << 28 };

	while (n > 0) {
		int piece = n < PIECE ? (int)n : PIECE, done = 0;

		if (EVP_CipherUpdate(c, out, &done, in, piece) != 1 || done != piece)
			return false;
		out += piece;
		in += piece;
		n -= (size_t)piece;
	}
	return true;
}

static bool crypt_frame(const uint8_t key[SOTTO_CHANNEL_KEY], uint64_t number, bool seal,
			const uint8_t *header, const uint8_t *in, size_t n, uint8_t *out,
			uint8_t *tag)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t nonce[NONCE], last[SOTTO_CHANNEL_TAG];
	int unused = 0;
	bool done;

	set_nonce(nonce, number);
	done = c &&
	       EVP_CipherInit_ex(c, EVP_aes_256_gcm(), NULL, key, nonce, seal ? 1 : 0) == 1 &&
	       EVP_CipherUpdate(c, NULL, &unused, header, SOTTO_WORKER_HEADER) == 1 &&
	       cipher(c, out, in, n);
	if (done && !seal)
		done = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, SOTTO_CHANNEL_TAG, tag) ==
		       1;
	done = done && EVP_CipherFinal_ex(c, last, &unused) == 1;
	if (done && seal)
		done = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, SOTTO_CHANNEL_TAG, tag) ==
		       1;
	EVP_CIPHER_CTX_free(c);
	return done;
}

static enum sotto_status append_space(struct sotto_buffer *b, size_t n)
{
	static const uint8_t zeros[4096];

	while (n > 0) {
		size_t piece = n < sizeof zeros ? n : sizeof zeros;

		SOTTO_TRY(sotto_buffer_append(b, zeros, piece));
		n -= piece;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_channel_seal(struct sotto_channel *c, enum sotto_frame_type type,
				     const void *bytes, size_t n, struct sotto_buffer *out)
{
	const struct sotto_worker_header header = {.type = type,
						   .length = n + SOTTO_CHANNEL_TAG};
	uint8_t written[SOTTO_WORKER_HEADER], *body;

	sotto_worker_header_write(&header, written);
	SOTTO_TRY(sotto_buffer_append(out, written, sizeof written));
	SOTTO_TRY(append_space(out, n + SOTTO_CHANNEL_TAG));
	body = (uint8_t *)out->bytes + out->length - n - SOTTO_CHANNEL_TAG;
	if (!crypt_frame(c->send_key, c->sent, true, written, bytes, n, body, body + n))
		return SOTTO_ENOMEM;
	c->sent++;
	return SOTTO_OK;
}

static bool is_long(uint32_t type)
{
	return type == SOTTO_FRAME_JOB || type == SOTTO_FRAME_PARTIAL;
}

enum sotto_status
sotto_channel_measure(const void *bytes, size_t n, uint64_t most, size_t *length)
{
	struct sotto_worker_header header;

	*length = 0;
	if (n < SOTTO_WORKER_HEADER)
		return SOTTO_OK;
	if (!sotto_worker_header_read(bytes, most, &header) ||
	    (!is_long(header.type) && header.length > SHORT_MAX) ||
	    header.length < SOTTO_CHANNEL_TAG || header.type < SOTTO_FRAME_HELLO ||
	    header.type > SOTTO_FRAME_STRAYS)
		return SOTTO_ECORRUPT;
	*length = SOTTO_WORKER_HEADER + (size_t)header.length;
	return SOTTO_OK;
}

enum sotto_status sotto_channel_unseal(struct sotto_channel *c, void *frame, size_t length,
				       enum sotto_frame_type *type, uint8_t **bytes, size_t *n)
{
	uint8_t *body = (uint8_t *)frame + SOTTO_WORKER_HEADER;
	struct sotto_worker_header header;
	size_t size;

	SOTTO_TRY(sotto_channel_measure(frame, length, length, &size));
	if (size != length || !sotto_worker_header_read(frame, length, &header))
		return SOTTO_ECORRUPT;
	size = (size_t)header.length - SOTTO_CHANNEL_TAG;
	if (!crypt_frame(c->receive_key, c->received, false, frame, body, size, body,
			 body + size))
		return SOTTO_ECORRUPT;
	c->received++;
	*type = (enum sotto_frame_type)header.type;
	*bytes = body;
	*n = size;
	return SOTTO_OK;
}
