/*
 * VAES where the processor has it, else AES-256-CTR or ChaCha20 of OpenSSL; the first bytes of
 * each stretch are the next key and are never given out.
 */
#include "core/random/generator/keystream.h"

#include "core/base/failure.h"
#include "core/base/wipe.h"

static const EVP_CIPHER *openssl_cipher(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("aes") ? EVP_aes_256_ctr() : EVP_chacha20();
#else
	return EVP_aes_256_ctr();
#endif
}

static enum sotto_status init_openssl(struct sotto_keystream *k)
{
	k->cipher = EVP_CIPHER_CTX_new();
	if (!k->cipher)
		return SOTTO_ENOMEM;
	if (EVP_EncryptInit_ex(k->cipher, openssl_cipher(), NULL, NULL, NULL) != 1) {
		sotto_keystream_release(k);
		return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_keystream_init(struct sotto_keystream *k)
{
	k->cipher = NULL;
#if defined(__x86_64__)
	if (sotto_keystream_has_vaes())
		return SOTTO_OK;
#endif
	return init_openssl(k);
}

void sotto_keystream_release(struct sotto_keystream *k)
{
	EVP_CIPHER_CTX_free(k->cipher); /* wipes the key schedule */
	k->cipher = NULL;
}

enum sotto_status
sotto_keystream_rekey(struct sotto_keystream *k, const uint8_t stretch[SOTTO_STRETCH_BYTES])
{
	static const uint8_t counter_zero[16];

	if (!k->cipher)
		return SOTTO_OK;
	return EVP_EncryptInit_ex(k->cipher, NULL, NULL, stretch, counter_zero) == 1
		       ? SOTTO_OK
		       : SOTTO_EENTROPY;
}

static enum sotto_status next_by_openssl(struct sotto_keystream *k, uint8_t *stretch)
{
	int done = 0;

	sotto_wipe(stretch, SOTTO_KEY_BYTES);
	if (EVP_EncryptUpdate(k->cipher, stretch, &done, stretch, SOTTO_STRETCH_BYTES) != 1 ||
	    done != SOTTO_STRETCH_BYTES)
		return SOTTO_EENTROPY;
	/* At once: the old schedule would let a reader of this memory recompute the stretch. */
	return sotto_keystream_rekey(k, stretch);
}

enum sotto_status
sotto_keystream_next(struct sotto_keystream *k, uint8_t stretch[SOTTO_STRETCH_BYTES])
{
#if defined(__x86_64__)
	if (!k->cipher) {
		sotto_keystream_next_vaes(stretch);
		return SOTTO_OK;
	}
#endif
	return next_by_openssl(k, stretch);
}
