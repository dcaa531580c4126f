/*
 * segment.h - the append-only files of a collector
 *
 * A segment is a run of batches and commit records.  A commit record says how
 * many bytes of the segment stand before it: "SLCM", segment number (8), offset
 * (8), batches since the last one (4), CRC-32C of these (4).  What no commit
 * record follows was never acknowledged.
 */
#ifndef SOTTO_SEGMENT_H
#define SOTTO_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

#define SOTTO_COMMIT_BYTES 28

void sotto_commit_store(uint64_t segment, uint64_t offset, uint32_t batches,
			uint8_t out[SOTTO_COMMIT_BYTES]);

/* Called for each committed batch, in order; a failure ends the scan. */
typedef enum sotto_status (*sotto_segment_visit)(void *context, const uint8_t *batch, size_t n);

/*
 * Visits the committed batches.  *committed is where the acknowledged part ends;
 * what follows it is an unfinished write.
 *
 * Fails: SOTTO_ECORRUPT if bytes before a later, intact commit record are
 *        damaged, and what visit returns.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_segment_scan(const uint8_t *bytes, size_t n, uint64_t number, sotto_segment_visit visit,
		   void *context, size_t *committed);

#endif
