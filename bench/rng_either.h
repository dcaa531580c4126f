/*
 * rng_either.h - the product's generator, keyed by OpenSSL also where VAES exists
 *
 * Machines with AVX2 only have the first; so that one machine can measure both,
 * this is rng.c again with that one choice made here.  Include it in one file.
 */
#ifndef SOTTO_BENCH_RNG_EITHER_H
#define SOTTO_BENCH_RNG_EITHER_H

#include <stdbool.h>

#include "core/random/generator/keystream.h"

static bool rng_by_openssl;

static enum sotto_status keystream_init_either(struct sotto_keystream *k)
{
	if (!rng_by_openssl)
		return sotto_keystream_init(k);
	k->cipher = EVP_CIPHER_CTX_new();
	if (!k->cipher ||
	    EVP_EncryptInit_ex(k->cipher, EVP_aes_256_ctr(), NULL, NULL, NULL) != 1)
		return SOTTO_ENOMEM;
	return SOTTO_OK;
}

#define sotto_keystream_init keystream_init_either
#include "core/random/generator/rng.c"
#undef sotto_keystream_init

#endif
