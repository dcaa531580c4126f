/*
 * partial.h - what one worker found in its bucket, and the sum of all buckets
 *
 * A partial is a result of the engine over the units of one bucket: keys of groups, wide
 * integers, lists of counts, sets of values.  The merge of one partial for each of N buckets
 * is what one engine finds over all units (spread.md).
 *
 * (1) Each bucket counts once: a second partial that is the same, byte for byte, is ignored,
 *     another one for the same bucket is refused.
 * (2) There is no merge before every bucket is there.
 * (3) Where keys are public every partial has the same groups; no partial has a group twice.
 * (4) Integers are added with 128 bits and held at +-2^62 at the end, as one engine's are.
 */
#ifndef SOTTO_PARTIAL_H
#define SOTTO_PARTIAL_H

#include "central/engine/engine.h"
#include "central/engine/worker/worker_message.h"

enum { SOTTO_JOB_DIGEST = 32 };

/* What the columns of a partial are, in this order; what comes after them is not read. */
struct sotto_partial_shape {
	size_t keys; /* cells that tell groups apart */
	bool same_groups; /* they are public: every partial has all of them */
	size_t derived; /* cells that follow from the keys */
	size_t measures; /* integers of each group */
	size_t losses; /* integers over all groups, the same in every row */
	size_t lists; /* counts of values, in each group */
	size_t domains; /* public lists, the same everywhere, in one of the rows */
	size_t sets; /* different values, in each group */
	size_t set_of[16]; /* the measure that is the size of the i-th set */
};

enum { SOTTO_PARTIAL_SETS_MAX = 16 };

/* ---- one partial ------------------------------------------------------------------- */

/* Brings it into one order, so that the same bucket has the same bytes.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_partial_settle(struct sotto_engine_result *r);

/* Which job and bucket it is of, then the result. */
SOTTO_MUST_CHECK enum sotto_status
sotto_partial_put(struct sotto_buffer *b, const uint8_t job[SOTTO_JOB_DIGEST], uint32_t bucket,
		  const struct sotto_engine_result *r);

/*
 * *result takes the message (malloc'd) on success.
 *
 * Fails:    SOTTO_ECORRUPT for what is not a partial, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_partial_take(void *message, size_t size, uint8_t job[SOTTO_JOB_DIGEST], uint32_t *bucket,
		   struct sotto_engine_result **result);

/* ---- all of them ------------------------------------------------------------------- */

struct sotto_merge;

/* NULL: no memory. */
struct sotto_merge *sotto_merge_new(const struct sotto_partial_shape *shape, uint32_t buckets,
				    const uint8_t job[SOTTO_JOB_DIGEST]);
void sotto_merge_free(struct sotto_merge *m);

/*
 * Takes in a partial as it was sent; the message stays the caller's.
 *
 * Fails:    SOTTO_ECORRUPT for what is not a partial, is of another job or has other columns;
 *           or other groups where they are public;
 *           SOTTO_ESTATE for another partial of a bucket that is there; SOTTO_ENOMEM.
 *           Nothing may be answered then.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_merge_add(struct sotto_merge *m, const void *message, size_t size);

bool sotto_merge_has(const struct sotto_merge *m, uint32_t bucket);
uint32_t sotto_merge_missing(const struct sotto_merge *m);

/*
 * The sum, with exact integers in the place of wide ones and sets; empties the merge.
 *
 * Fails:    SOTTO_ESTATE if a bucket is missing, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_merge_finish(struct sotto_merge *m, struct sotto_engine_result **out);

#endif
