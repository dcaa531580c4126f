/*
 * release_loss.h - what the limits lost: published, stored, and found again
 *
 * The same vector is paid for once: an analyst's later question about the same rows, keys
 * and limits reads the noisy values that an earlier one was charged for.
 */
#ifndef SOTTO_RELEASE_LOSS_H
#define SOTTO_RELEASE_LOSS_H

#include <jansson.h>

#include "central/session/release/release.h"
#include "central/session/session.h"
#include "core/base/buffer.h"

/*
 * Publishes the vector from the engine's result, or takes the values that are known; none
 * if it is not asked for.
 *
 * Privacy:  its share of the plan's cost.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM, SOTTO_ERANGE; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_release_publish_losses(struct sotto_release *r, const struct sotto_plan *plan,
			     const struct sotto_engine_result *exact, struct sotto_rng *rng);

/* Names what the vector is of, and the state of the data, in r.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_release_name_losses(struct sotto_release *r,
							     struct sotto_session *s,
							     const struct sotto_plan *plan);

/* ,"losses":{...} of a release, and back; nothing if it has none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_write(struct sotto_buffer *b, const struct sotto_release *r);
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_read(struct sotto_release *r, const json_t *object);

/*
 * Looks for the vector among the analyst's answers about the same data: plan->loss.known
 * is set where it is found, for the plan and each of its parts.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_recall(struct sotto_session *s, const char *analyst, struct sotto_plan *plan,
		    struct sotto_error *err);

/* Makes an entry be found by the vectors that its answer holds.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_mark(struct sotto_ledger *ledger, uint64_t entry,
		  const struct sotto_release *releases, size_t count);

#endif
