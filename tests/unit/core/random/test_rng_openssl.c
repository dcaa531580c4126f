/* The tests of test_rng.c for machines without VAES: the same generator, keyed by OpenSSL. */
#include "core/random/generator/keystream.h"

static enum sotto_status init_by_openssl(struct sotto_keystream *k)
{
	k->cipher = EVP_CIPHER_CTX_new();
	if (!k->cipher ||
	    EVP_EncryptInit_ex(k->cipher, EVP_aes_256_ctr(), NULL, NULL, NULL) != 1)
		return SOTTO_ENOMEM;
	return SOTTO_OK;
}

#define sotto_keystream_init init_by_openssl
#include "core/random/generator/rng.c"
#include "test_rng.c"
