/*
 * release_loss.h - publishes, stores and finds again what the limits lost
 *
 * The same vector is paid for once: an analyst's later question about the same rows, keys and
 * limits reads the noisy values that an earlier one was charged for.
 */
#ifndef SOTTO_RELEASE_LOSS_H
#define SOTTO_RELEASE_LOSS_H

#include <jansson.h>

#include "central/session/release/kept_answer.h"
#include "central/session/release/release.h"
#include "core/base/buffer.h"
#include "sotto/ledger.h"

/* Computes the key of a vector from the tables, the rows, the keys and the limits. */
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_key(const struct sotto_plan *plan, char key[SOTTO_RELEASE_KEY_SIZE]);

/* Records in r what the vector is about, and the state of the data.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_release_name_losses(struct sotto_release *r,
							     const struct sotto_plan *plan,
							     const char *data);

/* Reads the numbers of "items" into the arena; NULL if there are none.  Fails: SOTTO_ECORRUPT. */
SOTTO_MUST_CHECK enum sotto_status sotto_losses_read_items(struct sotto_arena *arena,
							   const json_t *items,
							   struct sotto_loss_value **out);

/* Write ,"losses":{...} of a release, and read it back; nothing if it has none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_write(struct sotto_buffer *b, const struct sotto_release *r);
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_read(struct sotto_release *r, const json_t *object);

/* Lets an entry be found by the vectors in its answer.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_losses_keep(struct sotto_kept_answer *kept,
						     const struct sotto_release *releases,
						     size_t count);

#endif
