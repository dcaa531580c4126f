/*
 * snapshot.h - an aggregate as bytes
 *
 * "SLA1", parameters (84), reports, covers (count, then source, first, last),
 * groups (count, numbers), cells (count, numbers), log (bytes, then the kept
 * reports in order), CRC-32C of all that.  Numbers are 64-bit little-endian.
 */
#ifndef SOTTO_SNAPSHOT_H
#define SOTTO_SNAPSHOT_H

#include "core/base/buffer.h"
#include "sotto/collect.h"

#define SOTTO_SNAPSHOT_MAX ((size_t)1 << 36)

/* Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_snapshot_append(struct sotto_local_aggregate *a, struct sotto_buffer *out);

/*
 * Reads one snapshot from the start of bytes; *used is its length.
 * Fails: SOTTO_ECORRUPT, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_snapshot_read(const uint8_t *bytes, size_t n,
						       struct sotto_local_aggregate **out,
						       size_t *used, struct sotto_error *err);

/* The same on bytes in memory. */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_aggregate_parse(const uint8_t *bytes, size_t n, struct sotto_local_aggregate **out,
			    struct sotto_error *err);

#endif
