#include "testlib/buckets.h"

#include <string.h>

#include "central/engine/spread/merge/partial.h"
#include "central/session/spread/session_spread.h"
#include "core/base/failure.h"

static const uint8_t job[SOTTO_JOB_DIGEST] = {1, 2, 3};

static enum sotto_status
add(struct sotto_merge *m, struct sotto_buffer *b, uint32_t bucket, enum buckets_fault fault)
{
	if (fault == BUCKETS_ONE_MISSING && bucket == 0)
		return SOTTO_OK;
	if (fault == BUCKETS_OTHER_JOB && bucket == 0)
		b->bytes[0] ^= 1;
	SOTTO_TRY(sotto_merge_add(m, b->bytes, b->length));
	if (fault == BUCKETS_ONE_FORGED && bucket == 0)
		b->bytes[b->length - 1] ^= 1;
	if (fault == BUCKETS_SAME_TWICE || fault == BUCKETS_ONE_FORGED)
		return sotto_merge_add(m, b->bytes, b->length);
	return SOTTO_OK;
}

static enum sotto_status run(struct sotto_embedded *e, const struct sotto_plan *plan,
			     struct sotto_merge *m, uint32_t bucket, enum buckets_fault fault)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_buffer b;
	enum sotto_status st;

	SOTTO_TRY(sotto_embedded_run_partial(e, sotto_plan_partial_sql(plan), &r));
	sotto_buffer_init(&b, SOTTO_WORKER_REPLY_MAX);
	st = sotto_partial_settle(r);
	if (st == SOTTO_OK)
		st = sotto_partial_put(&b, job, bucket, r);
	if (st == SOTTO_OK)
		st = add(m, &b, bucket, fault);
	sotto_buffer_release(&b);
	sotto_engine_result_free(r);
	return st;
}

enum sotto_status buckets_sum(struct sotto_embedded *e, const struct sotto_plan *plan,
			      uint32_t buckets, buckets_define_fn define, void *context,
			      enum buckets_fault fault, struct sotto_engine_result **out)
{
	const struct sotto_partial_shape shape = sotto_spread_shape(plan);
	struct sotto_merge *m = sotto_merge_new(&shape, buckets, job);
	enum sotto_status st = m ? SOTTO_OK : SOTTO_ENOMEM;

	for (uint32_t i = 0; st == SOTTO_OK && i < buckets; i++) {
		st = define(context, e, i, buckets) ? SOTTO_OK : SOTTO_EIO;
		if (st == SOTTO_OK)
			st = run(e, plan, m, i, fault);
	}
	if (st == SOTTO_OK)
		st = sotto_merge_finish(m, out);
	sotto_merge_free(m);
	return st;
}
