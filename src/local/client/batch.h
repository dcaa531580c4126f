/*
 * batch.h - the header of a batch, for devices and for the server
 */
#ifndef SOTTO_CLIENT_BATCH_H
#define SOTTO_CLIENT_BATCH_H

#include "sotto/client.h"

/* Whole reports in blocks of at most this many bytes (src/local/collect/collector.md). */
#define SOTTO_BATCH_BLOCK_MAX 65536

struct sotto_batch_header {
	const struct sotto_client_params *params;
	const uint8_t *id; /* 16 bytes */
	uint64_t epsilon; /* the bits of a double, 0 where the sender states none */
	uint64_t from, until, reports;
};

void sotto_batch_header_store(const struct sotto_batch_header *h,
			      uint8_t out[SOTTO_CLIENT_BATCH_HEADER]);

#endif
