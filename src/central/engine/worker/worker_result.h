/*
 * Results in messages: the number of rows and of columns, the columns' kinds and names,
 * then the values column by column.
 *
 * What is read may be anything: no length is believed before the bytes that it speaks of
 * are there, so that memory is bounded by the size of the message.
 */
#ifndef SOTTO_WORKER_RESULT_H
#define SOTTO_WORKER_RESULT_H

#include "central/engine/worker/worker_message.h"

/* Values in a reply, four gigabytes of cells: a short message must not become a large result. */
#define SOTTO_REPLY_VALUES ((uint64_t)1 << 27)

SOTTO_MUST_CHECK enum sotto_status
sotto_worker_put_result(struct sotto_buffer *b, const struct sotto_engine_result *r);

/* One cell, as it stands in a result. */
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_put_cell(struct sotto_buffer *b, const struct sotto_engine_cell *c);

/*
 * The rest of a reply, as a result that takes the message (malloc'd, of size bytes, in
 * which the fields lie) on success: its texts are borrowed from there.
 *
 * Fails:    SOTTO_ECORRUPT for what is not a result, or has more than `most` values;
 *           SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_take_result(struct sotto_worker_fields *f, void *message, size_t size,
			 uint64_t most, struct sotto_engine_result **out);

#endif
