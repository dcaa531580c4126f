/*
 * A partial is the digest of its job, the number of its bucket and a result of the engine, in
 * that order.  It may have as many values as bytes: its length has a limit already.
 */
#include "central/spread/merge/partial.h"

#include <stdlib.h>
#include <string.h>

#include "central/engine/engine_result.h"
#include "central/engine/worker/worker_result.h"
#include "core/base/failure.h"

enum sotto_status sotto_partial_put(struct sotto_buffer *b, const uint8_t job[SOTTO_JOB_DIGEST],
				    uint32_t bucket, const struct sotto_engine_result *r)
{
	SOTTO_TRY(sotto_buffer_append(b, job, SOTTO_JOB_DIGEST));
	SOTTO_TRY(sotto_worker_put_u32(b, bucket));
	return sotto_worker_put_result(b, r);
}

enum sotto_status sotto_partial_take(void *message, size_t size, uint8_t job[SOTTO_JOB_DIGEST],
				     uint32_t *bucket, struct sotto_engine_result **result)
{
	const uint8_t *bytes = message;
	struct sotto_worker_fields f = {bytes, bytes + size};

	if (!sotto_worker_take(&f, job, SOTTO_JOB_DIGEST) || !sotto_worker_take_u32(&f, bucket))
		return SOTTO_ECORRUPT;
	SOTTO_TRY(sotto_worker_take_result(&f, message, size, UINT64_MAX, result));
	(*result)->is_partial = true;
	return SOTTO_OK;
}
