/*
 * params_digest.h - a digest of parameters, which identifies the collection
 */
#ifndef SOTTO_PARAMS_DIGEST_H
#define SOTTO_PARAMS_DIGEST_H

#include "sotto/client.h"

/* The first half of the SHA-256 of their canonical bytes: two collections differ in it. */
void sotto_client_params_digest(const struct sotto_client_params *params,
				uint8_t out[SOTTO_CLIENT_DIGEST_BYTES]);

#endif
