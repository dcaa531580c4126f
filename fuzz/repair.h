/*
 * repair.h - right checksums on made-up bytes
 *
 * A mutation almost never hits a right checksum, so that readers would stop
 * there.  A repaired copy lets what is behind the checksum be read.
 */
#ifndef SOTTO_FUZZ_REPAIR_H
#define SOTTO_FUZZ_REPAIR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "local/client/params_digest.h"
#include "local/client/primitive/bytes.h"
#include "local/collect/crc32c.h"
#include "local/collect/segment.h"
#include "sotto/collect.h"

/* The batch at the start: its digest, header and blocks; the bytes it takes. */
static inline size_t repair_batch(uint8_t *at, size_t n)
{
	struct sotto_client_params params;
	size_t used = SOTTO_LOCAL_BATCH_HEADER;

	if (n < SOTTO_LOCAL_BATCH_HEADER)
		return n;
	if (sotto_client_params_load(&params, at + 28) == SOTTO_OK) {
		sotto_client_params_digest(&params, at + 112);
		store_le(at + 6, params.protocol, 2);
		store_le(at + 160, sotto_client_report_bytes(&params), 4);
	}
	store_le(at + 168, sotto_crc32c(at, 168), 4);
	while (n - used >= 8) {
		uint32_t length = load32_le(at + used);

		if (length > n - used - 8 || length == 0)
			break;
		store_le(at + used + 4,
			 sotto_crc32c_more(sotto_crc32c(at + used, 4), at + used + 8, length),
			 4);
		used += 8 + (size_t)length;
	}
	return used;
}

/* Batches and commit records, wherever their first four bytes are. */
static inline void repair_segment(uint8_t *bytes, size_t n, uint64_t number)
{
	for (size_t at = 0; at + 4 <= n;) {
		if (memcmp(bytes + at, "SLB1", 4) == 0) {
			at += repair_batch(bytes + at, n - at);
		} else if (n - at >= SOTTO_COMMIT_BYTES && memcmp(bytes + at, "SLCM", 4) == 0) {
			sotto_commit_store(number, at, load32_le(bytes + at + 20), bytes + at);
			at += SOTTO_COMMIT_BYTES;
		} else {
			at++;
		}
	}
}

/* A checksum of everything before it, at the end. */
static inline void repair_end(uint8_t *bytes, size_t n)
{
	if (n >= 4)
		store_le(bytes + n - 4, sotto_crc32c(bytes, n - 4), 4);
}

#endif
