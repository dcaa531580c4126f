/*
 * The first bytes of SHA-256 over the canonical form, so that equal parameters have equal
 * digests however they were written.
 */
#include "local/client/params_digest.h"

#include "local/client/primitive/bytes.h"
#include "local/client/primitive/sha256.h"

void sotto_client_params_digest(const struct sotto_client_params *params,
				uint8_t out[SOTTO_CLIENT_DIGEST_BYTES])
{
	struct sotto_sha256 s;
	uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES], digest[32];

	sotto_client_params_store(params, bytes);
	sotto_sha256_init(&s);
	sotto_sha256_add(&s, bytes, sizeof bytes);
	sotto_sha256_end(&s, digest);
	copy_bytes(out, digest, SOTTO_CLIENT_DIGEST_BYTES);
}
