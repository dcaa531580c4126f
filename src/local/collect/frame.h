/*
 * frame.h - the batch frame, without copying
 */
#ifndef SOTTO_FRAME_H
#define SOTTO_FRAME_H

#include "sotto/collect.h"

/*
 * Reads the header; the batch must be exactly n bytes.
 * Fails: SOTTO_EPARSE and the reason.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_batch_read_whole(const uint8_t *bytes, size_t n,
							  struct sotto_local_batch *b,
							  enum sotto_local_reason *reason);

/*
 * Looks at every block and every report of a batch that was read where they lie.  With
 * `into`, an aggregate of the same parameters, adds the reports on the way.
 * Fails: SOTTO_EPARSE and the reason, SOTTO_ENOMEM; some reports may have been added.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_batch_check(const uint8_t *bytes, const struct sotto_local_batch *b,
		  struct sotto_local_aggregate *into, enum sotto_local_reason *reason);

/* A walk over the blocks of a batch whose header and length are right. */
struct sotto_blocks {
	const uint8_t *reports; /* of the block at hand, count of them */
	size_t count, stride;
	const uint8_t *next;
	size_t left, most;
};

void sotto_blocks_start(struct sotto_blocks *w, const uint8_t *batch,
			const struct sotto_local_batch *b);
bool sotto_blocks_next(struct sotto_blocks *w);

/*
 * Copies the reports of a whole batch, checked, into out (reports * stride bytes).
 */
SOTTO_MUST_CHECK enum sotto_status sotto_local_batch_reports(const uint8_t *bytes, size_t n,
							     uint8_t *out,
							     enum sotto_local_reason *reason);

#endif
