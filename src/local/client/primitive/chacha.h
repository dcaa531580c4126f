/*
 * chacha.h - the ChaCha20 key stream (RFC 8439) with nonce zero
 *
 * Every key here is used for one stream only, so the nonce carries nothing.
 */
#ifndef SOTTO_CHACHA_H
#define SOTTO_CHACHA_H

#include <stdint.h>

/* The block with this counter. */
void sotto_chacha_block(const uint8_t key[32], uint32_t counter, uint8_t out[64]);

#endif
